"""The content-addressed store: blobs by digest, and for each action key the records of its outcomes.

    <root>/blobs/<2 digits>/<sha256>         immutable bytes
    <root>/records/<2 digits>/<key>.<name>   an outcome, the reads it rests on and small outputs, sealed for the key

One file for each result, since a library of ten thousand functions has as many. Writes are atomic and put-if-absent, so
any number of processes may share one store. A blob or record whose bytes do not match their digest is dropped,
reported, and counts as missing. A blob proves itself; a record counts only with the seal of its reader, whose secret
also gives it its name. A store that cannot be reached raises; it is never taken for an empty one.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

from opwright.diagnostics.diagnostic import Diagnostic, Severity

from opwright_build.engine.action import Done, Record, decode_entry, decode_record, encode_entry
from opwright_build.engine.content_digest import digest_bytes, is_digest
from opwright_build.engine.seal import Seal, Unsealed
from opwright_build.engine.system_errors import InfrastructureError, reason_of
from opwright_build.engine.tree import LEFTOVER, StoredFile, Tree, discard_file, read_regular, touch, write_whole
from opwright_build.engine.upkeep import Condition, Kind
from opwright_build.engine.user_secret import VARIABLE

SHARED = "OPWRIGHT_SHARED_CACHE"  # of the environment: the place of a store that several machines share
RECORDS_PER_KEY = (
    8  # a key's older records serve switching between branches; more would make look-ups linear in history
)
MOST_INLINE = 1 << 16
USED_WITHIN = 3600.0  # seconds in which a second use of a result is not noted
_FOLDERS = ("records", "blobs")
_RECORD_FILE = re.compile(r"records/([0-9a-f]{2})/\1[0-9a-f]{62}\.[0-9a-f]{64}")
_BLOB_FILE = re.compile(r"blobs/([0-9a-f]{2})/\1[0-9a-f]{62}")
NOTHING: Mapping[str, bytes] = MappingProxyType({})


class Store(Protocol):
    """Where results are kept. All methods raise InfrastructureError when the store is out of reach."""

    @property
    def warnings(self) -> list[Diagnostic]: ...

    def get(self, digest: str) -> bytes | None: ...

    def has(self, digest: str) -> bool: ...

    def put(self, data: bytes) -> str: ...

    def hold(self, data: bytes) -> str: ...

    def held(self, digests: Iterable[str]) -> dict[str, bytes]: ...

    def get_output(self, key: str, digest: str) -> bytes | None: ...

    def records(self, key: str) -> Iterator[Record]: ...

    def expect(self, keys: Iterable[str], is_known: Callable[[Record], bool]) -> None:
        """Is told which keys are looked up next, in about this order, and which record of one would do."""

    def close(self) -> None:
        """Nothing more is asked for."""

    def used(self, key: str, record: Record) -> None:
        """Is told which one of the records of a key has answered: it will be asked for again."""

    def add_record(self, key: str, record: Record, made: Mapping[str, bytes] = ...) -> bool: ...


class LocalStore:
    """A store in a local folder, made on the first write.

    The folder may come with a checkout: what lies in it is believed only as far as its digest or our seal proves it,
    and no link in it is followed (DiagnosticError, OW520 and OW521). Without a seal records are kept in memory, for
    this process alone. It pickles as its path: a worker reads blobs, and the secret stays here.

    Outputs of up to `most_inline` bytes stand in the file of their record; others are blobs.
    """

    def __init__(self, root: Path, seal: Seal | None = None, *, most_inline: int = MOST_INLINE) -> None:
        self.root = root
        self._root = os.fspath(root)  # (What is done for each of thousands of results joins texts, not `Path`s.)
        self._seal = seal
        self._tree = Tree(root)
        self._most_inline = most_inline
        self._unsealed: set[Unsealed] = set()
        self._contents: dict[str, bytes] = {}  # inputs, and the outputs of records that were read or added
        self._shards: dict[str, dict[str, dict[str, None]]] = {}  # the names of records by the digits and the key
        self._last_read: tuple[Record, str] | None = None
        self._held: dict[str, dict[str, Record]] = {}  # without a seal: by key and trace

    def __reduce__(self) -> tuple[object, ...]:
        return (LocalStore, (self.root,))

    @property
    def warnings(self) -> list[Diagnostic]:
        """What was wrong with the store so far."""
        return [finding for why, finding in _WARNINGS.items() if why in self._unsealed]

    def get(self, digest: str) -> bytes | None:
        """The bytes; None when they are neither held nor a blob that is whole."""
        held = self._contents.get(digest)
        return self._read_blob(_blob(digest), digest) if held is None else held

    def _read_blob(self, path: str, digest: str) -> bytes | None:
        data = self._read(path)
        if data is not None and digest_bytes(data) != digest:
            self._drop_damaged(path)
            return None
        return data

    def has(self, digest: str) -> bool:
        """Whether the bytes are there; those of a blob are checked only by `get`."""
        if digest in self._contents:
            return True
        path = _blob(digest)
        self._tree.require_file(path)
        return os.path.isfile(self._full(path))

    def put(self, data: bytes) -> str:
        """Stores the blob unless it is there already, and gives its digest."""
        digest = digest_bytes(data)
        path = _blob(digest)
        if self._read_blob(path, digest) is None:
            self._write(path, data)
        else:
            with suppress(OSError):
                touch(self._full(path))  # so that it is not taken for one that nothing needs
        return digest

    def hold(self, data: bytes) -> str:
        """Gives the digest under which this process has the bytes from now on. They are not written."""
        digest = digest_bytes(data)
        self._contents[digest] = data
        return digest

    def held(self, digests: Iterable[str]) -> dict[str, bytes]:
        """Those of the bytes that are in memory: what a worker could not find."""
        return {digest: self._contents[digest] for digest in digests if digest in self._contents}

    def get_output(self, key: str, digest: str) -> bytes | None:
        """An output of an action, whose records may not have been read by this process."""
        if digest not in self._contents:
            for _ in self.records(key):
                if digest in self._contents:
                    break
        return self.get(digest)

    def records(self, key: str) -> Iterator[Record]:
        """The records of a key, the latest written first."""
        _checked(key)
        if self._seal is None:
            yield from reversed(self._held.get(key, {}).values())
            return
        ours, foreign = False, False
        for path in self._by_age(key):
            body = self._open(self._seal, key, path)
            entry = decode_entry(body) if isinstance(body, bytes) else None
            if entry is not None:
                ours = True
                self._contents.update(entry[1])
                self._last_read = entry[0], path
                yield entry[0]
            foreign |= body is Unsealed.FOREIGN
        if foreign and not ours:  # where results of several users lie, each one's own come first
            self._unsealed.add(Unsealed.FOREIGN)

    def expect(self, keys: Iterable[str], is_known: Callable[[Record], bool]) -> None:
        """A look-up here takes no longer than looking ahead."""

    def close(self) -> None:
        """Nothing is left to end."""

    def used(self, key: str, record: Record) -> None:
        """Notes the time, to the hour, for who looks for results that nobody uses."""
        if self._seal is None:
            return
        last = self._last_read  # to tell the trace of one that was just read takes longer than to read it
        path = last[1] if last is not None and last[0] is record else self.record_path(key, record.trace)
        path = self._full(path)
        with suppress(OSError):  # a result that went meanwhile, or a place that is only read
            if time.time() - os.lstat(path).st_mtime > USED_WITHIN:
                touch(path)

    def record_path(self, key: str, trace: str) -> str:
        """Where our record of a key and a trace is, below the root; empty without a seal."""
        return "" if self._seal is None else f"records/{_checked(key)[:2]}/{key}.{self._seal.name(trace)}"

    def add_record(self, key: str, record: Record, made: Mapping[str, bytes] = NOTHING) -> bool:
        """Keeps the record, and the bytes of its outputs that are in `made`. False when the store holds another outcome
        for the same key and reads; that one stays, unless an output of it is lost."""
        _checked(key)
        self._contents.update(made)
        if self._seal is None:
            return self._held.setdefault(key, {}).setdefault(record.trace, record).outcome == record.outcome
        path = self.record_path(key, record.trace)
        existing = self._open(self._seal, key, path)
        known = decode_entry(existing) if isinstance(existing, bytes) else None
        same = known is None or known[0].outcome == record.outcome
        if known is not None and self._is_whole(*known):
            return same
        inline: dict[str, bytes] = {}
        for digest in record.outcome.kept().values() if isinstance(record.outcome, Done) else ():
            data = self._contents.get(digest)
            if data is not None and len(data) <= self._most_inline:
                inline[digest] = data
            elif data is not None:
                self.put(data)
        self._write(path, self._seal.close(_purpose(key), encode_entry(record, inline)))
        self._names(key)[path.rpartition("/")[2]] = None
        others = [other for other in self._by_age(key) if other != path]  # they may claim to be of tomorrow
        for stale in others[RECORDS_PER_KEY - 1 :]:
            self._remove(stale)
        return same

    def files(self) -> Iterator[StoredFile]:
        """All files of the store."""
        for folder in _FOLDERS:
            self._tree.require_folder(folder)
            try:
                yield from self._tree.walk(folder)
            except OSError as error:
                raise _unreachable(self.root, error) from error

    def kind(self, path: str) -> Kind:
        if LEFTOVER.search(path):
            return Kind.LEFTOVER
        if _RECORD_FILE.fullmatch(path):
            return Kind.RESULT
        return Kind.OUTPUT if _BLOB_FILE.fullmatch(path) else Kind.OTHER

    def examine(self, path: str) -> Condition | None:
        """The condition of the file of a record or a blob; None when it is gone. Without a seal records are foreign."""
        data = self._peek(path)
        if not isinstance(data, bytes):
            return data
        name = path.rpartition("/")[2]
        if self.kind(path) is Kind.OUTPUT:
            return Condition.GOOD if digest_bytes(data) == name else Condition.DAMAGED
        body = Unsealed.FOREIGN if self._seal is None else self._seal.open(_purpose(name.partition(".")[0]), data)
        if isinstance(body, Unsealed):
            return Condition.FOREIGN if body is Unsealed.FOREIGN else Condition.DAMAGED
        entry = decode_entry(body)
        if entry is None or any(digest_bytes(held) != digest for digest, held in entry[1].items()):
            return Condition.DAMAGED
        return Condition.GOOD if self._is_whole(*entry) else Condition.INCOMPLETE

    def outputs_of(self, path: str) -> list[str]:
        """The files of blobs that a record names, whoever sealed it."""
        data = self._peek(path)
        record = decode_record(data.split(b"\n", 2)[1]) if isinstance(data, bytes) and data.count(b"\n") > 1 else None
        if record is None or not isinstance(record.outcome, Done):
            return []
        return [f"blobs/{digest[:2]}/{digest}" for digest in record.outcome.kept().values()]

    def discard(self, file: StoredFile) -> bool:
        """Removes a file, unless it was written or used since it was listed."""
        try:
            return discard_file(self._tree, file)
        except OSError as error:
            raise _unreachable(self.root, error) from error

    def _peek(self, path: str) -> bytes | Condition | None:
        """The bytes of a file, UNREADABLE, or None when it is gone."""
        self._tree.require_file(path)
        try:
            return read_regular(self.root / path)
        except FileNotFoundError:
            return None
        except OSError:
            return Condition.UNREADABLE

    def _is_whole(self, record: Record, contents: Mapping[str, bytes]) -> bool:
        """Whether every output of a record is still there."""
        if not isinstance(record.outcome, Done):
            return True
        kept = record.outcome.kept().values()
        return all(digest in contents or os.path.isfile(self._full(_blob(digest))) for digest in kept)

    def _open(self, seal: Seal, key: str, path: str) -> bytes | Unsealed | None:
        """The body of a record of ours; None when there is none of that name (any more)."""
        data = self._read(path)
        if data is None:
            return None
        body = seal.open(_purpose(key), data)
        if body is Unsealed.DAMAGED:
            self._drop_damaged(path)
        return body

    def _full(self, path: str) -> str:
        return f"{self._root}/{path}"

    def _names(self, key: str) -> dict[str, None]:
        """The names of a key's records: those that were there when the first record of its folder was looked for, and
        those that were added here."""
        digits = _checked(key)[:2]
        found = self._shards.get(digits)
        if found is None:
            found = self._shards[digits] = {}
            for name in self._listed(_shard(key)):
                owner, dot, rest = name.partition(".")
                if dot and is_digest(owner) and is_digest(rest):
                    found.setdefault(owner, {})[name] = None
        return found.setdefault(key, {})

    def _listed(self, shard: str) -> list[str]:
        self._tree.require_folder(shard)
        try:
            return os.listdir(self._full(shard))
        except FileNotFoundError:
            return []
        except OSError as error:
            raise _unreachable(self.root, error) from error

    def _by_age(self, key: str) -> list[str]:
        names = list(self._names(key))
        shard = _shard(key)
        if len(names) < 2:
            return [f"{shard}/{name}" for name in names]
        found: list[tuple[int, str]] = []
        for name in names:
            try:
                found.append((-os.lstat(self._full(f"{shard}/{name}")).st_mtime_ns, name))
            except FileNotFoundError:
                continue
            except OSError as error:
                raise _unreachable(self.root, error) from error
        return [f"{shard}/{name}" for _, name in sorted(found)]

    def _read(self, path: str) -> bytes | None:
        self._tree.require_file(path)
        try:
            return read_regular(self._full(path))
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _unreachable(self.root, error) from error

    def _write(self, path: str, data: bytes) -> None:
        self._tree.require_file(path)
        try:
            write_whole(self._full(path), data)
        except OSError as error:
            raise _unreachable(self.root, error) from error

    def _drop_damaged(self, path: str) -> None:
        self._remove(path)
        self._unsealed.add(Unsealed.DAMAGED)

    def _remove(self, path: str) -> None:
        with suppress(FileNotFoundError):
            os.unlink(self._full(path))


def _blob(digest: str) -> str:
    return f"blobs/{_checked(digest)[:2]}/{digest}"


def _shard(key: str) -> str:
    return f"records/{_checked(key)[:2]}"


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
                message=f"the build cache {root.name!r} cannot be used: {reason_of(error)}",
                reason="a cache out of reach is not taken for an empty one",
                help="free or repair the folder, or choose another with --cache FOLDER",
            )
        ]
    )
