"""One function, for one opset and one set of facts: parameters, body, outputs."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any

from opwright.bundle.calls import spread_names
from opwright.diagnostics.model import Diagnostic, Severity, has_errors
from opwright.elements import BY_NAME
from opwright.lang import facts, ir
from opwright.lang.infer import unify
from opwright.lang.interface import Arity, AttributeDeclaration, Declaration, DeclaredValue, Input, Interface
from opwright.lang.lower.calls import maybe_absent
from opwright.lang.lower.context import LookedUp, LoopPlans, LowerAgain, Lowering, NeedsFact, Pruned, Stop
from opwright.lang.lower.declared import declared_type, meet_shapes, output_names
from opwright.lang.lower.expressions import lower_expression
from opwright.lang.lower.flow import State, place_of, returned_values, state_of
from opwright.lang.lower.functions import IN_THIS_CALL
from opwright.lang.lower.numbers import as_tensor, describe
from opwright.lang.lower.operands import Absent, AttributeOperand, Environment, Operand, Poison
from opwright.lang.lower.passes import passes_of
from opwright.lang.lower.sequences import as_sequence, is_list_of_tensors, unknown_items
from opwright.lang.lower.statements import bind_locals, lower_block
from opwright.lang.objects import MISSING
from opwright.lang.record import record
from opwright.lang.resolve import Files, Libraries, ModuleScope
from opwright.lang.source import Source, span_of
from opwright.lang.static import StaticList
from opwright.lang.syntax import Module
from opwright.opsets.signatures import mask_of, newest_opset

_NO_OUTPUTS = "a function of ONNX has outputs"


@record
class Unit:
    """A function to compile: where it stands, what is declared of it, and what it may refer to.

    `open_scope` gives its names a meaning, where they are not those of the module's text.
    """

    module: Module
    node: ast.FunctionDef
    declaration: Declaration
    interface: Interface
    files: Files
    libraries: Libraries
    open_scope: Callable[[Callable[[Diagnostic], None]], ModuleScope] | None = None

    def scope(self, report: Callable[[Diagnostic], None]) -> ModuleScope:
        """What the names mean that the function does not bind itself; what is wrong with them goes to `report`."""
        if self.open_scope is not None:
            return self.open_scope(report)
        return ModuleScope(self.module, self.files, self.libraries, evaluate_static, report)


@record
class Target:
    """What to compile for: a default-domain opset, and the answers to static questions, by axis.

    `values` are attributes that are known when the function is built: they are values in it, no attributes.
    """

    opset: int
    facts: Mapping[str, str]
    values: Mapping[str, Any] = field(default_factory=dict)


@record
class Lowered:
    """The function (None after errors), what was found, the functions that it calls, and the types of its outputs.

    `sources`: the texts that the spans of some nodes are about; those of all others are about the function's own.
    `pruned`: the function rules this variant out with an `assert`, which stands in `diagnostics`.
    """

    function: ir.Function | None
    diagnostics: tuple[Diagnostic, ...]
    calls: tuple[ir.FunctionReference, ...]
    outputs: tuple[ir.Type, ...] = ()
    pruned: bool = False
    sources: Mapping[ir.Node, Source] = field(default_factory=dict)


def evaluate_static(scope: ModuleScope, node: ast.expr) -> Any:
    """The value of a module-level expression; MISSING after its diagnostic has been reported."""
    low = Lowering(scope, ir.Function("", "", 1, newest_opset(), None), {}, {})
    try:
        value = lower_expression(low, node, {})
    except Stop:
        value = MISSING
    for diagnostic in low.diagnostics:
        scope.report(diagnostic)
    if isinstance(value, ir.Value):
        place = scope.module.source.place(span_of(node))
        scope.report(
            Diagnostic(
                "OW309",
                "a tensor cannot be made at module level",
                place,
                reason="module-level names are known when the function is built",
                help="call the operator inside the function",
            )
        )
        return MISSING
    return MISSING if isinstance(value, Poison) else value


def lower_function(unit: Unit, target: Target, looked_up: LookedUp) -> Lowered:
    """Lowers until the declared type variables narrow no further: a constant may depend on what they admit.

    Records every operator look-up in `looked_up`, those of attempts that end in a question included.
    """
    masks = {name: mask_of(elements) for name, elements in unit.declaration.types.items()}
    for axis, value in target.facts.items():
        if axis in masks:
            masks[axis] = 1 << BY_NAME[value].code
    narrowed_by: dict[str, list[tuple[int, str]]] = {}
    plans = LoopPlans()
    while True:
        attempt = _Attempt(unit, target, masks, looked_up)
        attempt.low.plans = plans
        for name, variable in attempt.function.variables.items():
            if isinstance(variable, ir.TypeVariable):
                variable.narrowed_by = narrowed_by.setdefault(name, variable.narrowed_by)
        try:
            lowered = attempt.run()
        except LowerAgain:
            continue
        narrowed = {name: ir.element_mask(element) for name, element in attempt.function.variables.items()}
        if all(narrowed[name] == mask for name, mask in masks.items()) or attempt.is_final(masks, narrowed):
            return lowered
        masks = {name: narrowed[name] for name in masks}


def variadic_names(unit: Unit, name: str, count: int) -> list[str]:
    """The inputs that `*name` stands for: `xs_0`, `xs_1`, ..., different from the names of all other parameters."""
    taken = {item.name for item in unit.interface.inputs} | {item.name for item in unit.interface.attributes}
    return spread_names(name, count, taken)


def _each_once(found: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Findings without those that say the same of the same place: the body of a helper, or of a loop that is unrolled,
    is lowered more than once."""
    kept: dict[object, Diagnostic] = {}
    for item in found:
        inside = [note.place for note in item.related if note.note.startswith(IN_THIS_CALL)]
        where = inside[-1] if inside else item.place
        kept.setdefault((item.code, item.message, where), item)
    return tuple(kept.values())


class _Attempt:
    """One pass over the function with given sets of admitted element types."""

    def __init__(self, unit: Unit, target: Target, masks: Mapping[str, int], looked_up: LookedUp) -> None:
        declaration = unit.declaration
        self.unit = unit
        self.target = target
        self.function = ir.Function(
            declaration.domain, declaration.name, declaration.since_version, target.opset, span_of(unit.node)
        )
        used = {value.type for value in declaration.inputs.values()}
        for name, mask in masks.items():
            # A variable that no input binds is what the outputs make of it.
            rigid = name in used and not declaration.inferred
            self.function.variables[name] = ir.TypeVariable(name, mask, rigid)
        self.values: dict[str, ir.Value] = {}
        self.output_types: list[ir.Type] = []
        self.diagnostics: list[Diagnostic] = []
        scope = unit.scope(lambda found: self.low.report(found))
        self.low = Lowering(scope, self.function, target.facts, {})
        self.low.diagnostics = self.diagnostics
        self.low.looked_up = looked_up
        last = unit.node.body[-1]
        self.low.most_nodes += (last.end_lineno or last.lineno) - unit.node.lineno
        self.env = self._parameters()
        self.low.splittable = self._splittable()

    def run(self) -> Lowered:
        low = self.low
        try:
            bind_locals(low, self.unit.node.body, self.env)
            lower_block(low, self.unit.node.body, self.env)
            values = returned_values(self.env) if state_of(self.env) is State.ENDED else None
            if values:
                self._outputs(values, place_of(self.env) or self._def_span())
            elif values is not None:
                help_text = "return a tensor"
                low.error(
                    "OW306", f"`{self.unit.node.name}` returns no value", place_of(self.env), _NO_OUTPUTS, help_text
                )
            elif not self.diagnostics:
                low.error(
                    "OW306",
                    f"`{self.unit.node.name}` returns nothing on some path",
                    self._def_span(),
                    reason=f"a path ends without `return`, and {_NO_OUTPUTS}",
                    help="return a value on every path",
                )
        except Pruned as pruned:
            return Lowered(None, (pruned.diagnostic,), tuple(low.calls), pruned=True)
        except Stop:
            pass
        except RecursionError:
            low.error(
                "OW327",
                f"`{self.unit.node.name}` is nested too deeply",
                self._def_span(),
                reason="expressions or blocks nest deeper than Python's own stack allows",
                help="give names to intermediate results",
            )
        self.function.body.nodes[:0] = low.prologue
        if has_errors(self.diagnostics):
            return Lowered(None, _each_once(self.diagnostics), tuple(low.calls))
        for run_pass in passes_of(whole=self.unit.declaration.inferred and not self.target.facts):
            run_pass(low)
        found, calls, types = _each_once(self.diagnostics), tuple(low.calls), tuple(self.output_types)
        return Lowered(self.function, found, calls, types, sources=low.sources)

    def is_final(self, before: Mapping[str, int], after: Mapping[str, int]) -> bool:
        """Whether another pass that begins with narrower variables would lower the function alike.

        Not where a variable has become one element type, which constants take, where a form was chosen by more types
        than are left, or where something is wrong: findings name the types.
        """
        became_one = any(after[name] != mask and not after[name] & (after[name] - 1) for name, mask in before.items())
        return not became_one and not self.diagnostics and self.low.choices_hold()

    def _def_span(self) -> tuple[int, int, int, int]:
        node = self.unit.node
        return (node.lineno, node.col_offset, node.lineno, node.col_offset + len(f"def {node.name}"))

    # ---------------------------------------------------------------------------------------- parameters

    def _parameters(self) -> Environment:
        env: Environment = {}
        for declared in self.unit.interface.inputs:
            fact = self.target.facts.get(declared.name)
            if fact == "absent":
                env[declared.name] = Absent(declared.name)
                continue
            if declared.arity is Arity.VARIADIC:
                env[declared.name] = self._variadic(declared, fact)
                continue
            optional = declared.arity is Arity.OPTIONAL and fact != "present"
            env[declared.name] = self._input(declared, declared.name, optional)
        for attribute in self.unit.interface.attributes:
            env[attribute.name] = self._attribute(attribute)
        return env

    def _input(self, declared: Input, name: str, optional: bool) -> ir.Value:
        inputs = self.unit.declaration.inputs
        type_ = self._declared_type(inputs.get(name, inputs.get(declared.name)), declared.name)
        rank = self.target.facts.get(name + facts.RANK, facts.OTHER)
        if isinstance(type_, ir.TensorType) and type_.shape is None and facts.excluded_ranks(rank) is None:
            type_ = ir.TensorType(type_.element, (None,) * int(rank))
        value = ir.Value(type_, name, declared.span, optional)
        self.function.inputs.append(value)
        self.values[name] = value
        return value

    def _variadic(self, declared: Input, fact: str | None) -> tuple[ir.Value, ...]:
        """`*xs` as a static list: only a call says how many there are."""
        if fact is None:
            raise NeedsFact(declared.name, (), declared.span)
        return tuple(self._input(declared, name, False) for name in variadic_names(self.unit, declared.name, int(fact)))

    def _attribute(self, declared: AttributeDeclaration) -> Operand:
        if declared.name in self.target.values:
            known: Operand = self.target.values[declared.name]
            return known
        fact = self.target.facts.get(declared.name)
        if fact == "absent":
            return None
        if fact is not None and fact != facts.PRESENT:
            value: Operand = facts.value_of(fact, declared.kind, declared.is_bool)
            return value
        required = declared.required or fact == "present"
        parameter = ir.AttributeParameter(
            declared.name, ir.AttributeKind[declared.kind], required, declared.default, declared.span
        )
        self.function.attributes.append(parameter)
        operand = self.low.attributes[declared.name] = AttributeOperand(parameter, declared.choices, declared.is_bool)
        return operand

    def _declared_type(self, declared: DeclaredValue | None, name: str) -> ir.Type:
        if declared is None:
            return ir.TensorType(ir.TypeVariable(f"T_{name}", rigid=False))
        return declared_type(self.function, declared)

    def _splittable(self) -> dict[str, ir.Value]:
        """For each type variable a value that is always there, for CastLike to look at."""
        found: dict[str, ir.Value] = {}
        for value in self.function.inputs:
            if (
                isinstance(value.type, ir.TensorType)
                and isinstance(value.type.element, ir.TypeVariable)
                and not value.optional
            ):
                found.setdefault(value.type.element.name, value)
        return found

    # ------------------------------------------------------------------------------------------- outputs

    def _outputs(self, values: tuple[Operand, ...], span: tuple[int, int, int, int]) -> None:
        if any(isinstance(value, Poison) for value in values):
            assert self.diagnostics, "a result is lost without a finding"
            return
        declared = self._declared_outputs(len(values))
        if len(values) != len(declared):
            self.low.error(
                "OW215",
                f"`{self.unit.node.name}` returns {len(values)} values, and {len(declared)} are declared",
                span,
                reason=f"the declared outputs are {', '.join(f'`{name}`' for name in declared)}",
                help="return one value for each output, in their order",
            )
            return
        for (name, output), operand in zip(declared.items(), values, strict=True):
            self._output(name, output, operand, span)

    def _declared_outputs(self, count: int) -> Mapping[str, DeclaredValue | None]:
        """The outputs by name, with what is declared of each; those of the annotation where nothing else names them."""
        declaration = self.unit.declaration
        if declaration.outputs is not None:
            return self._spread_output(declaration.outputs, count)
        returns = declaration.returns if declaration.returns is not None else (None,) * count
        interface = self.unit.interface
        parameters = [*(item.name for item in interface.inputs), *(item.name for item in interface.attributes)]
        return dict(zip(output_names(self.unit.node, parameters, len(returns)), returns, strict=True))

    def _spread_output(self, outputs: Mapping[str, DeclaredValue], count: int) -> Mapping[str, DeclaredValue | None]:
        """The outputs, a variadic last one as many times as the function returns more."""
        if not self.unit.declaration.variadic_output:
            return outputs
        *single, last = outputs
        names = spread_names(last, count - len(single), {*outputs, *(value.name for value in self.function.inputs)})
        return {**{name: outputs[name] for name in single}, **dict.fromkeys(names, outputs[last])}

    def _output(
        self, name: str, declared: DeclaredValue | None, operand: Operand, span: tuple[int, int, int, int]
    ) -> None:
        wanted = None if declared is None else declared_type(self.function, declared)
        if isinstance(operand, Absent) or operand is None:
            self.low.error("OW306", f"the output `{name}` has no value", span, f"{describe(operand)} is returned", "")
            return
        value = self._result(operand, wanted, span)
        if isinstance(value, Poison):
            return
        if value.optional:
            maybe_absent(self.low, value, f"the output `{name}` needs a value", span)
            return
        met = value.type if wanted is None else self._meet(wanted, value.type)
        if met is None:
            # An annotation that names a type variable says of which input the type is, and calls go by the body.
            loose = self.unit.declaration.inferred and declared is not None and declared.type in self.function.variables
            self._contradiction(
                f"the output `{name}` is declared {wanted!r}, and the body gives {value.type!r}", span, loose
            )
            if not loose:
                return
            met = value.type
        self.function.outputs.append(name)
        self.function.body.yields.append(value)
        self.output_types.append(met)

    def _contradiction(self, message: str, span: tuple[int, int, int, int], loose: bool) -> None:
        found = Diagnostic(
            "OW210",
            message,
            self.unit.module.source.place(span),
            reason="a function returns the type that its interface promises",
            help="cast the result, or change the declared type",
            severity=Severity.WARNING if loose else Severity.ERROR,
        )
        self.diagnostics.append(found)

    def _result(self, operand: Operand, wanted: ir.Type | None, span: tuple[int, int, int, int]) -> ir.Value | Poison:
        if isinstance(wanted, ir.SequenceType) and isinstance(operand, StaticList):
            return as_sequence(self.low, operand, wanted, span)
        if wanted is None and isinstance(operand, StaticList) and is_list_of_tensors(operand):
            return as_sequence(self.low, operand, unknown_items(), span)
        element = wanted.element if isinstance(wanted, ir.TensorType) else None
        return as_tensor(self.low, operand, element, span)

    def _meet(self, wanted: ir.Type, found: ir.Type) -> ir.Type | None:
        """What declaration and body know together of an output; None where they contradict each other."""
        if isinstance(found, ir.UnknownType) and not self.unit.declaration.inferred:
            return None  # a promise that nothing here can check
        if self._is_free(wanted) and isinstance(found, ir.TensorType) and isinstance(wanted, ir.TensorType):
            admitted = ir.element_mask(found.element) & ~ir.element_mask(wanted.element) == 0
            return meet_shapes(found, wanted) if admitted else None
        return meet_shapes(found, wanted) if unify(wanted, found, self.low.trail) else None

    def _is_free(self, wanted: ir.Type) -> bool:
        """Whether it is of a type variable whose inputs are all absent: then the body says what it stands for."""
        if not isinstance(wanted, ir.TensorType) or not isinstance(wanted.element, ir.TypeVariable):
            return False
        name = wanted.element.name
        inputs = [key for key, item in self.unit.declaration.inputs.items() if item.type == name]
        return bool(inputs) and all(self.target.facts.get(key) == facts.ABSENT for key in inputs)
