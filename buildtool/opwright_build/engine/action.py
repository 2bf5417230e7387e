"""What the engine runs and what comes of it, as data.

An action names a pure function (`kind`) and everything known beforehand that its result depends on. What it turns
out to read besides is recorded as reads: a later result is the same as long as each read still has the same digest.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import starmap
from typing import Any, NamedTuple
from zlib import compress, decompress
from zlib import error as ZlibError

from opwright.diagnostics.diagnostic import Diagnostic
from opwright.diagnostics.findings_json import from_json, to_json

from opwright_build.engine.content_digest import Json, canonical_json, digest_bytes, digest_fields, is_digest


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
    reads: tuple[Read, ...] = field(default=())

    @cached_property
    def trace(self) -> str:
        """The digest of the reads: two records of one key and one trace must have the same outcome."""
        return digest_bytes(canonical_json(self.reads))


def encode_record(record: Record) -> bytes:
    """The bytes of a record: canonical JSON."""
    value: dict[str, Json] = {"reads": record.reads}
    match record.outcome:
        case Done(outputs, diagnostics, unkept):
            done: dict[str, Json] = {"outputs": dict(outputs), "diagnostics": [to_json(item) for item in diagnostics]}
            value["done"] = {**done, "unkept": list(unkept)} if unkept else done
        case Failed(diagnostics):
            value["failed"] = [to_json(item) for item in diagnostics]
        case Unsupported(reason):
            value["unsupported"] = reason
    return canonical_json(value)


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
        value = json.loads(data)
        reads = tuple(starmap(Read, value["reads"]))
        if not all(isinstance(name, str) and isinstance(digest, str | None) for name, digest in reads):
            return None
        return Record(_outcome(value), reads)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


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
