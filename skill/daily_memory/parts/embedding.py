"""`memory.embedding`: the vectors by which memories are searched by meaning."""

from __future__ import annotations

from daily_memory.backends.embedders import hub
from daily_memory.backends.embedders.table import PROVIDERS, open_embedder
from daily_memory.core import embedding_models
from daily_memory.core.settings import Semantic
from daily_memory.parts import MemoryPart
from daily_memory.services.upkeep import embed
from daily_memory.services.upkeep.embed import EmbeddingStatus


class Embedding(MemoryPart):
    """The vectors of the memories in use; `scope` chooses among them as in a search."""

    def status(self, *, scope: str = "") -> list[EmbeddingStatus]:
        """Return what is embedded of each memory."""
        workspace = self._workspace
        return [embed.status(root, workspace.settings) for root in workspace.search_roots(scope)]

    def run(self, *, scope: str = "", from_scratch: bool = False) -> list[EmbeddingStatus]:
        """Embed what is not embedded yet, or everything `from_scratch`; return what there is."""
        workspace = self._workspace
        return [
            embed.embed(root, workspace.settings, workspace.environment, from_scratch=from_scratch)
            for root in workspace.search_roots(scope)
        ]

    def drop(self, *, scope: str = "") -> None:
        """Remove all vectors."""
        for root in self._workspace.search_roots(scope):
            embed.drop(root)

    def plan(self, wanted: Semantic) -> str:
        """Return what these settings load or send, and where from or to."""
        return plan(wanted, is_new=self._is_new(wanted))

    def prepare(self, wanted: Semantic) -> None:
        """Download the model of these settings if it is not here, and try it."""
        if self._is_new(wanted):
            hub.download(wanted.model)
        embedder = open_embedder(wanted, self._workspace.environment)
        embedder.embed(["memory"], embed.CHECK_S)

    def _is_new(self, wanted: Semantic) -> bool:
        is_here = hub.is_path(wanted.model) or bool(
            hub.find_folder(wanted.model, self._workspace.environment)
        )
        return not PROVIDERS[wanted.provider].is_server and not is_here


def plan(wanted: Semantic, *, is_new: bool) -> str:
    """Return what happens with these settings, in a sentence.

    >>> plan(Semantic(True, "ollama", "bge-m3"), is_new=False)
    'bge-m3: your memories and questions are sent to http://127.0.0.1:11434, secrets hidden'
    """
    provider = PROVIDERS[wanted.provider]
    if provider.is_server:
        url = wanted.url or provider.url
        return f"{wanted.model}: your memories and questions are sent to {url}, secrets hidden"
    if not is_new:
        return f"{wanted.model}: loaded from this machine; nothing leaves it"
    size = embedding_models.find(wanted.model).size_mb
    shown = f"about {size:,} MB" if size else "size unknown"
    return f"{wanted.model}: downloaded once from huggingface.co ({shown}), then runs here"
