"""The pages, and what they are made of: files of ours that tell nothing of the memory."""

from __future__ import annotations

import os
from typing import NamedTuple

_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "page")


class PageFile(NamedTuple):
    """A file of the page's folder, and what a browser shall take it for."""

    name: str
    media_type: str

    def read(self) -> bytes:
        with open(os.path.join(_FOLDER, self.name), "rb") as file:
            return file.read()


PAGES = {
    "/": PageFile("index.html", "text/html"),
    "/docs": PageFile("docs.html", "text/html"),
    "/page/index.js": PageFile("index.js", "text/javascript"),
    "/page/panels.js": PageFile("panels.js", "text/javascript"),
    "/page/docs.js": PageFile("docs.js", "text/javascript"),
    "/page/style.css": PageFile("style.css", "text/css"),
}
