"""The files of a release: what each is, and SHA256SUMS, the list that names them all by their digests."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from opwright.bundle.format import Index

SUMS = "SHA256SUMS"
SIGNATURE = "SHA256SUMS.sig"  # Ed25519, of the bytes of SUMS
SIGNATURE_BYTES = 64
MOST_FILES = 1_000  # of a release
MOST_SUMS_BYTES = 1 << 18

_MEDIA_TYPES = {
    ".whl": "application/vnd.pypi.wheel",
    ".tar.gz": "application/gzip",
    ".onnxlib": "application/vnd.opwright.library",
    ".onnx": "application/vnd.onnx.model",
    ".md": "text/markdown",
    ".intoto.json": "application/vnd.in-toto+json",
}
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,254}", re.ASCII)
_LINE = re.compile(r"([0-9a-f]{64})  (\S+)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Artefact:
    """A file of a release."""

    name: str
    data: bytes

    @property
    def sha256(self) -> str:
        return sha256(self.data).hexdigest()

    @property
    def media_type(self) -> str:
        return next((kind for end, kind in _MEDIA_TYPES.items() if self.name.endswith(end)), "text/plain")


@dataclass(frozen=True, slots=True)
class Release:
    """What is published of a package: the artefacts that its sources decide, the sources, and what says so."""

    index: Index
    artefacts: tuple[Artefact, ...]
    sources: Mapping[str, bytes]
    described: tuple[Artefact, ...]

    @property
    def folder(self) -> str:
        return f"dist/{self.index.library}-{self.index.version}"


def write_sums(artefacts: Iterable[Artefact]) -> bytes:
    """SHA256SUMS as `sha256sum --check` takes it, sorted by name."""
    return "".join(f"{item.sha256}  {item.name}\n" for item in sorted(artefacts, key=lambda item: item.name)).encode()


def read_sums(data: bytes) -> dict[str, str]:
    """The digests by name. ValueError for what `write_sums` does not write; the message ends a sentence."""
    if len(data) > MOST_SUMS_BYTES:
        raise ValueError(f"is longer than {MOST_SUMS_BYTES:,} bytes")
    found: dict[str, str] = {}
    lines = data.decode("ascii", "replace").split("\n")
    if lines.pop():
        raise ValueError("does not end with a line end")
    for number, line in enumerate(lines, 1):
        match = _LINE.fullmatch(line)
        if match is None or not is_file_name(match[2]) or match[2] in (SUMS, SIGNATURE):
            raise ValueError(f"says in line {number} what is no digest and name of a file")
        if match[2] in found:
            raise ValueError(f"names {match[2]} twice")
        found[match[2]] = match[1]
    if not 0 < len(found) <= MOST_FILES:
        raise ValueError(f"names {len(found):,} files")
    return found


def is_file_name(name: str) -> bool:
    """Whether a file of a release may be called so: a plain word, no path."""
    return _NAME.fullmatch(name) is not None


def uploads(artefacts: Sequence[Artefact]) -> list[str]:
    """The names of those that package indexes take."""
    return [item.name for item in artefacts if item.name.endswith((".whl", ".tar.gz"))]
