"""What a build comes to, after an edit and from nothing."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Opwright = Callable[..., Any]
Built = tuple[int, list[Any], dict[str, bytes], str]


def built(opwright: Opwright) -> Built:
    """Of the library in the current folder: the status and findings, the files, and what is told of opsets."""
    ran = opwright("build", "--json", "-j", "1")
    findings = [line for line in ran.lines if line["event"] == "finding"]
    files = [path for folder in ("dist", "library") for path in sorted(Path(folder).rglob("*")) if path.is_file()]
    contents = {path.as_posix(): path.read_bytes() for path in files}
    if ran.status:
        return ran.status, findings, {}, ""
    return ran.status, findings, contents, opwright("opsets", "--json").out + opwright("ls", "--json").out


def built_elsewhere(root: Path, clean: Path, monkeypatch: pytest.MonkeyPatch, opwright: Opwright) -> Built:
    """Of a library, in a folder that has its specs and no results."""
    shutil.copytree(root / "specs", clean / "specs")
    with monkeypatch.context() as elsewhere:
        elsewhere.chdir(clean)
        found = built(opwright)
    shutil.rmtree(clean)
    return found
