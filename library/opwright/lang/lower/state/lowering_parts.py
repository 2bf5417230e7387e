"""Parts of the state of one function's lowering: what belongs together, as `Lowering` holds it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING

from opwright.elements import ElementType
from opwright.lang import ir
from opwright.lang.looked_up import LookedUp, OperatorName, OpsetQuestion, VersionQuestion, bodies_at, is_template_at
from opwright.lang.meaning.operands import LoopKey, Operand
from opwright.lang.trail import Trail
from opwright.lang.value_class import record
from opwright.opsets.signatures import Signature, is_known_domain, newest_opset, signature

if TYPE_CHECKING:
    from opwright.bundle.format import BodyEntry, FunctionEntry

EVERY_OPSET = 1 << 31


class Target:
    """The opset that the function is lowered for, and what has been asked of it: every question about it, and every
    look-up of an operator, is on record in `looked_up`, which is what the function depends on.

    `bare_opset` is the opset itself, for findings and keys of what is kept: nothing else reads it. The code that is
    being lowered is written for the opsets `asked`, as questions about `op.version` say, each function with the opset
    of ai.onnx that `named` says; `versions` are those of other domains. `relied_on`: what type variables admitted where
    that decided a form.
    """

    __slots__ = ("_operators", "_trail", "asked", "bare_opset", "looked_up", "named", "relied_on", "versions")

    def __init__(self, opset: int, looked_up: LookedUp, trail: Trail) -> None:
        self.bare_opset = opset
        self.looked_up = looked_up
        self.asked = (1, EVERY_OPSET)
        self.named: dict[ast.FunctionDef | None, int] = {}
        self.versions: dict[str, int] = {}
        self.relied_on: list[tuple[ir.TypeVariable, int]] = []
        self._trail = trail
        self._operators: dict[tuple[str, str, int | None], ir.Operator | None] = {}

    def lookup(self, domain: str, name: str) -> Signature | None:
        """The operator's signature at the target opset, recorded: what this function depends on."""
        found = self.find(domain, name)
        return None if found is None else found.signature

    def find(self, domain: str, name: str, version: int | None = None) -> ir.Operator | None:
        """The operator itself, recorded likewise; `version` is that of another domain (default: its newest)."""
        key = (domain, name, version)
        if key in self._operators:
            return self._operators[key]
        known = not domain or is_known_domain(domain)
        found = (
            signature(domain, name, (version or newest_opset(domain)) if domain else self.bare_opset) if known else None
        )
        self.looked_up[OperatorName(domain, name)] = None if found is None else found.since_version
        operator = self._operators[key] = None if found is None else operator_of(found)
        return operator

    @property
    def opset(self) -> int:
        """The target opset, as a number: what is made by it serves no other opset."""
        return self.note()

    def note(self, symbol: str = "", bound: int = 0) -> int:
        """The target opset; notes what is asked of it, the number itself where that is no comparison."""
        question = OpsetQuestion(symbol, bound)
        self.looked_up[question] = question.answer(self.bare_opset)
        return self.bare_opset

    def is_before(self, opset: int) -> bool:
        """Whether the target opset is older than that one, which is noted."""
        return self.note("<", opset) < opset

    def is_older(self, found: Signature, version: int) -> bool:
        """Whether an operator's version is older than that one, which is noted."""
        is_older = found.since_version < version
        self.looked_up[VersionQuestion(found.domain, found.name, version)] = int(is_older)
        return is_older

    def needs_version(self, found: Signature) -> None:
        """Notes that what is made hangs on an operator's very version."""
        if not found.domain:
            self._trail.reads.versions.add(found.name)

    def takes(self, found: Signature, variable: str, element: ElementType) -> bool:
        """Whether an operator takes that element type, which is noted."""
        self._trail.reads.ask(found, element.mask)
        return bool(found.masks[variable] & element.mask)

    def bodies_of(self, entry: FunctionEntry) -> tuple[Sequence[BodyEntry], bool]:
        """The bodies of a library's function at the target opset, and whether it is a template there; noted."""
        self.looked_up.called[entry.domain, entry.name, entry.since_version] = entry
        return bodies_at(entry, self.bare_opset), is_template_at(entry, self.bare_opset)

    def ask(self, asked: tuple[int, int]) -> None:
        """From here on the code is written for these opsets: the first and the last of them."""
        if asked != self.asked:
            self._trail.record(partial(self._set_asked, self.asked))
            self._set_asked(asked)

    def _set_asked(self, asked: tuple[int, int]) -> None:
        self.asked = asked

    def rely_on(self, element: ir.Element) -> None:
        """Notes that the form that is chosen follows from the element types which a variable admits now.

        Of those that it still admits in the end all must decide alike, else the function is lowered again. Choices
        that hold for each part of a set alone, such as "all of them are floats", need no note.
        """
        variable = ir.open_element(element)
        if variable is not None:
            self.relied_on.append((variable, variable.mask))

    def choices_hold(self) -> bool:
        """Whether no variable has been narrowed since a form was chosen by what it admitted."""
        return all(ir.element_mask(variable) == mask for variable, mask in self.relied_on)


@cache
def operator_of(found: Signature) -> ir.Operator:
    """One object for all calls of an operator of the installed schemas."""
    return ir.Operator(found)


class LoopPlans:
    """What lowering a function has found out about its loops over static ranges, so that it lowers them otherwise.

    `unrolled` need a copy of their body for each item, `kept` must hand on the names that only they bind, `noted` what
    these are at each `break`: each with the number of the function's statement that needs it.
    """

    __slots__ = ("kept", "noted", "unrolled")

    def __init__(self, others: LoopPlans | None = None, before: int = 0) -> None:
        """The plans that statements `before` that one have needed."""
        self.unrolled: dict[LoopKey, int] = {}
        self.kept: dict[LoopKey, int] = {}
        self.noted: dict[LoopKey, int] = {}
        for plan, known in zip(self.all, others.all, strict=True) if others is not None else ():
            plan.update((key, cause) for key, cause in known.items() if cause < before)

    @property
    def all(self) -> tuple[dict[LoopKey, int], ...]:
        return self.unrolled, self.kept, self.noted


class Attempt:
    """A loop over a range of numbers that is being lowered as a `Loop`. `body` is the region that is being filled.

    `key` is made where the loop stands: what asks for copies may be the text of a helper. `bounds` are those of its
    bounds that are computed: once loops around it are unrolled they may be known.
    """

    __slots__ = ("body", "bounds", "key")

    def __init__(self, key: LoopKey, body: ir.Region, bounds: tuple[ir.Value, ...]) -> None:
        self.key = key
        self.body = body
        self.bounds = bounds


class LoopState:
    """The loops of the function. `attempts` are those over static ranges that are being lowered as a `Loop`;
    `first_statements` says where each stands first, by the number of the function's statement; `copies`, which copy of
    which loops, helpers and items is being lowered; `agreed`, by loop of that copy, under which types names are
    carried; `results` are what loops over static ranges leave; for `hidden_by_none`, `need_copies` has found nothing
    to unroll; `noting`, by loop that is being lowered, has the names of which its `break`s note what they are."""

    __slots__ = ("agreed", "attempts", "copies", "first_statements", "hidden_by_none", "noting", "plans", "results")

    def __init__(self) -> None:
        self.attempts: list[Attempt] = []
        self.plans = LoopPlans()
        self.first_statements: dict[LoopKey, int] = {}
        self.copies: tuple[object, ...] = ()
        self.agreed: dict[tuple[object, ...], Agreed] = {}
        self.results: dict[ir.Value, LoopKey] = {}
        self.hidden_by_none: dict[ir.Value, None] = {}
        self.noting: list[Sequence[str]] = []


class Prologue:
    """The constants of the function, and what is computed of them alone: at its top, each once. `values` are what was
    made, by what it was made of."""

    __slots__ = ("_makers", "nodes", "values")

    def __init__(self, nodes: Iterable[ir.Node] = ()) -> None:
        self.nodes = list(nodes)
        self._makers = ir.Makers(self.nodes)
        self.values: dict[tuple[object, ...], ir.Value] = {}

    def makers(self) -> dict[int, ir.Node]:
        """Which node makes each value, by its `id`; to be read at once, and not to be changed."""
        return self._makers.now()


class HeldByPython:
    """What Python holds where the graph has tensors: `mixed` may be numbers of these kinds there, `arrays` are arrays
    or scalars of numpy, computed ones too, `known_arrays` arrays whose elements are known, `scalars` scalars of numpy.
    `captured` has collections from around the function, and what they become, by `id`."""

    __slots__ = ("arrays", "captured", "known_arrays", "mixed", "scalars")

    def __init__(self) -> None:
        self.mixed: dict[ir.Value, frozenset[ir.NumberKind]] = {}
        self.arrays: dict[ir.Value, None] = {}
        self.known_arrays: dict[ir.Value, ir.TensorData] = {}
        self.scalars: dict[ir.Value, bool | int | float] = {}
        self.captured: dict[int, tuple[Operand, Operand]] = {}


class ItemRanks:
    """The ranks of sequences whose items all have one; `rank_reads` counts how often one was asked for."""

    __slots__ = ("known", "rank_reads")

    def __init__(self) -> None:
        self.known: dict[ir.Value, int] = {}
        self.rank_reads = 0


class DeclaredSizes:
    """Numbers that are declared sizes, by the `names` of their dimensions, and comparisons that are `proved`: which
    hold, or fail, whatever the sizes are."""

    __slots__ = ("names", "proved")

    def __init__(self) -> None:
        self.names: dict[ir.Value, str] = {}
        self.proved: dict[ir.Value, bool] = {}


@record
class Agreed:
    """The initial types of a loop's names, and those that were widened to reach the fixpoint.

    `several`: whether a round widened more than one. `mixed`: names that carry tensors for numbers, and their kinds.
    """

    entering: Mapping[str, ir.Type]
    widened: Mapping[str, ir.Type]
    several: bool
    mixed: Mapping[str, frozenset[ir.NumberKind]]

    def begin(self, entering: Mapping[str, ir.Type]) -> dict[str, ir.Type] | None:
        """The types to begin with where names enter with these, of those that differ; None: find them anew."""
        if entering.keys() != self.entering.keys():
            return None
        if not all(_covers(type_, self.entering[name]) for name, type_ in entering.items()):
            return None
        found: dict[str, ir.Type] = {}
        for name, type_ in self.widened.items():
            wide = _wider(type_, entering.get(name, type_))
            if wide is None:
                return None
            if name not in entering or not _covers(entering[name], wide):
                found[name] = wide
        return found


def _covers(wide: ir.Type, narrow: ir.Type) -> bool:
    """Whether it says of values no more than the other type does."""
    if wide.kind is not None:
        return wide.kind is narrow.kind
    if wide.element is not None and narrow.element is not None:
        if not wide.same_as(narrow):
            return False
        if wide.shape is None or narrow.shape is None:
            return wide.shape is None
        pairs = zip(wide.shape, narrow.shape, strict=False)
        return len(wide.shape) == len(narrow.shape) and all(one is None or one == other for one, other in pairs)
    return wide.element is not None and narrow.kind is not None


def _wider(one: ir.Type, other: ir.Type) -> ir.Type | None:
    """A type that covers both; None where there is none, or none is looked for."""
    if _covers(one, other):
        return one
    if _covers(other, one):
        return other
    return one.joined(other) if one.element is not None and one.same_as(other) else None
