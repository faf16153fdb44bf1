"""The providers that `semantic.provider` names."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from daily_memory.core.ports import Embedder
from daily_memory.core.settings import Semantic
from daily_memory.named_tuples import NamedTuple


class Provider(NamedTuple):
    """Where vectors come from.

    `module` has `open_embedder`. `url` is the default address of a server, "" for a model that
    runs in our own process. `is_quick` where a question takes a hook no longer than it may.
    """

    module: str
    url: str = ""
    is_quick: bool = False

    @property
    def is_server(self) -> bool:
        return bool(self.url)


PROVIDERS = {
    "local": Provider("sentence_transformer"),
    "model2vec": Provider("static", is_quick=True),
    "openai": Provider("openai", url="https://api.openai.com/v1"),
    "ollama": Provider("ollama", url="http://127.0.0.1:11434"),
}


def open_embedder(settings: Semantic, environment: Mapping[str, str]) -> Embedder:
    """Return the embedding model of the settings, without downloading anything."""
    provider = PROVIDERS[settings.provider]
    module = import_module(f"{__package__}.{provider.module}")
    url = (settings.url or provider.url).rstrip("/")
    embedder: Embedder = module.open_embedder(settings.model, url, environment)
    return embedder
