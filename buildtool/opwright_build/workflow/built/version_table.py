"""What the last build of the whole library knows of each version: a line each, so that an edit looks at few of them.

`versions.table` is the head: what all versions share, and where each line stands. `versions.lines` are the lines:

    <version, JSON>\\t<its rows>\\t<what it declares>

The head is sealed like all that the tool keeps of a folder, and has a digest of each line, so a line counts as far as
the head does. What is written anew is put behind the other lines. Losing the files costs time only.
"""

from __future__ import annotations

import json
from base64 import b85decode, b85encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import compress, decompress

from opwright_build.engine.action import Read
from opwright_build.engine.content_digest import Json, canonical_json
from opwright_build.engine.piece_file import PieceFile, PieceRef
from opwright_build.engine.seal import Seal
from opwright_build.engine.sources import FILE, as_file
from opwright_build.engine.state_file import StateFile

if TYPE_CHECKING:
    from opwright_build.spec.model import SpecVersion

FORMAT = 6
VERSION_TABLE, VERSION_LINES = "versions.table", "versions.lines"  # in the working folder
_MOST_DEAD = 1.25  # of the size that the lines need, that of their file


@dataclass(frozen=True, slots=True)
class VersionLine:
    """A version as it was compiled: the key of that action, its reads, some of its outputs, its input `version`, and
    for packaging its figures, and its bodies with their sizes. `rows` are what `opsets` shows,
    `declaration` is what `ls` does."""

    identity: str
    key: str
    reads: Sequence[Read]
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

    `action`: the key of its action; `trace`: the digest of what that read; `told`: its figures; `found`: the findings
    of versions by position, and those of specs; `comments`: the YAML files that silence some, by path; `rows`: the
    digests of the parts of its table;
    `callers`: the versions that call one, by position; `readers`: those that read a file which is not in their own
    folder; `asked`: the positions of those that templates may ask for; `owners`: the package of each version;
    `packages`, those that one depends on first: the `name`; the `label` of the action that makes its files, and as
    texts the `inputs` of that but for versions, and `library`, the input of compiling that its versions share;
    `outputs`: its files; `shared`: how many of its versions have a body, where more than one has."""

    facts: Mapping[str, Any]
    identities: Sequence[str]
    packaged: Sequence[str]
    refs: Sequence[PieceRef]
    lines: PieceFile

    def line(self, number: int) -> bytes | None:
        """The line of the version at a position; None where it is lost."""
        return self.lines.read(self.refs[number])

    def may_read(self, path: str) -> list[int]:
        """The positions of the versions that may have read a Python file: those of its folder, and others that have."""
        function = "::".join(path.split("/")[1:3])
        own = (number for number, name in enumerate(self.identities) if name.rpartition("@")[0] == function)
        return [*own, *self.facts["readers"].get(path, ())]

    def callers(self, number: int) -> list[int]:
        """The positions of the versions that call the one at a position."""
        found: list[int] = self.facts["callers"].get(str(number), [])
        return found

    def declarations(self) -> list[dict[str, Any]] | None:
        """What each version declares; see `declared`. None where that is lost."""
        lines = self.lines.read_all(self.refs)
        return None if lines is None else [json.loads(line[line.rindex(b"\t") + 1 :]) for line in lines]

    def with_lines(self, facts: Mapping[str, Any], packaged: Sequence[str], lines: Mapping[int, bytes]) -> VersionTable:
        """With other facts, and other lines at some positions, which are put into the file. OSError when the disk
        refuses."""
        refs = list(self.refs)
        for number, ref in zip(lines, self.lines.append(list(lines.values())), strict=True):
            refs[number] = ref
        live = sum(int(ref[1]) for ref in refs)
        whole = self.lines.read_all(refs) if self.lines.size() > live * _MOST_DEAD else None
        if whole is not None:
            refs = self.lines.write(whole)
        return VersionTable(facts, self.identities, packaged, refs, self.lines)

    def save(self, file: StateFile) -> None:
        """OSError when the disk refuses."""
        head: dict[str, Json] = {"identities": self.identities, "packaged": self.packaged, "refs": self.refs}
        file.save_body(canonical_json({**self.facts, **head, "format": FORMAT}))


def relations(results: Sequence[tuple[str, Sequence[Read]]], question: str) -> tuple[dict[str, Json], dict[str, Json]]:
    """`callers` and `readers` of a table whose versions have read that, by identity. Who reads the source `question`
    and an identity calls that version."""
    numbers = {identity: number for number, (identity, _) in enumerate(results)}
    callers: dict[str, list[int]] = {}
    readers: dict[str, list[int]] = {}
    for number, (identity, reads) in enumerate(results):
        own = f"{FILE}:specs/{identity.rpartition('@')[0].replace('::', '/')}/"
        for read in reads:
            name = as_file(read.name)
            if name.startswith(question):
                called = numbers.get(name.removeprefix(question))
                if called is not None:
                    callers.setdefault(str(called), []).append(number)
            elif name.startswith(f"{FILE}:") and not name.startswith(own):
                readers.setdefault(name.removeprefix(f"{FILE}:"), []).append(number)
    return dict(callers), dict(readers)


def rows_of(line: bytes) -> bytes:
    """The rows in a version's line."""
    return line.split(b"\t")[1]


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


def load_version_table(folder: Path, seal: Seal | None) -> VersionTable | None:
    """What was saved last in the working folder; None where there is nothing that is ours."""
    head = StateFile(folder / VERSION_TABLE, seal).load_body()
    facts = json.loads(head) if head else {}
    if facts.pop("format", None) != FORMAT:
        return None
    lines = PieceFile(folder / VERSION_LINES)
    return VersionTable(facts, facts.pop("identities"), facts.pop("packaged"), facts.pop("refs"), lines)
