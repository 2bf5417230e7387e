"""The variants of a function at one opset: lowered again for each answer to each static question that it asks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import field, replace

from opwright.diagnostics.diagnostic import Choice, Diagnostic, Place, Related, Severity, has_errors
from opwright.lang import facts, ir
from opwright.lang.emit import emit_function
from opwright.lang.families.solve import Solver
from opwright.lang.looked_up import LookedUp
from opwright.lang.lower.function import Lowered
from opwright.lang.lower.state.poison import Question
from opwright.lang.meaning.function_unit import Target, Unit
from opwright.lang.meaning.operands import Decision, Operand
from opwright.lang.text.source import Span
from opwright.lang.value_class import record
from opwright.opsets.signatures import elements_of
from opwright.variants import Key, labels

VARIANT_LIMIT = 64
_MOST_ATTEMPTS = 512  # those that are ruled out included

# What a variant is refused for that does not exist, and that is no error by itself: an operator does not take its type,
# or something has no such rank, where the author has named none (`x.rank > 2` tells 0, 1 and 2 apart, and `x[0]` has no
# rank 0).
_OF_TYPES = Choice.ELEMENT_TYPE
# The same of types that are not declared, which are what the body makes of them: also where such a value meets one of
# another type, in an operator, on another path, in an annotation or in a list, and where it is a condition or a bound.
_OF_INFERRED_TYPES = _OF_TYPES | Choice.INFERRED_TYPE


@record
class Variant:
    """One variant: the facts that choose it, in the order of its axes, and its function."""

    key: Key
    lowered: Lowered


@record
class Family:
    """All variants at one opset. `refused` are the variants whose element type or rank some operator does not take.

    `looked_up` maps each operator that was looked up to the schema version found (None: there was none): two opsets
    at which it is the same give the same family. `open_axes` are the facts that only a call can give: where there are
    any the function is a template, and a family exists only for given facts. `asked`: which expression asks first for
    each axis, as far as that is known.
    """

    opset: int
    variants: tuple[Variant, ...]
    refused: tuple[Variant, ...]
    looked_up: LookedUp
    diagnostics: tuple[Diagnostic, ...]
    open_axes: tuple[str, ...] = ()
    asked: Mapping[str, Place] = field(default_factory=dict)

    @property
    def calls(self) -> bool:
        return any(variant.lowered.calls for variant in self.variants)


def build_family(
    unit: Unit, opset: int, given: Mapping[str, str] | None = None, values: Mapping[str, Operand] | None = None
) -> Family:
    """Every variant of the function at that opset, in the order of the declared values of each axis.

    `given` are facts that all of them share, `values` attributes that are known: a template needs some of those.
    """
    order: dict[str, int] = {}
    variants: list[Variant] = []
    good = 0  # of them; those that are ruled out or refused do not count
    beyond: tuple[str, ...] = ()  # what the first case answers that is one too many
    open_questions: dict[str, Question] = {}
    implied: dict[tuple[str, str], bool] = {}
    asked: dict[str, Place] = {}
    looked_up = LookedUp()
    with Solver(unit, Target(opset, given or {}, values or {}), looked_up) as solver:
        while solver.pending:
            if len(variants) + solver.pending > _MOST_ATTEMPTS:
                return Family(opset, (), (), looked_up, (_too_many(unit),), beyond or solver.axes)
            if good == VARIANT_LIMIT:
                beyond = beyond or solver.axes
            found = solver.next()
            if isinstance(found, Question):
                if found.span is not None:
                    asked.setdefault(found.axis, unit.module.source.place(found.span))
                if not found.values:
                    open_questions.setdefault(found.axis, found)
                for value in found.values:
                    implied[found.axis, value] = found.implied and implied.get((found.axis, value), True)
                solver.split(found, found.values)
                continue
            known = solver.facts
            order = order or (key_order(unit) if known else {})
            key = tuple(sorted(known.items(), key=lambda item: order.get(item[0], len(order))))
            variants.append(Variant(key, found))
            good += found.function is not None
            if good > VARIANT_LIMIT:
                return Family(opset, (), (), looked_up, (_too_many(unit),), beyond)
    if open_questions:
        told = tuple(_open(unit, question) for question in open_questions.values())
        return Family(opset, (), (), looked_up, told, tuple(open_questions))
    settled = _settle(unit, opset, variants, looked_up, {pair for pair, is_implied in implied.items() if is_implied})
    return replace(settled, asked=asked) if asked else settled


def _settle(
    unit: Unit, opset: int, variants: list[Variant], looked_up: LookedUp, implied: Collection[tuple[str, str]]
) -> Family:
    """The family less the variants that do not exist: ruled out by an `assert`, or of a type or rank that is refused.

    `implied` are the facts that the author has not named.
    """
    if len(variants) == 1 and not variants[0].key and variants[0].lowered.function is not None:
        return Family(opset, tuple(variants), (), looked_up, variants[0].lowered.diagnostics)
    remaining = [variant for variant in variants if not variant.lowered.pruned]
    good = tuple(variant for variant in remaining if variant.lowered.function is not None)
    refused = tuple(
        variant
        for variant in remaining
        if variant not in good and _has_others(unit, variant, good, implied) and _is_refused(unit, variant, implied)
    )
    kept = [variant for variant in remaining if variant not in refused]
    found = _told(unit, kept) if remaining else _nothing_left(unit, variants)
    good = _in_order(unit, good)
    missing = {pair for variant in variants if variant not in good for pair in variant.key}
    named = () if has_errors(found) else tuple(_named(variant, missing) for variant in good)
    return Family(opset, named, refused, looked_up, found)


def _told(unit: Unit, variants: Sequence[Variant]) -> tuple[Diagnostic, ...]:
    """What is wrong in several variants, once: as the first says it of those that differ in types and ranks, which
    messages show, where the same helps. Where something is wrong whatever types the body gets, what hangs on them
    alone is left out."""
    told: dict[tuple[object, ...], Diagnostic] = {}
    for variant in variants:
        named = tuple(pair for pair in variant.key if not _is_of_types(unit, pair[0]))
        met: Counter[tuple[object, ...]] = Counter()  # one variant may say several things of one place
        for item in variant.lowered.diagnostics:
            what = (item.code, item.place, item.help, item.depends_on)
            met[what] += 1
            told.setdefault((*what, named, met[what]), item)
    once: dict[tuple[object, ...], Diagnostic] = {}
    for item in told.values():
        once.setdefault((item.code, item.message, item.place), item)
    found = list(once.values())
    by_type = unit.declaration.inferred and any(_is_of_types(unit, axis) for item in variants for axis, _ in item.key)
    whatever = [item for item in found if item.severity is Severity.ERROR and not item.depends_on & _OF_INFERRED_TYPES]
    if by_type and whatever:
        found = [item for item in found if item in whatever or item.severity is not Severity.ERROR]
    return tuple(found)


def _is_of_types(unit: Unit, axis: str) -> bool:
    """Whether an axis is a type or a rank."""
    return axis in unit.declaration.types or axis.endswith(facts.RANK)


def _in_order(unit: Unit, variants: tuple[Variant, ...]) -> tuple[Variant, ...]:
    """Axis by axis: ranks by number, those that are left after them; other values as they were first met."""
    if len(variants) < 2:
        return variants
    order = key_order(unit)
    met: dict[tuple[str, str], int] = {}
    for variant in variants:
        for axis, fact in variant.key:
            rank = int(fact) if axis.endswith(facts.RANK) and facts.excluded_ranks(fact) is None else None
            met.setdefault((axis, fact), len(met) + _AFTER_RANKS if rank is None else rank)
    return tuple(sorted(variants, key=lambda variant: [(order.get(pair[0], 0), met[pair]) for pair in variant.key]))


_AFTER_RANKS = 1 << 20


def _named(variant: Variant, missing: Collection[tuple[str, str]]) -> Variant:
    """The variant under the key that calls are matched with; `missing` are facts for which there is no variant."""
    key = tuple(
        (axis, facts.shown(fact, all((axis, str(rank)) not in missing for rank in facts.excluded_ranks(fact) or ())))
        for axis, fact in variant.key
    )
    return variant if key == variant.key else Variant(key, variant.lowered)


def _nothing_left(unit: Unit, pruned: Sequence[Variant]) -> tuple[Diagnostic, ...]:
    asserted = tuple(dict.fromkeys(item for variant in pruned for item in variant.lowered.diagnostics))
    if len(pruned) <= 1:
        return asserted
    places = {item.place: Related(item.place, "ruled out here") for item in asserted if item.place is not None}
    found = Diagnostic(
        "OW363",
        f"`{unit.node.name}` rules out all of its {len(pruned)} variants",
        unit.module.source.place(_name_span(unit)),
        reason="an `assert` on static facts that does not hold removes the variant for those facts",
        help="allow at least one of them",
        related=tuple(places.values())[:3],
    )
    return (found,)


def _has_others(unit: Unit, variant: Variant, good: Sequence[Variant], implied: Collection[tuple[str, str]]) -> bool:
    """Whether all that the author has named but types, a value of an attribute for one, exists with another type; and
    each branch that is wrong at this rank with another rank."""
    named = [pair for pair in variant.key if pair[0] not in unit.declaration.types and pair not in implied]
    if len(named) == len(variant.key):
        return False
    others = [
        other for other in good if all(facts.says(axis, dict(other.key).get(axis, fact), fact) for axis, fact in named)
    ]
    errors = [item for item in _errors(variant) if not item.depends_on & _OF_INFERRED_TYPES]
    of_rank = [item for item in errors if Choice.RANK in item.depends_on]
    return bool(others) and all(
        any(other.lowered.decisions.keys() >= _conditions_of(item, variant) for other in others) for item in of_rank
    )


def _conditions_of(finding: Diagnostic, variant: Variant) -> set[Decision]:
    """What was answered on the way to a finding, but for conditions that a loop asks again, with another answer."""
    decisions, place = variant.lowered.decisions, finding.place
    if place is None:
        return set()
    return {
        (condition, answer)
        for (condition, answer), (start, end) in decisions.items()
        if condition.file == place.file
        and start <= (place.line, place.column) < end
        and (condition, not answer) not in decisions
    }


def _errors(variant: Variant) -> list[Diagnostic]:
    return [item for item in variant.lowered.diagnostics if item.severity is Severity.ERROR]


def _is_refused(unit: Unit, variant: Variant, implied: Collection[tuple[str, str]]) -> bool:
    """Whether it is for a type that an operator does not take, or for a rank that only follows from a comparison. In a
    function of one type what depends on types is wrong in every variant."""
    of_rank = any(pair in implied and facts.exact_rank(pair[1]) is not None for pair in variant.key)
    choices = Choice.RANK if of_rank else Choice.NONE
    if unit.declaration.types:
        choices |= _OF_INFERRED_TYPES if unit.declaration.inferred and not of_rank else _OF_TYPES
    return all(item.depends_on & choices for item in _errors(variant))


def key_order(unit: Unit) -> dict[str, int]:
    """Places of axes in a key: type variables, then inputs, each with its rank, then attributes, as declared."""
    names = [
        *unit.declaration.types,
        *(name for item in unit.interface.inputs for name in (item.name, item.name + facts.RANK)),
        *(item.name for item in unit.interface.attributes),
    ]
    return {name: position for position, name in enumerate(names)}


def _name_span(unit: Unit) -> Span:
    node = unit.node
    return (node.lineno, node.col_offset, node.lineno, node.col_offset + len(f"def {node.name}"))


def _too_many(unit: Unit) -> Diagnostic:
    return Diagnostic(
        "OW219",
        f"`{unit.node.name}` has more than {VARIANT_LIMIT} variants",
        unit.module.source.place(_name_span(unit)),
        reason="each static question multiplies the number of variants",
        help="ask fewer questions, or rule combinations out",
    )


def _open(unit: Unit, question: Question) -> Diagnostic:
    axis = question.axis
    names = {item.name: item for item in unit.interface.inputs}
    if axis in names:
        what, help_text = f"how many tensors `*{axis}` are", "name the inputs, as many as there can be"
    elif axis.endswith(facts.RANK):
        parameter = axis.removesuffix(facts.RANK)
        what, help_text = f"the rank of `{parameter}`", f"declare it, or only compare it: `if {parameter}.rank == 3:`"
    else:
        what, help_text = f"the value of `{axis}`", f"declare its values: `{axis}: Literal[...]`"
    return Diagnostic(
        "OW361",
        f"`{unit.node.name}` is a template: it needs {what} when it is built",
        unit.module.source.place(question.span or _name_span(unit)),
        reason="only a call determines it, so there is no body before a call",
        help=help_text,
    )


def labels_of(family: Family) -> dict[Key, Key]:
    """What each variant is named by: the first one that is equal to it; nothing where all of them are equal."""
    if len(family.variants) < 2:
        return {variant.key: () for variant in family.variants}
    callees: dict[tuple[object, ...], int] = {}

    def identify(callee: ir.FunctionReference) -> tuple[str, str, str]:
        """Functions of one name may be different ones, each called by another variant."""
        domain, name, overload = callee.identity
        content = (callee.origin, domain, name, callee.since_version, callee.variant, callee.digest)
        return domain, name, f"{overload}#{callees.setdefault(content, len(callees))}"

    contents = []
    for variant in family.variants:
        assert variant.lowered.function is not None
        proto = emit_function(variant.lowered.function, "", identify=identify)
        contents.append(proto.SerializeToString(deterministic=True))
    keys = [variant.key for variant in family.variants]
    return dict(zip(keys, labels(keys, contents), strict=True))


def admitted(function: ir.Function) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The element types that the function's operators accept, per declared type variable."""
    return tuple(
        (name, tuple(element.name for element in elements_of(ir.element_mask(variable))))
        for name, variable in function.variables.items()
    )
