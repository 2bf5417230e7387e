"""What the pages of a site say: one record for each function, plain values with no word of HTML in them.

Texts of authors stand in records as they were written; what makes pages of them escapes them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from opwright_build.verify.facts.numerics import Row


@dataclass(frozen=True, slots=True)
class Callee:
    """A function that is called. `page` is its page below the folder of pages, empty where it has none here."""

    identity: str
    page: str = ""


@dataclass(frozen=True, slots=True)
class DrawnNode:
    """A node of a body: its operator, what it is given besides (attributes, constants), the numbers of the nodes that
    it reads, in order, and the function that it calls. `inside` are the graphs of its attributes, by their names."""

    operator: str
    details: tuple[str, ...]
    reads: tuple[int, ...]
    kind: str  # input, output, operator or call
    callee: Callee | None = None
    inside: tuple[tuple[str, DrawnGraph], ...] = ()


@dataclass(frozen=True, slots=True)
class DrawnGraph:
    """Nodes, each behind those that it reads."""

    nodes: tuple[DrawnNode, ...]


@dataclass(frozen=True, slots=True)
class BodyRecord:
    """One body: the variant and the opsets that it serves, its nodes, and as formulas what it computes, where that is
    short. `count` are its nodes; `graph` is None where they are too many to be looked at."""

    variant: str
    opsets: str
    digest: str
    count: int
    graph: DrawnGraph | None
    formulas: tuple[Formula, ...] = ()


@dataclass(frozen=True, slots=True)
class Term:
    """An expression: a name, a number, or `form` (an operator of arithmetic, or a function's name) of `parts`."""

    form: str
    parts: tuple[Term, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class Formula:
    name: str
    term: Term


class Support(Enum):
    """What becomes of an element type at an opset on a runtime."""

    PASSES = "passes"
    SOME = "some"  # of the combinations with other types, or of the levels of optimisation
    REFUSED = "refused"
    NO_BODY = "none"


@dataclass(frozen=True, slots=True)
class SupportCell:
    support: Support
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SupportRow:
    """Element types that fare alike, a text for each type variable, and what becomes of them at each opset."""

    types: tuple[str, ...]
    cells: tuple[SupportCell, ...]


@dataclass(frozen=True, slots=True)
class SupportTable:
    """One release of one runtime."""

    runtime: str
    release: str
    rows: tuple[SupportRow, ...]


@dataclass(frozen=True, slots=True)
class SupportMatrix:
    """`opsets` are the classes, such as `13-15`: a column each."""

    opsets: tuple[str, ...]
    tables: tuple[SupportTable, ...]


@dataclass(frozen=True, slots=True)
class Example:
    """Python that calls the function, and what it prints."""

    code: tuple[str, ...]
    printed: str


@dataclass(frozen=True, slots=True)
class Part:
    """A heading and what stands below it, lines of Markdown with texts of authors in them."""

    title: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class VersionRecord:
    """One version. `python` and `onnx` are its signatures, `doc` is Markdown."""

    since_version: int
    doc: str
    python: tuple[str, ...]
    onnx: str
    deprecated: bool
    opsets: str
    interface: tuple[Part, ...]
    bodies_by_opset: Part | None
    promised: tuple[Part, ...]
    support: SupportMatrix
    runtimes: Part | None
    measured: tuple[Row, ...]
    bodies: tuple[BodyRecord, ...]
    example: Example | None
    vectors: Part | None


@dataclass(frozen=True, slots=True)
class SourceRecord:
    path: str
    versions: str
    text: str


@dataclass(frozen=True, slots=True)
class FunctionRecord:
    """A function: its versions, newest first. `history` says of each what changed, in Markdown."""

    domain: str
    name: str
    emitted: str
    page: str
    package: str
    summary: str
    versions: tuple[VersionRecord, ...]
    history: tuple[tuple[int, str], ...]
    callers: tuple[Callee, ...]
    callees: tuple[Callee, ...]
    rows: tuple[str, ...]
    sources: tuple[SourceRecord, ...]

    @property
    def newest(self) -> VersionRecord:
        return self.versions[0]


@dataclass(frozen=True, slots=True)
class GuidePage:
    """A page of the guide: its path below the folder of the guide, without `.md`, and its Markdown."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class GuideGroup:
    title: str
    pages: tuple[GuidePage, ...]


@dataclass(frozen=True, slots=True)
class SiteRecord:
    """A library. `facts` are names and values about it; `calls` are those between its functions, by page."""

    name: str
    summary: str
    facts: tuple[tuple[str, str], ...]
    functions: tuple[FunctionRecord, ...]
    calls: Mapping[str, Sequence[str]] = field(default_factory=dict)
    guide: tuple[GuideGroup, ...] = ()
