"""A store that several machines share, in front of which each has its own.

    <root>/blobs/<2 digits>/<sha256>        immutable bytes
    <root>/signed/<2 digits>/<key>/<name>   an outcome and the reads it rests on, signed for the key

A blob proves itself; a record counts only with a signature of a key that is trusted. What is not believed is a miss,
and stays where it is: others may believe it. A store out of reach is an error, never a miss.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

from opwright.diagnostics.diagnostic import Diagnostic, Severity
from opwright.regular_file import read_regular

from opwright_build.engine.action import Done, Record, decode_record, encode_record
from opwright_build.engine.content_digest import digest_bytes, is_digest
from opwright_build.engine.seal import Unsealed
from opwright_build.engine.signatures import Keys
from opwright_build.engine.store import InfrastructureError, LocalStore
from opwright_build.engine.tree import MOST_BYTES, Tree, write_whole

MOST_RECORD_BYTES = 1 << 26
MOST_RECORDS = 32  # that are looked at for one key


class Files(Protocol):
    """Where a shared store keeps its files, by POSIX paths. All methods raise InfrastructureError when it is out of
    reach."""

    def read(self, path: str, most: int) -> bytes | None:
        """The bytes of a file; None where there is none, or one of more than `most` bytes."""

    def exists(self, path: str) -> bool: ...

    def write(self, path: str, data: bytes) -> None:
        """Whole or not at all, in place of what is there."""

    def names(self, folder: str, most: int) -> Sequence[str]:
        """At most so many names of files in a folder, those written last first; none where there is no folder."""


class FolderFiles:
    """Files in a folder of this machine or of one that is mounted. No link in it is followed (OW520, OW521)."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._tree = Tree(root)
        self._require_root()

    def read(self, path: str, most: int) -> bytes | None:
        self._tree.require_file(path)
        try:
            if os.lstat(self.root / path).st_size > most:
                return None
            return read_regular(self.root / path, most)
        except FileNotFoundError:
            self._require_root()
            return None
        except OSError as error:
            raise _unreachable(self.root, error) from error

    def exists(self, path: str) -> bool:
        self._tree.require_file(path)
        if (self.root / path).is_file():
            return True
        self._require_root()
        return False

    def write(self, path: str, data: bytes) -> None:
        self._tree.require_file(path)
        self._require_root()
        try:
            write_whole(self.root / path, data)
        except OSError as error:
            raise _unreachable(self.root, error) from error

    def names(self, folder: str, most: int) -> Sequence[str]:
        self._tree.require_folder(folder)
        try:
            with os.scandir(self.root / folder) as entries:
                listed = [(-entry.stat(follow_symlinks=False).st_mtime_ns, entry.name) for entry in entries]
        except FileNotFoundError:
            self._require_root()
            return ()
        except OSError as error:
            raise _unreachable(self.root, error) from error
        return [name for _, name in sorted(listed)][:most]

    def _require_root(self) -> None:
        """A folder that is gone, such as one that is no longer mounted, is no empty store."""
        try:
            os.scandir(self.root).close()
        except OSError as error:
            raise _unreachable(self.root, error) from error


class SharedStore:
    """Signed records and blobs in `files`. With `writes` and a key to sign with, results are added; else it is read."""

    def __init__(self, files: Files, keys: Keys, writes: bool) -> None:
        self._files = files
        self._keys = keys
        self.signer = keys.signer if writes else None
        self._foreign = False

    @property
    def warnings(self) -> list[Diagnostic]:
        return [_FOREIGN] if self._foreign else []

    def get(self, digest: str) -> bytes | None:
        """The blob's bytes; None when it is missing or is another one's."""
        data = self._files.read(_blob(digest), MOST_BYTES)
        return data if data is not None and digest_bytes(data) == digest else None

    def has(self, digest: str) -> bool:
        return self._files.exists(_blob(digest))

    def records(self, key: str) -> Iterator[Record]:
        """The records of a key that are signed with keys that are trusted, the latest written first."""
        folder = _folder(key)
        for name in self._files.names(folder, MOST_RECORDS):
            body = self._open(key, f"{folder}/{name}") if is_digest(name) else None
            record = decode_record(body) if isinstance(body, bytes) else None
            if record is not None:
                yield record
            self._foreign |= body is Unsealed.FOREIGN

    def add(self, key: str, record: Record, local: LocalStore) -> bool:
        """Signs and keeps a record, with the blobs that it names. False when ours of those reads says otherwise."""
        if self.signer is None:
            return True
        path = f"{_folder(key)}/{digest_bytes(f'{self.signer.public} {record.trace}'.encode())}"
        body = encode_record(record)
        existing = self._open(key, path)
        if isinstance(existing, bytes) and existing != body:
            return False
        outputs = record.outcome.outputs.values() if isinstance(record.outcome, Done) else ()
        for digest in dict.fromkeys(outputs):  # before the record: others see whole results
            data = None if self.get(digest) is not None else local.get(digest)
            if data is not None:
                self._files.write(_blob(digest), data)
        if existing != body:
            self._files.write(path, self.signer.close(_purpose(key), body))
        return True

    def _open(self, key: str, path: str) -> bytes | Unsealed | None:
        data = self._files.read(path, MOST_RECORD_BYTES)
        return None if data is None else self._keys.open(_purpose(key), data)


class LayeredStore:
    """This machine's store, and a shared one behind it. Blobs that are fetched are kept here; results that are made
    are kept in both. It pickles as the store of this machine: workers store blobs, and the keys stay here."""

    def __init__(self, local: LocalStore, shared: SharedStore) -> None:
        self._local = local
        self._shared = shared

    def __reduce__(self) -> tuple[object, ...]:
        return (LocalStore, (self._local.root,))

    @property
    def warnings(self) -> list[Diagnostic]:
        return [*self._local.warnings, *self._shared.warnings]

    def get(self, digest: str) -> bytes | None:
        data = self._local.get(digest)
        if data is None:
            data = self._shared.get(digest)
            if data is not None:
                self._local.put(data)
        return data

    def has(self, digest: str) -> bool:
        """Whether the blob can be had: one of the shared store is fetched now, since its name may lie there alone."""
        return self._local.has(digest) or self.get(digest) is not None

    def put(self, data: bytes) -> str:
        return self._local.put(data)

    def records(self, key: str) -> Iterator[Record]:
        """Those of this machine first."""
        yield from self._local.records(key)
        yield from self._shared.records(key)

    def add_record(self, key: str, record: Record) -> bool:
        same = self._local.add_record(key, record)
        return self._shared.add(key, record, self._local) and same


def _blob(digest: str) -> str:
    return f"blobs/{_checked(digest)[:2]}/{digest}"


def _folder(key: str) -> str:
    return f"signed/{_checked(key)[:2]}/{key}"


def _checked(digest: str) -> str:
    if not is_digest(digest):  # it becomes a part of a path
        raise ValueError(f"not a digest: {digest!r}")
    return digest


def _purpose(key: str) -> str:
    return f"record {key}"


_FOREIGN = Diagnostic(
    code="OW919",
    message="results in the shared cache that no trusted key has signed were not used",
    reason="another signer made them, or somebody who wants them to be believed",
    help="nothing to do: it is built again; a signer that is to be believed is added to the trusted keys",
    severity=Severity.WARNING,
)


def _unreachable(root: Path, error: OSError) -> InfrastructureError:
    reason = "a cache out of reach is not taken for an empty one"
    help_ = "make the folder, mount it, or unset OPWRIGHT_SHARED_CACHE"
    message = f"the shared cache {root.name!r} cannot be used: {error.strerror or type(error).__name__}"
    return InfrastructureError([Diagnostic("OW918", message, reason=reason, help=help_)])
