"""Models of the Hugging Face hub: where they are on this machine, and how to get one.

Loading a model never downloads it; only `download` does, when the user said so.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from daily_memory.core.ports import ModelError
from daily_memory.text import filled

# Where models without a publisher in their names come from.
_PUBLISHER = "sentence-transformers"
_FILES = ["*.json", "*.safetensors", "*.txt", "*.model"]


def find_folder(model: str, environment: Mapping[str, str]) -> str:
    """Return the folder of a model, given by its path or in the hub's cache; "" if none."""
    path = os.path.expanduser(model)
    if is_path(model):
        return path if os.path.isdir(path) else ""
    folder = os.path.join(_cache(environment), f"models--{_full_name(model).replace('/', '--')}")
    try:
        with open(os.path.join(folder, "refs", "main"), encoding="utf-8") as file:
            path = os.path.join(folder, "snapshots", file.read().strip())
    except OSError:
        return ""
    return path if os.path.isdir(path) else ""


def get_folder(model: str, environment: Mapping[str, str]) -> str:
    folder = find_folder(model, environment)
    if not folder:
        hint = "memory config set --global semantic.enabled true"
        if is_path(model):
            hint = "give the path of a folder with a model"
        raise ModelError("the model {!r} is not on this machine", model, hint=hint, is_free=True)
    return folder


def is_path(model: str) -> bool:
    """Tell whether a model is named by its folder.

    >>> is_path("/models/e5"), is_path("~/e5"), is_path("intfloat/multilingual-e5-small")
    (True, True, False)
    """
    return os.path.isabs(os.path.expanduser(model)) or model.startswith(".")


def download(model: str) -> str:
    """Download a model from huggingface.co, and return its folder."""
    try:
        import huggingface_hub  # an extra, needed this once
    except ImportError as error:
        raise missing("huggingface_hub", error) from error
    # The base classes of its errors.
    kinds = (OSError, ValueError, RuntimeError, huggingface_hub.errors.HfHubHTTPError)
    try:
        # Without other formats of the same weights.
        return str(huggingface_hub.snapshot_download(_full_name(model), allow_patterns=_FILES))
    except kinds as error:
        message = filled("the model {!r} could not be downloaded: {}", model, type(error).__name__)
        raise ModelError(message, hint="check its name and the network", is_free=True) from error


def missing(package: str, error: ImportError) -> ModelError:
    """Return the error that says how to install a package."""
    from daily_memory.installation import install_command  # only to say what to run

    del error
    extra = "sentence-transformers" if package == "sentence_transformers" else "semantic"
    return ModelError("{} is not installed", package, hint=install_command(extra), is_free=True)


def _full_name(model: str) -> str:
    return model if "/" in model else f"{_PUBLISHER}/{model}"


def _cache(environment: Mapping[str, str]) -> str:
    """Return the folder of the hub's cache, by the variables of its library."""
    home = environment.get("HF_HOME") or os.path.join("~", ".cache", "huggingface")
    return os.path.expanduser(environment.get("HF_HUB_CACHE") or os.path.join(home, "hub"))
