"""An index of libraries as static files: what any web server, or a folder, serves.

`opwright-index.json` lists releases with their functions and the sizes and digests of their files; these lie at
`files/<library>/<version>/<name>`, which no index can say otherwise. What is read was written by a stranger: every name
has its form, every number its limit, and a reader that finds anything else takes nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeGuard

from opwright.bundle.format import MOST_BYTES, SUFFIX
from opwright.bundle.function_lookup import split_identity
from opwright.bundle.normal_name import normal_name

from opwright_build.engine.content_digest import Json
from opwright_build.publication.artefacts import MOST_FILES, is_file_name
from opwright_build.spec.name_patterns import DISTRIBUTION, PACKAGE, matches

INDEX_FILE = "opwright-index.json"
MOST_INDEX_BYTES = 1 << 26
MOST_RELEASES = 100_000
_MOST_NAME = 100
_MOST_TEXT = 2_000
_MOST_OPSET = 10_000
_FORMAT = 1
_VERSION = re.compile(r"(?:0|[1-9][0-9]{0,8})(?:\.(?:0|[1-9][0-9]{0,8})){2}", re.ASCII)
_SHA256 = re.compile(r"[0-9a-f]{64}", re.ASCII)
_IDENTITY = re.compile(r"[A-Za-z0-9_.-]{1,200}::[A-Za-z0-9_]{1,200}@[1-9][0-9]{0,8}", re.ASCII)


class NoIndexError(ValueError):
    """The bytes are no index; the message says why, as the end of a sentence."""


@dataclass(frozen=True, slots=True)
class ListedFile:
    name: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class ListedRelease:
    """A release of a library. `functions` are identities, sorted; `files` are sorted by name, one of them a bundle."""

    library: str
    version: str
    package: str
    summary: str
    license: str
    opsets: tuple[int, int]
    functions: tuple[str, ...]
    files: tuple[ListedFile, ...]

    @property
    def bundle(self) -> ListedFile:
        return next(file for file in self.files if file.name.endswith(SUFFIX))

    @property
    def numbers(self) -> tuple[int, ...]:
        """What releases are ordered by."""
        return tuple(int(number) for number in self.version.split("."))

    def path_of(self, file: ListedFile) -> str:
        """Where a file lies in the index."""
        return f"files/{normal_name(self.library)}/{self.version}/{file.name}"


def is_release_number(text: str) -> bool:
    """Whether a release of an index may have that number: three of them."""
    return _VERSION.fullmatch(text) is not None


def write_index(releases: Iterable[ListedRelease]) -> bytes:
    """The bytes of INDEX_FILE: the same for the same releases, in whatever order."""
    ordered = sorted(releases, key=lambda item: (normal_name(item.library), item.numbers))
    listed = [
        {
            "library": item.library,
            "version": item.version,
            "package": item.package,
            "summary": item.summary,
            "license": item.license,
            "opsets": list(item.opsets),
            "functions": list(item.functions),
            "files": [{"name": file.name, "size": file.size, "sha256": file.sha256} for file in item.files],
        }
        for item in ordered
    ]
    return (json.dumps({"format": _FORMAT, "releases": listed}, sort_keys=True) + "\n").encode()


def read_index(data: bytes) -> list[ListedRelease]:
    """The releases, in their order. NoIndexError for what `write_index` does not write; further keys may be there."""
    if len(data) > MOST_INDEX_BYTES:
        raise NoIndexError(f"is larger than {MOST_INDEX_BYTES:,} bytes")
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        raise NoIndexError("is no JSON") from None
    if not isinstance(value, Mapping) or value.get("format") != _FORMAT or isinstance(value["format"], bool):
        raise NoIndexError(f"is not of format {_FORMAT}")
    rows = value.get("releases")
    if not isinstance(rows, list) or len(rows) > MOST_RELEASES:
        raise NoIndexError("has no list of releases")
    found = [_release(row) for row in rows]
    if len({(normal_name(item.library), item.version) for item in found}) < len(found):
        raise NoIndexError("lists a release twice")
    return found


def _release(row: Json) -> ListedRelease:
    if not isinstance(row, Mapping):
        raise NoIndexError("has a release that is no object")
    library = _text(row, "library", _MOST_NAME)
    if not matches(DISTRIBUTION, library):
        raise NoIndexError(f"has {library!r} as the name of a library")
    version = _text(row, "version", _MOST_NAME)
    if not is_release_number(version):
        raise NoIndexError(f"has {version!r} as a release of {library}")
    package = _text(row, "package", _MOST_NAME)
    if not matches(PACKAGE, package):
        raise NoIndexError(f"has {package!r} as the package of {library}")
    functions, files = row.get("functions"), row.get("files")
    if not _is_identities(functions):
        raise NoIndexError(f"has what is no function in {library} {version}")
    match row.get("opsets"):
        case [first, last] if _is_number(first, _MOST_OPSET) and _is_number(last, _MOST_OPSET):
            opsets = first, last
        case _:
            raise NoIndexError(f"has what are no opsets in {library} {version}")
    if not isinstance(files, list) or not 0 < len(files) <= MOST_FILES:
        raise NoIndexError(f"has no files of {library} {version}")
    listed = tuple(_file(item) for item in files)
    if len({file.name for file in listed}) < len(listed):
        raise NoIndexError(f"names a file of {library} {version} twice")
    if [file.name for file in listed if file.name.endswith(SUFFIX)] != [f"{library}-{version}{SUFFIX}"]:
        raise NoIndexError(f"does not name the bundle of {library} {version}")
    summary, license_ = _text(row, "summary", _MOST_TEXT), _text(row, "license", _MOST_TEXT)
    return ListedRelease(library, version, package, summary, license_, opsets, tuple(functions), listed)


def _file(row: Json) -> ListedFile:
    if not isinstance(row, Mapping):
        raise NoIndexError("has a file that is no object")
    name, size, digest = _text(row, "name", 255), row.get("size"), _text(row, "sha256", 64)
    if not is_file_name(name):
        raise NoIndexError(f"has {name!r} as the name of a file")
    if not _is_number(size, MOST_BYTES):
        raise NoIndexError(f"has {str(size)[:40]} as the size of {name}")
    if not _SHA256.fullmatch(digest):
        raise NoIndexError(f"has no sha256 of {name}")
    return ListedFile(name, size, digest)


def _text(row: Mapping[str, Json], key: str, most: int) -> str:
    value = row.get(key)
    if not isinstance(value, str) or len(value) > most or not (value.isprintable() or not value):
        raise NoIndexError(f"has no text of one line, of at most {most} characters, as `{key}`")
    return value


def _is_number(value: Json, most: int) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most


def _is_identities(value: Json) -> TypeGuard[list[str]]:
    return isinstance(value, list) and all(
        isinstance(item, str) and _IDENTITY.fullmatch(item) and split_identity(item) for item in value
    )
