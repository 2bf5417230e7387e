"""The variant that a call means: by what is known of it, asking for what is missing."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence

from opwright.diagnostics.diagnostic import Choice
from opwright.lang import facts, ir
from opwright.lang.infer.result_ranks import rank_of as known_rank
from opwright.lang.lower.numbers.number_operands import needs_element
from opwright.lang.lower.numbers.ranks import rank_of, ruled_out, tell_apart
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.state.known import ask_attribute, need_copies
from opwright.lang.lower.state.poison import Poisoned, Question
from opwright.lang.meaning.operands import Rank
from opwright.lang.text.source import Span
from opwright.opsets.signatures import Signature
from opwright.variants import Keyed, Variant, match_variants, one_of, overload_of


class Given:
    """What a call gives: inputs by position, the type variables that they bind, and attributes."""

    __slots__ = ("attributes", "bindings", "inputs")

    def __init__(
        self,
        inputs: Sequence[ir.Value | None],
        bindings: Mapping[str, ir.Type],
        attributes: Mapping[str, ir.Attribute],
    ) -> None:
        self.inputs = inputs
        self.bindings = bindings
        self.attributes = attributes


def fit_variant(
    low: Lowering,
    signature: Signature,
    variants: Sequence[Variant],
    given: Given,
    content: Callable[[Variant], Hashable],
    span: Span,
) -> Variant:
    """The variant that fits what is known of the call; `content` is equal for variants that do the same.

    Where a missing fact decides between different ones, a question asks this function's own caller for it.
    """
    if len(variants) == 1 and not variants[0].variant:
        return variants[0]  # it depends on nothing
    call = _Call(low, signature, given, variants, span)
    match = match_variants(variants, call.known)
    found = one_of(match, content)
    if found is not None:
        return found
    if match.fitting:
        for axis in match.open_axes:
            call.ask(axis)
        raise low.error(
            "OW218",
            f"{signature.identity} has several variants that fit, and nothing here decides between them",
            span,
            reason=f"it depends on {' and '.join(match.open_axes)}",
            help="annotate the input, or pass a constant",
            depends_on=Choice.OPSET,
        )
    axes = dict.fromkeys(axis for item in variants for axis, _ in item.variant)
    asked = overload_of((axis, (call.known(axis) or ("?",))[0]) for axis in axes)
    raise low.error(
        "OW218",
        f"{signature.identity} has no variant for {asked}",
        span,
        reason=f"its variants at this opset are: {'; '.join(overload_of(item.variant) for item in variants)}",
        depends_on=Choice.OPSET | call.choices(),
    )


class _Call:
    """The facts of one call, by axis."""

    def __init__(
        self, low: Lowering, signature: Signature, given: Given, variants: Sequence[Keyed], span: Span
    ) -> None:
        self.low = low
        self.signature = signature
        self.given = given
        self.span = span
        self.variants = variants
        self.positions = {formal.name: index for index, formal in enumerate(signature.inputs)}

    def choices(self) -> Choice:
        """What it depends on that no variant fits: the types of the caller's own, undeclared, parameters where one does
        whose types are others."""

        def known(axis: str) -> tuple[str, ...] | None:
            return None if self._is_undeclared(axis) else self.known(axis)

        return Choice.ELEMENT_TYPE if match_variants(self.variants, known).fitting else Choice.NONE

    def _is_undeclared(self, axis: str) -> bool:
        """Whether an axis is an element type that the caller leaves to its own callers."""
        bound = self.given.bindings.get(axis)
        element = None if bound is None else bound.element
        return (
            isinstance(element, ir.TypeVariable) and not element.rigid and element.name in self.low.function.variables
        )

    def input(self, name: str) -> ir.Value | None:
        position = self.positions[name]
        return self.given.inputs[position] if position < len(self.given.inputs) else None

    def known(self, axis: str) -> tuple[str, ...] | None:
        """The spellings of the call's fact; None where it is not known."""
        bound = self.given.bindings.get(axis)
        if bound is not None and bound.element is not None:
            element = ir.known_element(bound.element)
            return None if element is None else (element.name,)
        if axis in self.positions:
            value = self.input(axis)
            if value is not None and value.optional:
                return None
            return (facts.ABSENT if value is None else facts.PRESENT,)
        if axis.endswith(facts.RANK) and axis.removesuffix(facts.RANK) in self.positions:
            return self._rank(axis)
        return self._attribute(axis)

    def _rank(self, axis: str) -> tuple[str, ...] | None:
        value = self.input(axis.removesuffix(facts.RANK))
        rank = known_rank(value)
        if value is None or rank is not None:
            return None if rank is None else (str(rank),)
        excluded = ruled_out(self.low, value)
        return (facts.OTHER,) if excluded and all(item in excluded for item in self.named(axis)) else None

    def named(self, axis: str) -> list[int]:
        """The ranks that the variants tell apart."""
        found = {value for item in self.variants for name, value in item.variant if name == axis}
        return sorted(
            {
                rank
                for value in found
                for rank in facts.excluded_ranks(value) or (facts.exact_rank(value),)
                if rank is not None
            }
        )

    def _attribute(self, axis: str) -> tuple[str, ...] | None:
        spec = self.signature.attributes.get(axis)
        if spec is None:
            return None
        found = self.given.attributes.get(axis)
        if found is not None and found.refers_to is not None:
            parameter = self._parameter(found)
            given = parameter is not None and not parameter.may_be_absent
            return (facts.PRESENT,) if given and self._only_presence(axis) else None
        value = spec.default if found is None else found.value
        if value is None:
            return (facts.ABSENT,)
        text = facts.fact_of(value)
        return (text, facts.PRESENT) if spec.default is None and not spec.required else (text,)

    def ask(self, axis: str) -> None:
        """Raises Poisoned, with a question, where a parameter of this function decides the callee's axis."""
        bound = self.given.bindings.get(axis)
        if bound is not None and bound.element is not None:
            variable = ir.open_element(bound.element)
            if variable is not None:
                raise needs_element(self.low, variable, self.span)
        elif axis in self.positions:
            value = self.input(axis)
            if value is not None:
                raise Poisoned(because=Question(value.name, (facts.ABSENT, facts.PRESENT), self.span))
        elif axis.endswith(facts.RANK):
            value = self.input(axis.removesuffix(facts.RANK))
            if value is not None:
                need_copies(self.low, value)
                rank = rank_of(self.low, value, self.span)
                if isinstance(rank, Rank):
                    tell_apart(self.low, rank, self.named(axis))
        else:
            found = self.given.attributes.get(axis)
            parameter = self._parameter(found)
            if parameter is not None and self._only_presence(axis):
                raise Poisoned(because=Question(parameter.name, (facts.ABSENT, facts.PRESENT), self.span))
            if parameter is not None:
                raise ask_attribute(self.low.attributes[parameter.name], self.span)

    def _parameter(self, attribute: ir.Attribute | None) -> ir.AttributeParameter | None:
        """The caller's own attribute that is handed on."""
        own = None if attribute is None or attribute.refers_to is None else self.low.attributes.get(attribute.refers_to)
        return None if own is None else own.parameter

    def _only_presence(self, axis: str) -> bool:
        """Whether the variants ask no more of an attribute than whether it is given."""
        values = {value for item in self.variants for name, value in item.variant if name == axis}
        return values <= {facts.ABSENT, facts.PRESENT}
