"""Where a shared cache is, from what a user has written: the absolute path of a folder, or a URL."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from opwright_build.engine.shared_store import Files, FolderFiles
from opwright_build.engine.signing import refused
from opwright_build.engine.store import SHARED
from opwright_build.engine.url_files import UrlFiles, shown_url


def open_files(where: str) -> Files:
    """The files of a shared cache. DiagnosticError: OW917 where the place makes no sense, OW918 for a folder that is
    not there."""
    if "://" not in where:
        return FolderFiles(_absolute(where))
    parts = urlsplit(where)
    if parts.scheme != "file":
        return UrlFiles(where)
    if parts.netloc not in ("", "localhost"):
        raise refused(f"{shown_url(where)} is on another machine", "file:///folder has three slashes")
    return FolderFiles(_absolute(url2pathname(parts.path)))


def _absolute(path: str) -> Path:
    if not os.path.isabs(path):
        raise refused(f"{SHARED} is no absolute path", "what it means would depend on the current folder")
    return Path(path)
