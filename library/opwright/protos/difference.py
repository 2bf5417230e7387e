"""Where two functions or models part, as data and as text."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

_MOST_STEPS = 12  # of a path that are shown


class DifferenceKind(Enum):
    """What differs; the values are part of the interface, the texts are for people."""

    INPUTS = "inputs"
    OUTPUTS = "outputs"
    ATTRIBUTES = "attributes"
    TYPE = "type"
    OPERATOR = "operator"
    ARGUMENTS = "arguments"
    RESULTS = "results"
    ATTRIBUTE = "attribute"
    VALUE = "value"
    SHARING = "sharing"
    INITIALIZER = "initializer"
    EFFECTS = "effects"
    TRAINING = "training"

    @property
    def text(self) -> str:
        return _TEXTS[self]


_TEXTS = {
    DifferenceKind.INPUTS: "the number of inputs",
    DifferenceKind.OUTPUTS: "the number of outputs",
    DifferenceKind.ATTRIBUTES: "the attributes of the function",
    DifferenceKind.TYPE: "a type",
    DifferenceKind.OPERATOR: "the operator",
    DifferenceKind.ARGUMENTS: "which inputs a node is given",
    DifferenceKind.RESULTS: "which outputs a node has",
    DifferenceKind.ATTRIBUTE: "an attribute of a node",
    DifferenceKind.VALUE: "where a value comes from",
    DifferenceKind.SHARING: "whether two uses share one value",
    DifferenceKind.INITIALIZER: "an initializer",
    DifferenceKind.EFFECTS: "nodes that may not be dropped though nothing reads them",
    DifferenceKind.TRAINING: "the training information",
}


class Part(Enum):
    """The kinds of steps on the way to a difference."""

    FUNCTION = "function"
    INPUT = "input"
    OUTPUT = "output"
    ARGUMENT = "argument"
    GRAPH = "graph"
    UNREAD = "unread"


@dataclass(frozen=True, slots=True)
class Step:
    """One step on the way from an output to a difference.

    FUNCTION `name`; INPUT or OUTPUT `index` of what is compared, or of the graph just entered, called `name`; ARGUMENT
    `index` of a node of the operator `operator`; GRAPH: the graph `index` of that node's attribute `name`; UNREAD: the
    node `index` among those that nothing reads. Names are those of the left side.
    """

    part: Part
    index: int = 0
    name: str = ""
    operator: str = ""

    def __str__(self) -> str:
        match self.part:
            case Part.FUNCTION:
                return f"function {self.name}"
            case Part.ARGUMENT:
                return f"input {self.index} of {self.operator}"
            case Part.GRAPH:
                return f"graph {self.name}{f'[{self.index}]' if self.index else ''} of {self.operator}"
            case Part.UNREAD:
                return f"unread node {self.index}"
            case Part.INPUT | Part.OUTPUT:
                return f"{self.part.value} {self.index} ({self.name})"


@dataclass(frozen=True, slots=True)
class Difference:
    """The first difference found: what differs, the way to it, and what stands there on either side."""

    kind: DifferenceKind
    path: tuple[Step, ...]
    left: str
    right: str

    def __str__(self) -> str:
        lines = [f"the two differ in {self.kind.text}"]
        if self.path:
            lines.append(f"  at {_shown(self.path)}")
        return "\n".join([*lines, f"  left:  {self.left}", f"  right: {self.right}"])


@dataclass(frozen=True, slots=True)
class Comparison:
    """True when the two sides are equal; else `difference` says where they part."""

    difference: Difference | None = None

    def __bool__(self) -> bool:
        return self.difference is None

    def explain(self) -> str:
        """The result as text, one line when the two are equal."""
        return "the two are equal" if self.difference is None else str(self.difference)


Trail = tuple["Trail | None", Step]  # a step and, linked, those before it


class DifferenceError(Exception):
    """Ends a comparison."""

    def __init__(self, kind: DifferenceKind, trail: Trail | None, left: str, right: str) -> None:
        self.difference = Difference(kind, _steps(trail), left, right)
        super().__init__(kind.text)


def _steps(trail: Trail | None) -> tuple[Step, ...]:
    steps: list[Step] = []
    while trail is not None:
        trail, step = trail
        steps.append(step)
    return tuple(reversed(steps))


def _shown(path: tuple[Step, ...]) -> str:
    steps = [str(step) for step in path]
    if len(steps) > _MOST_STEPS:
        half = _MOST_STEPS // 2
        steps[half:-half] = [f"... {len(steps) - 2 * half:,} steps ..."]
    return ", ".join(steps)
