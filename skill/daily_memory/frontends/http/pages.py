"""The pages, and what they are made of: files of ours that tell nothing of the memory."""

from __future__ import annotations

import os
from typing import NamedTuple

_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "page")


class Page(NamedTuple):
    """A file of the page's folder, and what a browser shall take it for."""

    name: str
    media_type: str

    def read(self) -> bytes:
        with open(os.path.join(_FOLDER, self.name), "rb") as file:
            return file.read()


PAGES = {
    "/": Page("index.html", "text/html"),
    "/docs": Page("docs.html", "text/html"),
    "/page/index.js": Page("index.js", "text/javascript"),
    "/page/panels.js": Page("panels.js", "text/javascript"),
    "/page/docs.js": Page("docs.js", "text/javascript"),
    "/page/style.css": Page("style.css", "text/css"),
}
