"""A folder that a command fills, and fills again: a list that lies in it says which files are the command's own."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from opwright_build.engine.tree import Tree, read_regular, stays_inside
from opwright_build.workflow.opened.status import usage_error
from opwright_build.workflow.opened.writing import write_file


@dataclass(frozen=True, slots=True)
class OwnedFolder:
    """`manifest` is the name of the list, `schema` what it says it is, `whose` are the files, as a person says it.

    The list has the files under `files`, or under `cases`, each with its `folder`.
    """

    manifest: str
    schema: str
    whose: str

    def known_files(self, output: Path) -> list[str]:
        """The files that an earlier run has left in the folder. UsageError where the folder holds anything else."""
        try:
            if not output.exists() or (output.is_dir() and not any(output.iterdir())):
                return []
            told = json.loads(read_regular(output / self.manifest))
            if told["schema"] == self.schema:
                return [path for path in _listed(told) if stays_inside(path)]
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            pass
        message = f"{os.path.relpath(output)} holds other files than {self.whose}"
        raise usage_error(message, help="name a folder that is new or empty")

    def write(self, output: Path, known: Sequence[str], files: Mapping[str, bytes], manifest: bytes) -> None:
        """The files, and the list of them; what an earlier run has left besides is removed.

        DiagnosticError (OW520, OW521), before anything is changed, where one of them lies behind a link or is none.
        """
        tree = Tree(output)
        for path in (*known, *files):
            tree.require_file(path)
        for path in known:
            if path not in files:
                (output / path).unlink(missing_ok=True)
                _remove_empty(output, path)
        for path, data in files.items():
            write_file(output / path, data)
        write_file(output / self.manifest, manifest)


def _listed(told: Mapping[str, object]) -> Iterator[str]:
    if "files" in told:
        yield from _names(told["files"])
        return
    cases = told["cases"]
    for case in cases if isinstance(cases, list) else ():
        yield from (f"{case['folder']}/{path}" for path in _names(case["files"]))


def _names(files: object) -> Iterator[str]:
    yield from (path for path in (files if isinstance(files, dict) else {}) if isinstance(path, str))


def _remove_empty(output: Path, path: str) -> None:
    """The folders that were there for this file alone."""
    for folder in list((output / path).parents):
        if folder == output:
            return
        try:
            folder.rmdir()
        except OSError:
            return
