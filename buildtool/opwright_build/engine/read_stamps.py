"""What a result of many files rests on, asked of the system in one go.

The result of a library rests on tens of thousands of files. Of those reads that held last, a file of the working folder
has what the system said of each of these files then: a look-up compares that with what it says now, and whoever edits
one file is told of that file alone. The rule by which such a stamp tells a digest is that of `hints`.

    <head: JSON>\\n<the paths of the files, a line each>\\0<their stamps, 32 bytes each><their digests, 64 bytes each>

Losing it costs time only.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from struct import Struct
from struct import error as StructError

from opwright_build.engine.action import PackedReads, Read, pack_reads
from opwright_build.engine.content_digest import canonical_json, is_digest
from opwright_build.engine.hints import FileHints
from opwright_build.engine.sources import FILE, LIST, Sources, digest_now
from opwright_build.engine.state_file import StateFile

FORMAT = 1
_STAMP = Struct("<3qQ")  # size, mtime, ctime, inode
_UNKNOWN = _STAMP.pack(-1, 0, 0, 0)  # of a file that may have changed again within the same tick
_DIGEST = 64
_FILE = f"{FILE}:"
_FEW = 0.01  # of the files, whose stamps are not known: they are rather read again than all are written


@dataclass(frozen=True, slots=True)
class _Stamped:
    """Reads whose digest is `trace`: the files among them that have stamps, and the others."""

    trace: str
    paths: list[str]
    stamps: bytes
    digests: bytes
    others: list[Read]

    @property
    def unknown(self) -> int:
        """The number of files whose stamps would have to be looked for again."""
        return self.stamps.count(_UNKNOWN) + sum(read.name.startswith(_FILE) for read in self.others)

    def encode(self) -> bytes:
        head = canonical_json({"format": FORMAT, "trace": self.trace, "files": len(self.paths), "others": self.others})
        paths = "\n".join(self.paths).encode("utf-8", "surrogateescape")
        return b"".join((head, b"\n", paths, b"\0", self.stamps, self.digests))

    @classmethod
    def decode(cls, body: bytes) -> _Stamped | None:
        """What `encode` gave; None for other bytes."""
        line, _, rest = body.partition(b"\n")
        head = json.loads(line) if line else {}
        if not isinstance(head, dict) or head.get("format") != FORMAT:
            return None
        paths, _, columns = rest.partition(b"\0")
        count = head["files"]
        end = count * _STAMP.size
        listed = paths.decode("utf-8", "surrogateescape").split("\n") if count else []
        return cls(
            head["trace"], listed, columns[:end], columns[end:], [Read(name, digest) for name, digest in head["others"]]
        )


_NOTHING = _Stamped("", [], b"", b"", [])


class ReadStamps:
    """Such a file. `rehash` ignores what it has."""

    def __init__(self, file: StateFile, root: Path, hints: FileHints, sources: Sources, rehash: bool = False) -> None:
        self._file = file
        self._root = f"{os.fspath(root)}/"
        self._hints = hints
        self._sources = sources
        self._rehash = rehash
        self._held: PackedReads | None = None

    @cached_property
    def _known(self) -> _Stamped:
        return _NOTHING if self._rehash else _Stamped.decode(self._file.load_body()) or _NOTHING

    @cached_property
    def _changed(self) -> dict[str, str | None]:
        """What is not as those reads say, by name, with what it is now."""
        known, lstat, root = self._known, os.lstat, self._root
        found: dict[str, str | None] = {}
        for name, digest in known.others:  # the listing among them, which says that all folders are real ones
            now = digest_now(self._sources, name)
            if now != digest:
                found[name] = now
        for number, (path, stamp) in enumerate(zip(known.paths, _STAMP.iter_unpack(known.stamps), strict=True)):
            try:
                status = lstat(root + path)
                same = stamp == (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
            except (OSError, ValueError):
                same = False
            if not same:
                now = digest_now(self._sources, _FILE + path)
                if now is None or now.encode("ascii") != known.digests[_DIGEST * number : _DIGEST * (number + 1)]:
                    found[_FILE + path] = now
        return found

    def changed(self, trace: str) -> dict[str, str | None] | None:
        """Which of the reads of that digest are something else now, by name; None where no stamps of them are known."""
        return self._changed if trace == self._known.trace else None

    def may_hold(self, reads: PackedReads) -> bool:
        """Whether reads of which no stamps are known may hold, as far as what has changed of others tells."""
        return all(reads.may_have(Read(name, digest)) for name, digest in self._changed.items())

    def note(self, reads: Sequence[Read]) -> None:
        """These hold now: `save` writes their stamps."""
        self._held = pack_reads(reads)

    def save(self) -> None:
        """Writes the stamps for the next run, if they are others than those that are known. Failures are ignored."""
        reads, known = self._held, self._known
        if reads is None or (reads.digest == known.trace and known.unknown <= len(known.paths) * _FEW):
            return
        now = self._restamped(reads) or self._stamped(reads)
        if reads.digest != known.trace or now.unknown < known.unknown:
            with contextlib.suppress(OSError):
                self._file.save_body(now.encode())
        self._held = None

    def _restamped(self, reads: PackedReads) -> _Stamped | None:
        """The same as `_stamped`, made of the stamps that are known, where the reads are those but for few."""
        known = self._known
        if reads.origin is None or reads.origin[0] != known.trace:
            return None
        changed = reads.origin[1]
        names = {name.removeprefix(_FILE): name for name in changed}
        places = {path: number for number, path in enumerate(known.paths) if path in names}
        stamps, digests = bytearray(known.stamps), bytearray(known.digests)
        for path, name in names.items():
            number, digest = places.get(path), changed[name]
            if number is None or digest is None or not is_digest(digest):
                return None
            stamps[_STAMP.size * number : _STAMP.size * (number + 1)] = self._stamp(path, digest)
            digests[_DIGEST * number : _DIGEST * (number + 1)] = digest.encode("ascii")
        return _Stamped(reads.digest, known.paths, bytes(stamps), bytes(digests), known.others)

    def _stamp(self, path: str, digest: str) -> bytes:
        stamp = self._hints.stamp(self._root + path, digest)
        try:
            return _UNKNOWN if stamp is None else _STAMP.pack(*stamp)
        except StructError:  # some filesystems have inodes of 128 bits
            return _UNKNOWN

    def _stamped(self, reads: PackedReads) -> _Stamped:
        folders = frozenset(self._listed(reads))
        paths: list[str] = []
        stamps: list[bytes] = []
        digests: list[str] = []
        others: list[Read] = []
        for read in reads:
            name, digest = read
            full = self._root + name.removeprefix(_FILE)
            is_listed = name.startswith(_FILE) and full.rpartition("/")[0] in folders and "\n" not in name
            if digest is None or not is_digest(digest) or not is_listed:
                others.append(read)
                continue
            paths.append(name.removeprefix(_FILE))
            stamps.append(self._stamp(paths[-1], digest))
            digests.append(digest)
        return _Stamped(reads.digest, paths, b"".join(stamps), "".join(digests).encode("ascii"), others)

    def _listed(self, reads: Iterable[Read]) -> Iterable[str]:
        """The folders below which everything is told by a listing that is among the reads."""
        for name, _ in reads:
            if name.startswith(f"{LIST}:"):
                yield from self._hints.listed_folders(self._root + name.removeprefix(f"{LIST}:"))
