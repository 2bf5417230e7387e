"""What the engine runs and what comes of it, as data.

An action names a pure function (`kind`) and everything known beforehand that its result depends on. What it turns
out to read besides is recorded as reads: a later result is the same as long as each read still has the same digest.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import starmap
from typing import Any, NamedTuple, overload
from zlib import compress, decompress
from zlib import error as ZlibError

from opwright.diagnostics.diagnostic import Diagnostic
from opwright.diagnostics.findings_json import from_json, to_json

from opwright_build.engine.content_digest import Json, canonical_json, digest_bytes, digest_fields, is_digest

MANY_READS = 1 << 16  # bytes of a record, from which on its reads are not taken apart where nobody asks for one
_READS = b'"reads":'
_BETWEEN = b"],["  # two reads
_NO_READS = _READS + b"[]"


@dataclass(frozen=True)
class Action:
    """One application of a registered function. `inputs` maps names to digests of blobs in the store.

    `label` is for people (`compile com.acme::Swish@1`) and is in no key; it is unique within a build.
    """

    kind: str
    label: str
    inputs: Mapping[str, str]
    params: Mapping[str, Json]
    environment: str

    @cached_property
    def key(self) -> str:
        """The digest under which outcomes are stored."""
        fields = ["action1", self.kind, self.environment, canonical_json(self.params).decode("ascii")]
        for name in sorted(self.inputs):
            fields += (name, self.inputs[name])
        return digest_fields(fields)


class Read(NamedTuple):
    """A named input that an action looked at while it ran; `digest` is None when it looked and there was none."""

    name: str
    digest: str | None


class PackedReads(Sequence[Read]):
    """Many reads as a record has them, as canonical JSON. They are taken apart when one of them is asked for: those of
    a library are tens of thousands, of which an edit is about one. Bytes of another form are a read that never holds.

    `origin` tells the digest of others which these are, but for the digests of some names.
    """

    __slots__ = ("_digest", "_taken", "data", "origin")

    def __init__(self, data: bytes, origin: tuple[str, Mapping[str, str | None]] | None = None) -> None:
        self.data = data
        self.origin = origin
        self._taken: tuple[Read, ...] | None = None
        self._digest = ""

    @property
    def digest(self) -> str:
        """Of the bytes."""
        self._digest = self._digest or digest_bytes(self.data)
        return self._digest

    def may_have(self, read: Read) -> bool:
        """Whether these have that one, or none of its name."""
        return canonical_json(read) in self.data or _beginning(read.name) not in self.data

    def with_digests(self, digests: Mapping[str, str | None]) -> PackedReads:
        """The same, those names with other digests. ValueError for a name that is not among them."""
        data = self.data
        spans: list[tuple[int, int, bytes]] = []
        for name, digest in digests.items():
            beginning = _beginning(name)
            start = data.index(beginning)
            end = data.index(b"]", start + len(beginning)) + 1
            spans.append((start, end, canonical_json(Read(name, digest))))
        parts: list[bytes] = []
        done = 0
        for start, end, read in sorted(spans):
            parts += (data[done:start], read)
            done = end
        return PackedReads(b"".join((*parts, data[done:])), (self.digest, dict(digests)))

    def without(self, others: PackedReads) -> Sequence[Read]:
        """Those that the others have not."""
        known = set(others.data[2:-2].split(_BETWEEN))
        own = [data for data in self.data[2:-2].split(_BETWEEN) if data not in known]
        if not own:
            return ()
        try:
            return _reads(json.loads(b"[[" + _BETWEEN.join(own) + b"]]"))
        except (ValueError, TypeError):  # a name has these characters
            return self._all()

    def _all(self) -> tuple[Read, ...]:
        if self._taken is None:
            try:
                self._taken = _reads(json.loads(self.data))
            except (ValueError, TypeError, RecursionError):
                self._taken = (Read("", ""),)
        return self._taken

    def __len__(self) -> int:
        return len(self._all())

    def __iter__(self) -> Iterator[Read]:
        return iter(self._all())

    @overload
    def __getitem__(self, index: int) -> Read: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Read, ...]: ...

    def __getitem__(self, index: int | slice) -> Read | tuple[Read, ...]:
        return self._all()[index]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, PackedReads):
            return self.data == other.data
        return self._all() == other

    def __hash__(self) -> int:
        return hash(self._all())


def _beginning(name: str) -> bytes:
    """How a read of that name begins. (Within a text a quotation mark has a backslash before it.)"""
    return b"[" + canonical_json(name) + b","


def pack_reads(reads: Sequence[Read]) -> PackedReads:
    return reads if isinstance(reads, PackedReads) else PackedReads(canonical_json(reads))


@dataclass(frozen=True, slots=True)
class Done:
    """The function's results: digests of blobs by name, and findings that are no errors.

    The bytes of the outputs in `unkept` are not stored: they are large, quick to make again from other results, and as
    a rule lie elsewhere.
    """

    outputs: Mapping[str, str]
    diagnostics: tuple[Diagnostic, ...] = ()
    unkept: tuple[str, ...] = ()

    def kept(self) -> Mapping[str, str]:
        """The outputs whose bytes are stored."""
        return {name: digest for name, digest in self.outputs.items() if name not in self.unkept}


@dataclass(frozen=True, slots=True)
class Failed:
    """The inputs are wrong, and this is why. As good a result as any: it is stored and replayed."""

    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class Unsupported:
    """What was asked cannot be done on this machine; no input is wrong."""

    reason: str


Outcome = Done | Failed | Unsupported


@dataclass(frozen=True)
class Record:
    """An outcome with the reads that it rests on, as kept in the store."""

    outcome: Outcome
    reads: Sequence[Read] = field(default=())

    @cached_property
    def trace(self) -> str:
        """The digest of the reads: two records of one key and one trace must have the same outcome."""
        return self.packed.digest

    @cached_property
    def packed(self) -> PackedReads:
        """The reads as bytes."""
        return pack_reads(self.reads)


def encode_record(record: Record) -> bytes:
    """The bytes of a record: canonical JSON."""
    value: dict[str, Json] = {"reads": []}
    match record.outcome:
        case Done(outputs, diagnostics, unkept):
            done: dict[str, Json] = {"outputs": dict(outputs), "diagnostics": [to_json(item) for item in diagnostics]}
            value["done"] = {**done, "unkept": list(unkept)} if unkept else done
        case Failed(diagnostics):
            value["failed"] = [to_json(item) for item in diagnostics]
        case Unsupported(reason):
            value["unsupported"] = reason
    return canonical_json(value).replace(_NO_READS, _READS + record.packed.data, 1)


def encode_entry(record: Record, contents: Mapping[str, bytes]) -> bytes:
    """A record with the bytes of outputs, by digest, behind it, compressed: most are JSON."""
    sizes = canonical_json([[digest, len(data)] for digest, data in contents.items()])
    return b"\n".join((encode_record(record), sizes, compress(b"".join(contents.values()), 1)))


def decode_entry(data: bytes) -> tuple[Record, dict[str, bytes]] | None:
    """What `encode_entry` wrote, or None when the bytes are of another form."""
    line, _, rest = data.partition(b"\n")
    sizes, _, packed = rest.partition(b"\n")
    record = decode_record(line)
    if record is None:
        return None
    contents: dict[str, bytes] = {}
    place = 0
    try:
        held = decompress(packed)
        listed: list[tuple[str, int]] = json.loads(sizes)
        if not isinstance(listed, list):
            return None
        for digest, size in listed:
            if not is_digest(digest) or not isinstance(size, int) or size < 0:
                return None
            contents[digest] = held[place : place + size]
            place += size
    except (ValueError, TypeError, RecursionError, ZlibError):
        return None
    return (record, contents) if place == len(held) else None


def decode_record(data: bytes) -> Record | None:
    """The record that `encode_record` wrote, or None when the bytes are of another form."""
    try:
        if len(data) >= MANY_READS:
            head, mark, rest = data.partition(b"," + _READS)
            if mark and rest.endswith(b"]}"):
                return Record(_outcome(json.loads(head + b"}")), PackedReads(rest[:-1]))
        value = json.loads(data)
        return Record(_outcome(value), _reads(value["reads"]))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _reads(value: Any) -> tuple[Read, ...]:
    """ValueError, TypeError for what are no reads."""
    reads = tuple(starmap(Read, value))
    if not all(isinstance(name, str) and isinstance(digest, str | None) for name, digest in reads):
        raise TypeError("a read is a name and a digest")
    return reads


def _outcome(value: dict[str, Any]) -> Outcome:
    if "done" in value:
        done = value["done"]
        outputs = {str(name): digest for name, digest in done["outputs"].items()}
        if not all(map(is_digest, outputs.values())):
            raise ValueError("an output without a digest")
        unkept = tuple(str(name) for name in done.get("unkept", ()))
        return Done(outputs, tuple(from_json(item) for item in done["diagnostics"]), unkept)
    if "failed" in value:
        return Failed(tuple(from_json(item) for item in value["failed"]))
    return Unsupported(str(value["unsupported"]))
