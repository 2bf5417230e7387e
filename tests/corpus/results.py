"""Results of the corpus: files of them, the differences of two, and the rows that excuse differences."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

REVIEWED = Path(__file__).with_name("reviewed.toml")


class Kind(Enum):
    """How a result differs from the one before, the worst first; the first that fits is the one."""

    STUMBLED = "the compiler stumbles now"
    BODY = "body changed"
    ACCEPTED = "accepted now"
    REFUSED = "refused now"
    ORDER = "body of the same structure"  # other names, another order of nodes, or other nodes that nothing reads
    FINDING = "finding changed"  # its code or place
    MESSAGE = "message changed"  # its text alone
    STOOD_UP = "the compiler stumbles no longer"
    LOST = "no longer in the corpus"
    NEW = "not in the corpus before"
    OTHER = "another program under the same id"


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one program. `bodies`: by variant the digest, and behind it that of the structure, where there is
    one; `findings`: code, place and text of each."""

    id: str
    source: str
    bodies: Mapping[str, str]
    findings: tuple[tuple[str, str, str], ...]
    error: str
    texts: Mapping[str, str]

    def describe(self) -> str:
        """On one line."""
        if self.error:
            return self.error
        parts = [" ".join(item) for item in self.findings]
        if self.bodies:
            digests = [f"{key}={digest}" if key else digest for key, digest in list(self.bodies.items())[:4]]
            parts.insert(0, f"{len(self.bodies)} bodies: {' '.join(digests)}{' ...' * (len(self.bodies) > 4)}")
        return " / ".join(parts) or "nothing"


def parse(line: str) -> Result:
    data: dict[str, Any] = json.loads(line)
    findings = tuple((code, place, text) for code, place, text in data.get("findings", ()))
    bodies, error, texts = data.get("bodies", {}), data.get("error", ""), data.get("texts", {})
    return Result(data["id"], data["source"], bodies, findings, error, texts)


def read(path: Path) -> dict[str, Result]:
    """The results of a file, by id."""
    return {found.id: found for found in map(parse, path.read_text(encoding="utf-8").splitlines())}


@dataclass(frozen=True, slots=True)
class Difference:
    kind: Kind
    id: str
    before: Result | None
    after: Result | None

    def lines(self) -> Iterator[str]:
        yield f"  {self.id}"
        for name, result in (("before", self.before), ("after", self.after)):
            if result is not None:
                yield f"    {name:>6}: {result.describe()}"


def compare(before: Mapping[str, Result], after: Mapping[str, Result]) -> list[Difference]:
    """The differences, in the order of the ids of what is compiled now."""
    found = []
    for name in dict.fromkeys((*after, *before)):
        kind = _kind(before.get(name), after.get(name))
        if kind is not None:
            found.append(Difference(kind, name, before.get(name), after.get(name)))
    return found


def _kind(before: Result | None, after: Result | None) -> Kind | None:
    if before is None or after is None:
        return Kind.NEW if before is None else Kind.LOST
    if before.source != after.source:
        return Kind.OTHER
    if before.error != after.error:
        return Kind.STUMBLED if after.error else Kind.STOOD_UP
    if bool(before.bodies) != bool(after.bodies):
        return Kind.ACCEPTED if after.bodies else Kind.REFUSED
    if before.bodies != after.bodies:
        return Kind.ORDER if _structures(before) == _structures(after) else Kind.BODY
    if [item[:2] for item in before.findings] != [item[:2] for item in after.findings]:
        return Kind.FINDING
    return Kind.MESSAGE if before.findings != after.findings else None


def _structures(result: Result) -> dict[str, str]:
    """Of each body the digest of its structure, or its own where it has none."""
    return {key: digest.partition(" ")[2] or digest for key, digest in result.bodies.items()}


# -------------------------------------------------------------------------------------------------------- reviewed


@dataclass(frozen=True, slots=True)
class Row:
    """Differences that are wanted: of that kind, of programs whose id fits one of `programs`, and with these patterns
    in the lines of the results before and after. `reason` is the line of the requirement that wants them."""

    kind: Kind
    reason: str
    programs: tuple[str, ...]
    before: re.Pattern[str]
    after: re.Pattern[str]

    def excuses(self, difference: Difference) -> bool:
        return (
            difference.kind is self.kind
            and any(fnmatchcase(difference.id, pattern) for pattern in self.programs)
            and _fits(self.before, difference.before)
            and _fits(self.after, difference.after)
        )


def _fits(pattern: re.Pattern[str], result: Result | None) -> bool:
    return pattern.search(result.describe() if result is not None else "") is not None


def read_rows(path: Path = REVIEWED) -> tuple[Row, ...]:
    """ValueError for a row that says too little: a kind, a reason and some pattern are needed."""
    listed = tomllib.loads(path.read_text(encoding="utf-8")).get("row", [])
    return tuple(_row(item) for item in listed)


def _row(item: Mapping[str, str]) -> Row:
    unknown = set(item) - {"kind", "reason", "program", "before", "after"}
    if unknown or not item.get("reason") or not {"program", "before", "after"} & set(item):
        raise ValueError(f"a reviewed row has a kind, a reason, and one of program, before, after: {dict(item)}")
    patterns = (re.compile(item.get(name, "")) for name in ("before", "after"))
    return Row(Kind(item["kind"]), item["reason"], tuple(item.get("program", "*").split(", ")), *patterns)


@dataclass(frozen=True, slots=True)
class Review:
    """Differences, the ones that are left, and how many each row excuses."""

    left: tuple[Difference, ...]
    excused: Mapping[Row, int]

    def lines(self, shown: int) -> Iterator[str]:
        """Some examples of each kind, and the counts."""
        for kind in Kind:
            found = [item for item in self.left if item.kind is kind]
            if found:
                yield f"{kind.value}: {len(found):,}"
                for item in found[:shown]:
                    yield from item.lines()
                if len(found) > shown:
                    yield f"  ... and {len(found) - shown:,} more"
        for row, count in self.excused.items():
            yield f"reviewed: {count:,} {row.kind.value}: {row.reason}"


def review(differences: Iterable[Difference], rows: Sequence[Row]) -> Review:
    """Each difference goes to the first row that excuses it."""
    left = []
    excused = Counter(dict.fromkeys(rows, 0))
    for difference in differences:
        row = next((row for row in rows if row.excuses(difference)), None)
        if row is None:
            left.append(difference)
        else:
            excused[row] += 1
    return Review(tuple(left), excused)
