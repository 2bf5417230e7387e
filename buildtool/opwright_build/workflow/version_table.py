"""What the last build of the whole library knows of each version: a line each, so that an edit looks at few of them.

    <head, JSON>
    <version, JSON>\\t<its rows>
    ...

The file is sealed like all that the tool keeps of a folder, and losing it costs time only. A line is searched as text,
for who asked a question or read a file, and decoded only where the version is to be made anew.
"""

from __future__ import annotations

import json
import re
from base64 import b85decode, b85encode
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from zlib import compress, decompress

from opwright_build.engine.action import Read
from opwright_build.engine.content_digest import Json, canonical_json
from opwright_build.engine.state_file import StateFile

if TYPE_CHECKING:
    from opwright_build.spec.model import SpecVersion

FORMAT = 2
VERSION_TABLE = "versions.table"  # in the working folder
_BODY = re.compile(rb'"(body\d+:[0-9a-f]{64})":')  # of a version, beside its size


@dataclass(frozen=True, slots=True)
class VersionLine:
    """A version as it was compiled: the key of that action, its reads, some of its outputs, its input `version`, and
    for packaging its figures, and its bodies with their sizes. `rows` are what `opsets` shows,
    `declaration` is what `ls` does."""

    identity: str
    key: str
    reads: tuple[Read, ...]
    outputs: Mapping[str, str]
    version: bytes
    figures: Mapping[str, int]
    bodies: Mapping[str, int]
    rows: bytes
    declaration: bytes

    def encode(self) -> bytes:
        value: list[Json] = [
            self.identity,
            self.key,
            [[read.name, read.digest] for read in self.reads],
            self.outputs,
            b85encode(compress(self.version)).decode("ascii"),
            self.figures,
            self.bodies,
        ]
        return b"\t".join((canonical_json(value), self.rows, self.declaration))

    @classmethod
    def decode(cls, line: bytes) -> VersionLine:
        """What `encode` gave."""
        value, rows, declaration = line.split(b"\t")
        identity, key, reads, outputs, version, figures, bodies = json.loads(value)
        read = tuple(Read(name, digest) for name, digest in reads)
        return cls(identity, key, read, outputs, decompress(b85decode(version)), figures, bodies, rows, declaration)


@dataclass(frozen=True, slots=True)
class VersionTable:
    """`lines` are those of all versions in their order, `identities` theirs; `packaged` are the digests of what
    packaging takes of each. `facts` are those of the whole library:

    `action`: the key of its action; `reads`: what that read; `outputs`: the files that it makes; `told`: its figures;
    `found`: the findings of versions by position, and those of specs;
    `library`, `inputs`: the inputs of compiling and of packaging that all versions share, as texts."""

    facts: Mapping[str, Any]
    identities: Sequence[str]
    packaged: Sequence[str]
    lines: Sequence[bytes]

    def having(self, text: bytes) -> list[int]:
        """The positions of the versions in whose lines a text stands."""
        return [number for number, line in enumerate(self.lines) if text in line]

    def bodies_without(self, left_out: Collection[int]) -> set[str]:
        """The digests of the bodies of all versions but those at these positions."""
        lines = (line for number, line in enumerate(self.lines) if number not in left_out)
        return {digest.decode("ascii") for digest in _BODY.findall(b"\n".join(lines))}

    def rows(self) -> list[bytes]:
        """The rows of each version."""
        return [line.split(b"\t")[1] for line in self.lines]

    def declarations(self) -> list[dict[str, Any]]:
        """What each version declares; see `declared`."""
        return [json.loads(line[line.rindex(b"\t") + 1 :]) for line in self.lines]

    def save(self, file: StateFile) -> None:
        """OSError when the disk refuses."""
        head: dict[str, Json] = {"identities": self.identities, "packaged": self.packaged, "format": FORMAT}
        file.save_body(b"\n".join((canonical_json({**self.facts, **head}), *self.lines)))


def declared(version: SpecVersion) -> dict[str, Any]:
    """What a version declares, as `ls --json` tells it. `pairs` are the element types of the widest type variable: what
    is verified apart."""
    return {
        "domain": version.domain.name,
        "name": version.name,
        "since_version": version.since_version,
        "summary": version.summary,
        "deprecated": version.deprecated,
        "tags": list(version.tags),
        "opsets": {"first": version.opsets.first, "last": version.opsets.last},
        "types": {variable: list(admitted) for variable, admitted in version.types.items()},
        "pairs": list(version.pairs),
    }


def encode_declared(version: SpecVersion) -> bytes:
    """The same, as it stands in the version's line."""
    return json.dumps(declared(version)).encode("ascii")


def load_version_table(file: StateFile) -> VersionTable | None:
    """What was saved last; None where there is nothing that is ours."""
    head, *lines = file.load_body().split(b"\n")
    facts = json.loads(head) if head else {}
    if facts.pop("format", None) != FORMAT:
        return None
    return VersionTable(facts, facts.pop("identities"), facts.pop("packaged"), lines)
