"""A store that several machines share, in front of which each has its own.

    <root>/signed/<2 digits>/<key>/<name>   an outcome, the reads it rests on and its outputs, signed for the key

A file is a whole result, and counts only with a signature of a key that is trusted. What is not believed is a miss, and
stays where it is: others may believe it. A store out of reach is an error, never a miss.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from opwright.diagnostics.diagnostic import Diagnostic, Severity
from opwright.regular_file import read_regular

from opwright_build.engine.action import Done, Record, decode_entry, encode_entry
from opwright_build.engine.content_digest import digest_bytes, is_digest
from opwright_build.engine.fetch_ahead import FetchAhead
from opwright_build.engine.seal import Unsealed
from opwright_build.engine.signing import Keys
from opwright_build.engine.store import NOTHING, SHARED, LocalStore
from opwright_build.engine.system_errors import InfrastructureError, reason_of
from opwright_build.engine.tree import LEFTOVER, StoredFile, Tree, write_whole
from opwright_build.engine.upkeep import Condition, Kind

MOST_ENTRY_BYTES = 1 << 26
MOST_RECORDS = 32  # that are looked at for one key
_MOST_AHEAD = 1 << 20  # bytes of a result that is fetched before it is asked for

_ENTRY_FILE = re.compile(r"signed/([0-9a-f]{2})/\1[0-9a-f]{62}/[0-9a-f]{64}")

Entry = tuple[Record, dict[str, bytes]]  # with its outputs by digest


@dataclass(frozen=True, slots=True)
class Listed:
    """A file in a listing; the size where the listing says it."""

    name: str
    size: int | None


class Files(Protocol):
    """Where a shared store keeps its files, by POSIX paths. All methods raise InfrastructureError when it is out of
    reach."""

    def read(self, path: str, most: int, size: int | None = None) -> bytes | None:
        """The bytes of a file; None where there is none, or one of more than `most` bytes. `size` is what a listing
        said lately, if any did."""

    def write(self, path: str, data: bytes) -> None:
        """Whole or not at all, in place of what is there."""

    def listed(self, folder: str, most: int) -> Sequence[Listed]:
        """At most so many files in a folder, those written last first; none where there is no folder."""
        ...

    def walk(self, folder: str) -> Iterable[StoredFile]:
        """All files below a folder."""
        ...

    def remove(self, path: str) -> None:
        """Removes a file, if it is there."""


class FolderFiles:
    """Files in a folder of this machine or of one that is mounted. No link in it is followed (OW520, OW521)."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._tree = Tree(root)
        self._require_root()

    def read(self, path: str, most: int, size: int | None = None) -> bytes | None:
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

    def write(self, path: str, data: bytes) -> None:
        self._tree.require_file(path)
        self._require_root()
        try:
            write_whole(self.root / path, data, durable=True)
        except OSError as error:
            raise _unreachable(self.root, error) from error

    def listed(self, folder: str, most: int) -> Sequence[Listed]:
        self._tree.require_folder(folder)
        try:
            with os.scandir(self.root / folder) as entries:
                stats = [(entry.name, entry.stat(follow_symlinks=False)) for entry in entries]
        except FileNotFoundError:
            self._require_root()
            return ()
        except OSError as error:
            raise _unreachable(self.root, error) from error
        found = sorted((-status.st_mtime_ns, name, status.st_size) for name, status in stats)
        return [Listed(name, size) for _, name, size in found[:most]]

    def walk(self, folder: str) -> Iterable[StoredFile]:
        self._require_root()
        return self._tree.walk(folder)

    def remove(self, path: str) -> None:
        self._tree.require_file(path)
        try:
            (self.root / path).unlink(missing_ok=True)
        except OSError as error:
            raise _unreachable(self.root, error) from error

    def _require_root(self) -> None:
        """A folder that is gone, such as one that is no longer mounted, is no empty store."""
        try:
            os.scandir(self.root).close()
        except OSError as error:
            raise _unreachable(self.root, error) from error


@dataclass(frozen=True, slots=True)
class _Fetched:
    """The files of a key, and the bytes of some of them; None for one that was gone."""

    listed: Sequence[Listed]
    data: Mapping[str, bytes | None] = field(default_factory=dict)


class SharedStore:
    """Signed results in `files`. With `writes` and a key to sign with, results are added; else it is read."""

    def __init__(self, files: Files, keys: Keys, writes: bool) -> None:
        self._files = files
        self._keys = keys
        self.signer = keys.signer if writes else None
        self._foreign = False
        self._ahead = FetchAhead(self._fetch)

    @property
    def warnings(self) -> list[Diagnostic]:
        return [_FOREIGN] if self._foreign else []

    def entries(self, key: str, known: Collection[str] = ()) -> Iterator[Entry]:
        """The results of a key that are signed with keys that are trusted, the latest written first; less those of the
        traces that are known."""
        folder = _folder(key)
        unread = {_name(public, trace) for public in self._keys.trusted for trace in known}
        fetched = self._ahead.take(key) or _Fetched(self._files.listed(folder, MOST_RECORDS))
        for file in fetched.listed:
            if not is_digest(file.name) or file.name in unread:
                continue
            data = fetched.data.get(file.name)
            if file.name not in fetched.data:
                data = self._files.read(f"{folder}/{file.name}", MOST_ENTRY_BYTES, file.size)
            body = None if data is None else self._keys.open(_purpose(key), data)
            entry = _whole_entry(body) if isinstance(body, bytes) else None
            if entry is not None:
                yield entry
            self._foreign |= body is Unsealed.FOREIGN

    def expect(self, keys: Iterable[str]) -> None:
        """The results of these keys are asked for next, in about this order: their listings, and the latest result of
        each, are fetched meanwhile. Nothing of it is believed sooner."""
        self._ahead.expect(keys)

    def close(self) -> None:
        """Nothing more is fetched."""
        self._ahead.close()

    def _fetch(self, key: str) -> _Fetched:
        """What a key has there, with the bytes of the latest result if they are few: as a rule it is the one that
        counts. Called in several threads."""
        folder = _folder(key)
        listed = self._files.listed(folder, MOST_RECORDS)
        first = next((file for file in listed if is_digest(file.name)), None)
        if first is None or first.size is None or first.size > _MOST_AHEAD:
            return _Fetched(listed)
        return _Fetched(listed, {first.name: self._files.read(f"{folder}/{first.name}", _MOST_AHEAD, first.size)})

    def add(self, key: str, record: Record, contents: Mapping[str, bytes]) -> bool:
        """Signs and keeps a record with the bytes of its outputs, unless that makes too large a file. False when ours
        of those reads says otherwise; that one stays."""
        if self.signer is None:
            return True
        path = f"{_folder(key)}/{_name(self.signer.public, record.trace)}"
        existing = self._open(key, path)
        known = _whole_entry(existing) if isinstance(existing, bytes) else None
        if known is not None:
            return known[0].outcome == record.outcome
        data = self.signer.close(_purpose(key), encode_entry(record, contents))
        if len(data) <= MOST_ENTRY_BYTES:
            self._files.write(path, data)
        return True

    @property
    def writes(self) -> bool:
        """Whether results are added here."""
        return self.signer is not None

    def files(self) -> Iterable[StoredFile]:
        """All files of the store."""
        return self._files.walk("signed")

    def kind(self, path: str) -> Kind:
        if LEFTOVER.search(path):
            return Kind.LEFTOVER
        return Kind.RESULT if _ENTRY_FILE.fullmatch(path) else Kind.OTHER

    def examine(self, path: str) -> Condition | None:
        data = self._files.read(path, MOST_ENTRY_BYTES)
        if data is None:
            return Condition.UNREADABLE
        body = self._keys.open(_purpose(path.split("/")[2]), data)
        if isinstance(body, Unsealed):
            return Condition.FOREIGN if body is Unsealed.FOREIGN else Condition.DAMAGED
        return Condition.DAMAGED if _whole_entry(body) is None else Condition.GOOD

    def outputs_of(self, path: str) -> Sequence[str]:
        """None: a result is one file here."""
        return ()

    def discard(self, file: StoredFile) -> bool:
        self._files.remove(file.path)
        return True

    def _open(self, key: str, path: str) -> bytes | Unsealed | None:
        data = self._files.read(path, MOST_ENTRY_BYTES)
        return None if data is None else self._keys.open(_purpose(key), data)


class LayeredStore:
    """This machine's store, and a shared one behind it. Results that are made are kept in both, and those of the shared
    one that are used are kept here. It pickles as the store of this machine: the keys stay in this process."""

    def __init__(self, local: LocalStore, shared: SharedStore) -> None:
        self._local = local
        self._shared = shared
        self._fetched: dict[tuple[str, str], Entry] = {}  # by key and trace

    def __reduce__(self) -> tuple[object, ...]:
        return (LocalStore, (self._local.root,))

    @property
    def warnings(self) -> list[Diagnostic]:
        return [*self._local.warnings, *self._shared.warnings]

    def get(self, digest: str) -> bytes | None:
        return self._local.get(digest)

    def has(self, digest: str) -> bool:
        return self._local.has(digest)

    def put(self, data: bytes) -> str:
        return self._local.put(data)

    def hold(self, data: bytes) -> str:
        return self._local.hold(data)

    def held(self, digests: Iterable[str]) -> dict[str, bytes]:
        return self._local.held(digests)

    def get_output(self, key: str, digest: str) -> bytes | None:
        found = self._local.get_output(key, digest)
        if found is not None:
            return found
        for _, contents in self._shared.entries(key):
            if digest in contents:
                self._local.hold(contents[digest])
                return contents[digest]
        return None

    def records(self, key: str) -> Iterator[Record]:
        """Those of this machine first. The outputs of one from the shared store are in memory when it is given."""
        own: list[str] = []
        for record in self._local.records(key):
            if all(map(self._local.has, _kept(record))):
                own.append(record.trace)
            yield record
        for record, contents in self._shared.entries(key, own):
            for data in contents.values():
                self._local.hold(data)
            self._fetched[key, record.trace] = (record, contents)
            yield record

    def expect(self, keys: Iterable[str], is_known: Callable[[Record], bool]) -> None:
        self._shared.expect([key for key in keys if not any(map(is_known, self._local.records(key)))])

    def close(self) -> None:
        self._shared.close()

    def used(self, key: str, record: Record) -> None:
        self._local.used(key, record)
        fetched = self._fetched.pop((key, record.trace), None)
        if fetched is not None:
            self._local.add_record(key, *fetched)

    def add_record(self, key: str, record: Record, made: Mapping[str, bytes] = NOTHING) -> bool:
        same = self._local.add_record(key, record, made)
        kept = _kept(record)
        contents = {
            digest: data for digest in sorted(kept) if (data := self._local.get_output(key, digest)) is not None
        }
        return (self._shared.add(key, record, contents) if contents.keys() == kept else True) and same


def _kept(record: Record) -> set[str]:
    """The digests of the outputs whose bytes are kept."""
    return set(record.outcome.kept().values()) if isinstance(record.outcome, Done) else set()


def _whole_entry(body: bytes) -> Entry | None:
    """What a body says, if that is a record with all outputs that are kept of it."""
    entry = decode_entry(body)
    if entry is None:
        return None
    record, contents = entry
    whole = _kept(record) <= contents.keys() and all(digest_bytes(data) == name for name, data in contents.items())
    return entry if whole else None


def _folder(key: str) -> str:
    if not is_digest(key):  # it becomes a part of a path
        raise ValueError(f"not a digest: {key!r}")
    return f"signed/{key[:2]}/{key}"


def _name(public: str, trace: str) -> str:
    return digest_bytes(f"{public} {trace}".encode())


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
    help_ = f"make the folder, mount it, or unset {SHARED}"
    message = f"the shared cache {root.name!r} cannot be used: {reason_of(error)}"
    return InfrastructureError([Diagnostic("OW918", message, reason=reason, help=help_)])
