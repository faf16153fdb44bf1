"""The types of what `Memory` returns, for annotations: nothing is loaded for them."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from daily_memory.core.observation import Observation
    from daily_memory.core.pages.report import Counts
    from daily_memory.core.record import Record
    from daily_memory.services.changing.edit import Edited, Opened
    from daily_memory.services.changing.purge import Purged, Target
    from daily_memory.services.changing.sanitize import Sanitized
    from daily_memory.services.changing.undo import ListedOperation, Undone
    from daily_memory.services.importing.sessions import ImportResult
    from daily_memory.services.reading.browse import StoredSession
    from daily_memory.services.reading.inject import Injection
    from daily_memory.services.reading.mirror import Status
    from daily_memory.services.reading.recall_log import Received
    from daily_memory.services.reading.records import RecordResult
    from daily_memory.services.reading.root_search import Hit, Query
    from daily_memory.services.reading.search import SearchResult
    from daily_memory.services.setup.config import Setting
    from daily_memory.services.setup.encryption import EncryptionPlan, KeyInfo
    from daily_memory.services.setup.encryption import Result as Conversion
    from daily_memory.services.setup.git import Registration
    from daily_memory.services.setup.install import Installation
    from daily_memory.services.setup.program import Program
    from daily_memory.services.setup.projects import ListedProject
    from daily_memory.services.setup.uninstall import Removal
    from daily_memory.services.upkeep.archive import ArchiveResult, Due
    from daily_memory.services.upkeep.cleanup import Proposal
    from daily_memory.services.upkeep.dedupe import DuplicatePair, Merged
    from daily_memory.services.upkeep.doctor import Report
    from daily_memory.services.upkeep.doctor_steps import Remedy
    from daily_memory.services.upkeep.embed import EmbeddingStatus
    from daily_memory.services.upkeep.overview import Overview
    from daily_memory.services.upkeep.review import Remark, Reviewed
    from daily_memory.services.upkeep.summary import Summary
    from daily_memory.services.upkeep.sync import Synced
    from daily_memory.services.upkeep.team import TeamStatus
    from daily_memory.services.writing.hook import Handled
    from daily_memory.services.writing.live import Ended, Logged
    from daily_memory.services.writing.save import SaveResult
    from daily_memory.storage.access_tokens import AccessToken
    from daily_memory.storage.fs.transaction import FileChange
    from daily_memory.storage.observations import LiveSession
    from daily_memory.storage.roots import Root
