"""Several files of a library written together: all of them or none, whenever the process dies.

What is to be written is first kept, whole and sealed, in the working folder; that is the moment at which it happens.
Then the files are put in place. A command that finds such a record finishes what it says before it does anything else.
"""

from __future__ import annotations

import base64
import binascii
import os
import re
from collections.abc import Mapping
from pathlib import Path

from opwright_build.engine.publish import TEMPORARY
from opwright_build.engine.seal import Seal
from opwright_build.engine.state_file import StateFile
from opwright_build.engine.system_errors import cannot_be
from opwright_build.engine.tree import Tree, create

JOURNAL = "release.json"
# All that a release, or `add`, writes itself; None removes a file.
_WRITTEN = re.compile(
    r"specs/library\.yaml|specs/[^/]+/released/[^/]+|dist/[^/]+\.md|specs/dependencies\.lock|specs/vendor/[^/]+\.onnxlib"
)
Files = Mapping[str, bytes | None]


class Transaction:
    """The record of a library's working folder, and what it is about: the files below `tree`."""

    def __init__(self, tree: Tree, work: Path, seal: Seal | None) -> None:
        self._tree = tree
        self._path = work / JOURNAL
        self._journal = StateFile(self._path, seal)

    def write(self, files: Files) -> None:
        """Writes and removes the files. InfrastructureError where the disk refuses, DiagnosticError where a link or a
        folder is in the way."""
        for path in files:
            self._require(path)
        try:
            shown = {path: None if data is None else base64.b64encode(data).decode() for path, data in files.items()}
            self._journal.save({"files": shown})
            _settle(self._path)
            self._apply(files)
            self._path.unlink(missing_ok=True)
        except OSError as error:
            kept = self._journal.exists()
            help_ = "make room, or give this user access: the next command finishes what was begun" if kept else ""
            raise cannot_be("written", "a file of the release", error, help_) from error

    def finish(self) -> None:
        """Finishes what a process that died had begun."""
        if not self._path.is_symlink() and self._path.is_file():
            files = self._journal.load().get("files", {})
            try:
                wanted = {path: None if text is None else base64.b64decode(text) for path, text in files.items()}
            except (binascii.Error, TypeError, AttributeError):
                wanted = {}
            if all(_WRITTEN.fullmatch(path) for path in wanted):
                for path in wanted:
                    self._require(path)
                self._apply(wanted)
            self._path.unlink(missing_ok=True)

    def _require(self, path: str) -> None:
        if not _WRITTEN.fullmatch(path):
            raise ValueError(f"no file of a release: {path}")
        self._tree.require_file(path)

    def _apply(self, files: Files) -> None:
        for path, data in files.items():
            target = self._tree.root / path
            if data is None:
                target.unlink(missing_ok=True)
            else:
                _put(target, data)


def _put(path: Path, data: bytes) -> None:
    """Puts a file there, whole or not at all, and on the disk."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}{TEMPORARY}")
    temporary.unlink(missing_ok=True)
    create(temporary, data, durable=True)
    temporary.replace(path)
    _settle(path)


def _settle(path: Path) -> None:
    """Waits until the disk has a file and its name."""
    for target in (path, path.parent):
        if not target.exists():
            continue
        try:
            descriptor = os.open(target, os.O_RDONLY)
        except OSError:  # folders cannot be opened everywhere
            continue
        try:
            os.fsync(descriptor)
        except OSError:
            pass
        finally:
            os.close(descriptor)
