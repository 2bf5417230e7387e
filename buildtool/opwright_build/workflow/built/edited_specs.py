"""Spec files that were edited: the versions that they declare now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from opwright.diagnostics.diagnostic import DiagnosticError

from opwright_build.engine.content_digest import digest_bytes
from opwright_build.engine.sources import FILE, Sources
from opwright_build.spec.load import load_functions
from opwright_build.spec.model import SpecVersion

_HEEDED = b"opwright:"  # of comments


def versions_now(root: Path, folders: Mapping[str, Sequence[str]], sources: Sources) -> tuple[SpecVersion, ...] | None:
    """The versions of these functions, by domain; all domains of the library are among them.

    None where anything is found, where a comment is heeded, and where a file is not as `sources` have it.
    """
    try:
        loaded = load_functions(root, folders)
    except DiagnosticError:
        return None
    specs = (f"specs/{domain}/{name}/spec.yaml" for domain, names in folders.items() for name in names)
    if loaded.diagnostics or loaded.broken or any(_HEEDED in loaded.sources[path] for path in specs):
        return None
    if any(sources.digest(f"{FILE}:{path}") != digest_bytes(data) for path, data in loaded.sources.items()):
        return None
    return loaded.versions
