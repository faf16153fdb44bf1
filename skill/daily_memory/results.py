"""The types of what `Memory` returns, for annotations; importing this loads every service."""

from daily_memory.core.record import Record
from daily_memory.services.changing.edit import Edited, Opened
from daily_memory.services.changing.purge import Purged, Target
from daily_memory.services.changing.sanitize import Sanitized
from daily_memory.services.changing.undo import Listed as ListedOperation
from daily_memory.services.changing.undo import Undone
from daily_memory.services.importing.conversations import BackfillResult
from daily_memory.services.importing.sessions import ImportResult
from daily_memory.services.reading.browse import Found, Page
from daily_memory.services.reading.inject import Injection
from daily_memory.services.reading.mirror import Status
from daily_memory.services.reading.records import RecordResult
from daily_memory.services.reading.search import SearchResult
from daily_memory.services.reading.selection import Choice
from daily_memory.services.reading.sources import Hit, Query
from daily_memory.services.setup.config import Setting
from daily_memory.services.setup.encryption import Key, Unlocked
from daily_memory.services.setup.encryption import Plan as EncryptionPlan
from daily_memory.services.setup.encryption import Result as Conversion
from daily_memory.services.setup.git import Registration
from daily_memory.services.setup.install import Installation
from daily_memory.services.setup.program import Program
from daily_memory.services.setup.projects import Listed as ListedProject
from daily_memory.services.upkeep.archive import Due, Moved
from daily_memory.services.upkeep.cleanup import Proposal
from daily_memory.services.upkeep.dedupe import Merged, Pair
from daily_memory.services.upkeep.doctor import Report
from daily_memory.services.upkeep.review import Remark, Reviewed
from daily_memory.services.upkeep.summary import Summary
from daily_memory.services.writing.hook import Handled
from daily_memory.services.writing.live import Ended, Logged
from daily_memory.services.writing.save import SaveResult
from daily_memory.storage.fs.transaction import Change
from daily_memory.storage.observations import Live
from daily_memory.storage.roots import Root

__all__ = [
    "BackfillResult",
    "Change",
    "Choice",
    "Conversion",
    "Due",
    "Edited",
    "EncryptionPlan",
    "Ended",
    "Found",
    "Handled",
    "Hit",
    "ImportResult",
    "Injection",
    "Installation",
    "Key",
    "ListedOperation",
    "ListedProject",
    "Live",
    "Logged",
    "Merged",
    "Moved",
    "Opened",
    "Page",
    "Pair",
    "Program",
    "Proposal",
    "Purged",
    "Query",
    "Record",
    "RecordResult",
    "Registration",
    "Remark",
    "Report",
    "Reviewed",
    "Root",
    "Sanitized",
    "SaveResult",
    "SearchResult",
    "Setting",
    "Status",
    "Summary",
    "Target",
    "Undone",
    "Unlocked",
]
