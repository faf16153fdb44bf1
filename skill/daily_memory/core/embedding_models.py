"""Known embedding models: their prefixes for questions and passages, and their sizes."""

from __future__ import annotations

from daily_memory.named_tuples import NamedTuple


class EmbeddingModel(NamedTuple):
    """A model: what it wants before a question and before a passage, and its size in MB."""

    query: str = ""
    passage: str = ""
    size_mb: int = 0


_E5 = "query: ", "passage: "
_SEARCH = "Represent this sentence for searching relevant passages: "
_QWEN = (
    "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"
)
# By the last part of the name in lower case, as the model's own page says.
_MODELS = {
    "all-minilm-l6-v2": EmbeddingModel(size_mb=91),
    "paraphrase-multilingual-minilm-l12-v2": EmbeddingModel(size_mb=471),
    "multilingual-e5-small": EmbeddingModel(*_E5, 471),
    "multilingual-e5-base": EmbeddingModel(*_E5, 1112),
    "multilingual-e5-large": EmbeddingModel(*_E5, 2240),
    "bge-small-en-v1.5": EmbeddingModel(_SEARCH, size_mb=133),
    "bge-base-en-v1.5": EmbeddingModel(_SEARCH, size_mb=438),
    "bge-small-zh-v1.5": EmbeddingModel("为这个句子生成表示以用于检索相关文章：", size_mb=96),
    "bge-base-zh-v1.5": EmbeddingModel("为这个句子生成表示以用于检索相关文章：", size_mb=409),
    "bge-m3": EmbeddingModel(size_mb=2270),
    "mxbai-embed-large": EmbeddingModel(_SEARCH, size_mb=670),
    "nomic-embed-text": EmbeddingModel("search_query: ", "search_document: ", 274),
    "nomic-embed-text-v1.5": EmbeddingModel("search_query: ", "search_document: ", 547),
    "embeddinggemma": EmbeddingModel("task: search result | query: ", "title: none | text: ", 622),
    "embeddinggemma-300m": EmbeddingModel(
        "task: search result | query: ", "title: none | text: ", 1211
    ),
    "qwen3-embedding": EmbeddingModel(_QWEN),
    "qwen3-embedding-0.6b": EmbeddingModel(_QWEN, size_mb=1191),
    "qwen3-embedding-4b": EmbeddingModel(_QWEN),
    "qwen3-embedding-8b": EmbeddingModel(_QWEN),
    "potion-base-8m": EmbeddingModel(size_mb=30),
    "potion-base-32m": EmbeddingModel(size_mb=130),
    "potion-retrieval-32m": EmbeddingModel(size_mb=130),
    "potion-multilingual-128m": EmbeddingModel(size_mb=513),
}
_UNKNOWN = EmbeddingModel()


def find(name: str) -> EmbeddingModel:
    """Return what is known of a model by name or folder; nothing if it is unknown.

    >>> find("intfloat/multilingual-e5-small").query, find("nomic-embed-text:latest").passage
    ('query: ', 'search_document: ')
    """
    last = name.replace("\\", "/").rstrip("/").rpartition("/")[2]
    return _MODELS.get(last.partition(":")[0].lower(), _UNKNOWN)


def query(model: str, text: str) -> str:
    """Return a question with the model's prefix."""
    return find(model).query + text


def passage(model: str, text: str) -> str:
    """Return a passage with the model's prefix."""
    return find(model).passage + text
