"""The content-addressed store: blobs by digest, and for each action key the records of its outcomes.

    <root>/blobs/<2 digits>/<sha256>         immutable bytes
    <root>/records/<2 digits>/<key>/<name>   an outcome and the reads it rests on, sealed for the key

Writes are atomic and put-if-absent, so any number of processes may share one store. A blob or record whose bytes
do not match their digest is dropped, reported, and counts as missing. A blob proves itself; a record counts only with
the seal of its reader, whose secret also gives it its name. A store that cannot be reached raises; it is never taken
for an empty one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Severity

from opwright_build.engine.action import Record, decode_record, encode_record
from opwright_build.engine.content_digest import digest_bytes, is_digest
from opwright_build.engine.seal import Seal, Unsealed
from opwright_build.engine.tree import Tree, read_regular, write_whole
from opwright_build.engine.user_secret import VARIABLE

RECORDS_PER_KEY = (
    8  # a key's older records serve switching between branches; more would make look-ups linear in history
)


class InfrastructureError(DiagnosticError):
    """The machine, not the input, is at fault: disk full, no permission, cache out of reach."""


class Store(Protocol):
    """Where results are kept. All methods raise InfrastructureError when the store is out of reach."""

    @property
    def warnings(self) -> list[Diagnostic]: ...

    def get(self, digest: str) -> bytes | None: ...

    def has(self, digest: str) -> bool: ...

    def put(self, data: bytes) -> str: ...

    def records(self, key: str) -> Iterator[Record]: ...

    def add_record(self, key: str, record: Record) -> bool: ...


class LocalStore:
    """A store in a local folder, made on the first write.

    The folder may come with a checkout: what lies in it is believed only as far as its digest or our seal proves it,
    and no link in it is followed (DiagnosticError, OW520 and OW521). Without a seal records are kept in memory, for
    this process alone. It pickles as its path: a worker stores blobs, and the secret stays here.
    """

    def __init__(self, root: Path, seal: Seal | None = None) -> None:
        self.root = root
        self._seal = seal
        self._tree = Tree(root)
        self._unsealed: set[Unsealed] = set()
        self._held: dict[str, dict[str, Record]] = {}  # without a seal: by key and trace

    def __reduce__(self) -> tuple[object, ...]:
        return (LocalStore, (self.root,))

    @property
    def warnings(self) -> list[Diagnostic]:
        """What was wrong with the store so far."""
        return [finding for why, finding in _WARNINGS.items() if why in self._unsealed]

    def get(self, digest: str) -> bytes | None:
        """The blob's bytes; None when it is missing or damaged."""
        path = self._blob(digest)
        data = self._read(path)
        if data is not None and digest_bytes(data) != digest:
            self._drop_damaged(path)
            return None
        return data

    def has(self, digest: str) -> bool:
        """Whether the blob is there; its bytes are checked only by `get`."""
        path = self._blob(digest)
        self._require(path)
        return path.is_file()

    def put(self, data: bytes) -> str:
        """Stores the blob unless it is there already, and gives its digest."""
        digest = digest_bytes(data)
        if self.get(digest) is None:
            self._write(self._blob(digest), data)
        return digest

    def records(self, key: str) -> Iterator[Record]:
        """The records of a key, the latest written first."""
        folder = self._folder(key)
        if self._seal is None:
            yield from reversed(self._held.get(key, {}).values())
            return
        ours, foreign = False, False
        for path in self._by_age(folder):
            body = self._open(self._seal, key, path)
            record = decode_record(body) if isinstance(body, bytes) else None
            if record is not None:
                ours = True
                yield record
            foreign |= body is Unsealed.FOREIGN
        if foreign and not ours:  # where results of several users lie, each one's own come first
            self._unsealed.add(Unsealed.FOREIGN)

    def add_record(self, key: str, record: Record) -> bool:
        """Keeps the record. False when the store holds another outcome for the same key and reads; that one stays."""
        folder = self._folder(key)
        if self._seal is None:
            return self._held.setdefault(key, {}).setdefault(record.trace, record).outcome == record.outcome
        path = folder / self._seal.name(record.trace)
        body = encode_record(record)
        existing = self._open(self._seal, key, path)
        if isinstance(existing, bytes):
            return existing == body
        self._write(path, self._seal.close(_purpose(key), body))
        others = [other for other in self._by_age(folder) if other != path]  # they may claim to be of tomorrow
        for stale in others[RECORDS_PER_KEY - 1 :]:
            stale.unlink(missing_ok=True)
        return True

    def _open(self, seal: Seal, key: str, path: Path) -> bytes | Unsealed | None:
        """The body of a record of ours; None when there is none of that name (any more)."""
        data = self._read(path)
        if data is None:
            return None
        body = seal.open(_purpose(key), data)
        if body is Unsealed.DAMAGED:
            self._drop_damaged(path)
        return body

    def _require(self, path: Path) -> None:
        self._tree.require_file(path.relative_to(self.root).as_posix())

    def _blob(self, digest: str) -> Path:
        return self.root / "blobs" / _checked(digest)[:2] / digest

    def _folder(self, key: str) -> Path:
        return self.root / "records" / _checked(key)[:2] / key

    def _by_age(self, folder: Path) -> list[Path]:
        self._tree.require_folder(folder.relative_to(self.root).as_posix())
        try:
            with os.scandir(folder) as entries:
                listed = [(entry.stat(follow_symlinks=False), entry.name) for entry in entries if is_digest(entry.name)]
            found = [(-status.st_mtime_ns, name) for status, name in listed]
        except FileNotFoundError:
            return []
        except OSError as error:
            raise _unreachable(self.root, error) from error
        return [folder / name for _, name in sorted(found)]

    def _read(self, path: Path) -> bytes | None:
        self._require(path)
        try:
            return read_regular(path)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _unreachable(self.root, error) from error

    def _write(self, path: Path, data: bytes) -> None:
        self._require(path)
        try:
            write_whole(path, data)
        except OSError as error:
            raise _unreachable(self.root, error) from error

    def _drop_damaged(self, path: Path) -> None:
        path.unlink(missing_ok=True)
        self._unsealed.add(Unsealed.DAMAGED)


def _checked(digest: str) -> str:
    if not is_digest(digest):  # it becomes a part of a path
        raise ValueError(f"not a digest: {digest!r}")
    return digest


_DAMAGED = Diagnostic(
    code="OW901",
    message="damaged entries of the build cache were dropped",
    reason="their bytes are not those that were stored",
    help="nothing to do: what is missing is built again; if it happens often, check the disk",
    severity=Severity.WARNING,
)
_FOREIGN = Diagnostic(
    code="OW914",
    message="results in the build cache that were sealed with another secret were not used",
    reason="another user made them, or somebody who wants them to be believed; a cache is of use to its maker alone",
    help=f"nothing to do: it is built again. Where CI restores a cache, give each of its runs the same {VARIABLE}",
    severity=Severity.WARNING,
)
_WARNINGS = {Unsealed.DAMAGED: _DAMAGED, Unsealed.FOREIGN: _FOREIGN}


def _purpose(key: str) -> str:
    return f"record {key}"


def _unreachable(root: Path, error: OSError) -> InfrastructureError:
    return InfrastructureError(
        [
            Diagnostic(
                code="OW902",
                message=f"the build cache {root.name!r} cannot be used: {error.strerror or type(error).__name__}",
                reason="a cache out of reach is not taken for an empty one",
                help="free or repair the folder, or choose another with --cache FOLDER",
            )
        ]
    )
