"""What results depend on besides inputs: the build tool's own sources, the packages it computes with, the language."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from opwright_build.engine.content_digest import digest_bytes, digest_fields

SOURCE_ENDINGS = (".py", ".jinja2", ".jsonl")
_METADATA = (".dist-info", ".egg-info")  # endings of the folders that say what is installed
_NATIVE = (".so", ".pyd", ".dll", ".dylib")


class FileDigests(Protocol):
    """What tells the digests of files, such as `FileHints`; None for one that is not there."""

    def digest(self, path: str, /) -> str | None: ...


def environment_parts(sources: str, distributions: Sequence[str]) -> dict[str, str]:
    """The parts of the environment by name: our own sources, by their digest, Python's grammar, distributions'
    versions."""
    parts = {
        "the build tool's own sources": sources,
        "Python": f"{sys.version_info.major}.{sys.version_info.minor}",
    }
    versions = installed_versions(distributions)
    return parts | {name: versions.get(name, "absent") for name in distributions}


def sources_digest(folders: Sequence[Path], hints: FileDigests) -> str:
    """The digest of the names and the bytes of all sources below folders."""
    fields: list[str] = []
    for folder in folders:
        for name, path in _source_files(os.fspath(folder)):
            fields += (f"{folder.name}/{name}", hints.digest(path) or digest_bytes(b""))
    return digest_fields(fields)


def environment_digest(parts: Mapping[str, str]) -> str:
    return digest_fields(text for name in sorted(parts) for text in (name, parts[name]))


def installed_versions(distributions: Sequence[str]) -> dict[str, str]:
    """Versions of installed distributions, read off the names of their metadata folders on `sys.path`.

    `importlib.metadata` would tell the same, but its import alone costs more than a whole null build may.
    """
    wanted = {name.lower().replace("-", "_"): name for name in distributions}
    found: dict[str, str] = {}
    for folder in sys.path:
        try:
            entries = sorted(name for name in os.listdir(folder or ".") if name.endswith(_METADATA))
        except OSError:
            continue
        for entry in entries:
            name, _, version = entry.rpartition(".")[0].partition("-")
            distribution = wanted.get(name.lower().replace("-", "_").replace(".", "_"))
            if distribution is not None:
                found.setdefault(distribution, version.partition("-")[0])
    return found


def installed_build(package: str, folder: Path) -> str:
    """What tells one build of an import package from another of the same release; `folder` is where it is installed.

    The list of files that its distribution was installed with has a digest of each. Where none lists the package, as
    for one that was built in place, it is the stamps of its native libraries.
    """
    prefix = f"{package}/__init__.py,"
    likely = package.lower().replace("-", "_")
    listings = sorted(
        folder.parent.glob("*.dist-info/RECORD"), key=lambda path: not path.parent.name.startswith(likely)
    )
    for listing in listings:
        try:
            data = listing.read_bytes()
        except OSError:
            continue
        if any(line.startswith(prefix) for line in data.decode("utf-8", "replace").splitlines()):
            return digest_bytes(data)
    stamps: list[str] = []
    for path in sorted(path for ending in _NATIVE for path in folder.rglob(f"*{ending}")):
        stamp = path.stat()
        stamps += (path.relative_to(folder).as_posix(), str(stamp.st_size), str(stamp.st_mtime_ns))
    return digest_fields(stamps)


def _source_files(folder: str) -> list[tuple[str, str]]:
    """The sources below a folder, each by its name there and its path."""
    found: list[tuple[str, str]] = []
    for parent, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name != "__pycache__"]
        below = os.path.relpath(parent, folder).replace(os.sep, "/")
        prefix = "" if below == "." else f"{below}/"
        found += ((prefix + name, os.path.join(parent, name)) for name in files if name.endswith(SOURCE_ENDINGS))
    return sorted(found)
