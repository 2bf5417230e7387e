"""One function, for one opset and one set of facts: parameters, body, outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import field
from functools import partial

from opwright.bundle.call_interface import spread_names
from opwright.diagnostics.diagnostic import Choice, Diagnostic, Role, Severity, has_errors
from opwright.elements import BY_NAME
from opwright.lang import facts, ir
from opwright.lang.ir_copy import FunctionCopy
from opwright.lang.looked_up import LookedUp
from opwright.lang.lower.copied_values import bind_copied_values
from opwright.lang.lower.numbers.number_operands import as_tensor, describe
from opwright.lang.lower.passes import passes_of
from opwright.lang.lower.paths.checkpoints import Checkpoint, Checkpoints, RecordedEnvironment
from opwright.lang.lower.paths.flow import State, place_of, returned_values, returns_tuple, state_of
from opwright.lang.lower.rulebook import lower_rest
from opwright.lang.lower.rules import Rest
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.state.known import maybe_absent
from opwright.lang.lower.state.lowering_parts import LoopPlans, Prologue
from opwright.lang.lower.state.poison import Parts, Poisoned, Question
from opwright.lang.lower.statements.statement_rules import bind_locals
from opwright.lang.lower.values.annotated import declared_type, meet_shapes, output_names
from opwright.lang.lower.values.sequences import as_sequence, is_list_of_tensors, unknown_items
from opwright.lang.meaning.function_unit import Target, Unit
from opwright.lang.meaning.interface import Arity, AttributeDeclaration, DeclaredValue, Input
from opwright.lang.meaning.operands import (
    Absent,
    AttributeOperand,
    Decision,
    Environment,
    Operand,
    Reach,
    is_tensor,
)
from opwright.lang.meaning.static import StaticList
from opwright.lang.text.source import Source, span_of
from opwright.lang.trail import Trail
from opwright.lang.value_class import record

_NO_OUTPUTS = "a function of ONNX has outputs"


@record
class Lowered:
    """The function (None after errors), what was found, the functions that it calls, and the types of its outputs.

    `returns_tuple`: in Python it returns a tuple, which may be one of a single value.
    `sources`: the texts that the spans of some nodes are about; those of all others are about the function's own.
    `pruned`: the function rules this variant out with an `assert`, which stands in `diagnostics`. `deferred`: what is
    to be asked before `diagnostics` are told. `decisions`: how the conditions were answered that are known.
    """

    function: ir.Function | None
    diagnostics: tuple[Diagnostic, ...]
    calls: tuple[ir.FunctionReference, ...]
    outputs: tuple[ir.Type, ...] = ()
    returns_tuple: bool = False
    pruned: bool = False
    sources: Mapping[ir.Node, Source] = field(default_factory=dict)
    deferred: Question | None = None
    decisions: Mapping[Decision, Reach] = field(default_factory=dict)


def variadic_names(unit: Unit, name: str, count: int) -> list[str]:
    """The inputs that `*name` stands for: `xs_0`, `xs_1`, ..., different from the names of all other parameters."""
    taken = {item.name for item in unit.interface.inputs} | {item.name for item in unit.interface.attributes}
    return spread_names(name, count, taken)


def _each_once(found: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Findings without those that say the same of the same place: the body of a helper, or of a loop that is unrolled,
    is lowered more than once."""
    if not found:
        return ()
    kept: dict[object, Diagnostic] = {}
    for item in found:
        inside = [note.place for note in item.related if note.role is Role.MOVED_FROM]
        where = inside[-1] if inside else item.place
        kept.setdefault((item.code, item.message, where), item)
    return tuple(kept.values())


def _splittable(inputs: Sequence[ir.Value]) -> dict[str, ir.Value]:
    """For each type variable an input that is always there, for CastLike to look at."""
    found: dict[str, ir.Value] = {}
    for value in inputs:
        if is_tensor(value) and isinstance(value.type.element, ir.TypeVariable) and not value.optional:
            found.setdefault(value.type.element.name, value)
    return found


def _places(unit: Unit) -> dict[str, int]:
    """The order in which type variables stand for others: first those of inputs that every call gives, so that every
    call binds what the function asks for."""
    always = {item.name for item in unit.interface.inputs if item.arity is Arity.REQUIRED}
    inputs = unit.declaration.inputs.items()
    order = [item.type for name, item in inputs if name in always]
    return {name: place for place, name in enumerate(dict.fromkeys([*order, *unit.declaration.types]))}


class Attempt:
    """The lowering of a function from its first statement on, with given sets of admitted element types.

    Where it ends in a question it can be resumed once for each answer.
    """

    def __init__(
        self,
        unit: Unit,
        target: Target,
        masks: Mapping[str, int],
        looked_up: LookedUp,
        plans: LoopPlans | None = None,
        narrowed_by: Mapping[str, list[tuple[int, str]]] | None = None,
    ) -> None:
        """`plans` and `narrowed_by` are what attempts with more element types have found out."""
        declaration = unit.declaration
        self.unit = unit
        self.target = target
        self.masks = masks
        self.function = ir.Function(
            declaration.domain, declaration.name, declaration.since_version, target.opset, span_of(unit.node)
        )
        used = {value.type for value in declaration.inputs.values()}
        places = _places(unit)
        for name, mask in masks.items():
            # A variable that no input binds is what the outputs make of it.
            rigid = name in used and not declaration.inferred
            variable = self.function.variables[name] = ir.TypeVariable(name, mask, rigid, places[name])
            variable.narrowed_by = list((narrowed_by or {}).get(name, ()))
        self.values: dict[str, tuple[ir.Value, ...]] = {}  # what stands for each declared input
        self.attributes: dict[str, AttributeOperand | None] = {}  # None where its value is known
        self.output_types: list[ir.Type] = []
        scope = unit.scope(self._report)
        self.low = Lowering(scope, self.function, target.facts, {}, looked_up)
        self.low.body = unit.node.body
        self.low.loops.plans = plans or LoopPlans()
        last = unit.node.body[-1]
        self.low.most_nodes += (last.end_lineno or last.lineno) - unit.node.lineno
        self.low.trail.begin()  # never committed: each question may have to be resumed
        self.env: Environment = RecordedEnvironment(self.low.trail)
        self.checkpoints = Checkpoints(self.low, self.env)

    @property
    def facts(self) -> Mapping[str, str]:
        """The answers under which it is lowered now."""
        return self.low.facts

    def run(self) -> Lowered | Question:
        """Lowers the function from its beginning."""
        try:
            self._parameters(None)
        except Poisoned as wrong:
            if wrong.question is None:
                raise
            return wrong.question
        bind_locals(self.low, self.unit.node.body, self.env)
        return self._run(Rest(self.unit.node.body), shared=False)

    def resume(self, checkpoint: Checkpoint, answers: Mapping[str, str], shared: bool) -> Lowered | Question:
        """Goes back to a checkpoint and lowers what follows under those answers.

        `shared`: there are more answers, so that passes over the function leave alone what has been lowered.
        """
        self.unit.report_to(self._report)  # another attempt may have been made meanwhile
        begin = self.checkpoints.back_to(checkpoint)
        self._answer(answers)
        return self._run(begin.rest, shared)

    def close(self) -> None:
        """Ends it: it cannot be resumed. What it refers to refers back to it, and would wait for the garbage
        collector."""
        self.low.trail.forget()
        del self.low, self.env, self.checkpoints, self.unit

    def _report(self, found: Diagnostic) -> None:
        self.low.report(found)

    def first_mention(self, axis: str) -> Checkpoint | None:
        """Where to resume for an answer: before the first statement that may depend on it."""
        declared = self.unit.declaration.inputs
        if axis in self.function.variables:
            return self.checkpoints.first_mention({name for name, item in declared.items() if item.type == axis})
        owners = {value.name: name for name, values in self.values.items() for value in values}
        asked = axis.removesuffix(facts.RANK)
        names = {owners.get(asked, asked)}
        variable = declared[asked].type if asked in declared else ""
        if variable in self.function.variables:  # `CastLike` looks at the first input of the type that is there
            order = list(declared)
            before = self.low.splittable.get(variable)
            if before is None or order.index(asked) <= order.index(owners[before.name]):
                names.update(name for name, item in declared.items() if item.type == variable)
        return self.checkpoints.first_mention(names)

    def _answer(self, answers: Mapping[str, str]) -> None:
        """Types and parameters as the answers have them, at a checkpoint that was reached under fewer."""
        before, self.low.facts = self.facts, answers
        for name, variable in self.function.variables.items():
            if name in answers and name not in before and isinstance(variable, ir.TypeVariable):
                variable.restrict(1 << BY_NAME[answers[name]].code, self.low.trail)
        self._parameters(before)

    def _run(self, rest: Rest, shared: bool) -> Lowered | Question:
        answers = self.facts
        while True:
            try:
                return self._lower(rest, shared)
            except Poisoned as wrong:
                if wrong.question is not None:
                    return wrong.question
                if wrong.because is None or not wrong.because.other_loops:
                    raise
                begin = self.checkpoints.back_to_loops(wrong.because.other_loops)
                self._answer(answers)
                rest = begin.rest

    def _lower(self, rest: Rest, shared: bool) -> Lowered:
        low = self.low
        try:
            lower_rest(low, rest, self.env, self.checkpoints)
            values = returned_values(self.env) if state_of(self.env) is State.ENDED else None
            if values:
                self._outputs(values, place_of(self.env) or self._def_span())
                if not has_errors(low.diagnostics):
                    bind_copied_values(low, place_of(self.env) or self._def_span())
            elif values is not None:
                help_text = "return a tensor"
                low.error(
                    "OW306", f"`{self.unit.node.name}` returns no value", place_of(self.env), _NO_OUTPUTS, help_text
                )
            elif not has_errors(low.diagnostics):
                low.error(
                    "OW306",
                    f"`{self.unit.node.name}` returns nothing on some path",
                    self._def_span(),
                    reason=f"a path ends without `return`, and {_NO_OUTPUTS}",
                    help="return a value on every path",
                )
        except Poisoned as wrong:
            if wrong.findings:
                return Lowered(None, wrong.findings, tuple(low.calls), pruned=True)
            if wrong.because is not None:
                raise
            assert has_errors(low.diagnostics), "a result is lost without a finding"
        except RecursionError:
            low.error(
                "OW327",
                f"`{self.unit.node.name}` is nested too deeply",
                self._def_span(),
                reason="expressions or blocks nest deeper than Python's own stack allows",
                help="give names to intermediate results",
            )
        # Of a value that is a number on some path, the answer may tell numbers and tensors apart.
        if has_errors(low.diagnostics) or (low.deferred and low.held.mixed):
            deferred = next(iter(low.deferred.values()), None)
            found = _each_once(low.diagnostics)
            return Lowered(None, found, tuple(low.calls), deferred=deferred, decisions=self._decisions())
        return self._finish(shared)

    def _finish(self, shared: bool) -> Lowered:
        """The function after all passes over it, or over a copy of it."""
        low, types, as_tuple = self.low, tuple(self.output_types), returns_tuple(self.env)
        if shared:
            made = FunctionCopy(self.function)
            low = copy(low)
            low.function, low.region = made.function, made.function.body
            low.trail = Trail(low.trail.reads)
            low.prologue = Prologue([made.node(node) for node in low.prologue.nodes])
            low.powers = {made.nodes[node]: exponent for node, exponent in low.powers.items() if node in made.nodes}
            low.sources = {made.nodes[node]: source for node, source in low.sources.items() if node in made.nodes}
            low.diagnostics = list(low.diagnostics)
            types = tuple(map(made.type, types))
        low.function.body.nodes[:0] = low.prologue.nodes
        for run_pass in passes_of(whole=self.unit.declaration.inferred and not self.facts):
            run_pass(low)
        found = _each_once(low.diagnostics)
        decisions = self._decisions()
        return Lowered(low.function, found, tuple(low.calls), types, as_tuple, sources=low.sources, decisions=decisions)

    def _decisions(self) -> Mapping[Decision, Reach]:
        """Those of a variant; a function that has none is compared with no other."""
        return dict(self.low.decisions) if self.facts else {}

    def is_final(self, before: Mapping[str, int], after: Mapping[str, int]) -> bool:
        """Whether another pass that begins with narrower variables would lower the function alike.

        Not where a variable has become one element type, which constants take, where a form was chosen by more types
        than are left, or where something is wrong: findings name the types. A variable of results alone is narrowed
        when they are returned, after all that it could change.
        """
        taken = self._taken_variables()
        became_one = any(
            after[name] != mask and not after[name] & (after[name] - 1) and name in taken
            for name, mask in before.items()
        )
        return not became_one and not self.low.diagnostics and self.low.target.choices_hold()

    def _taken_variables(self) -> set[str]:
        """The names of the type variables that inputs have."""
        found: set[str] = set()

        def note(type_: ir.TensorType) -> ir.Type:
            if isinstance(type_.element, ir.TypeVariable):
                found.add(type_.element.name)
            return type_

        for value in self.function.inputs:
            value.type.with_tensors(note)
        return found

    def _def_span(self) -> tuple[int, int, int, int]:
        node = self.unit.node
        return (node.lineno, node.col_offset, node.lineno, node.col_offset + len(f"def {node.name}"))

    # ---------------------------------------------------------------------------------------- parameters

    def _parameters(self, before: Mapping[str, str] | None) -> None:
        """Binds each parameter of which other facts are known than those `before`; all of them without any."""
        low, function = self.low, self.function
        for item in self.unit.interface.inputs:
            if before is None or any(before.get(axis) != self.facts.get(axis) for axis in self._axes(item)):
                self.env[item.name] = self._operand(item)
        for item_ in self.unit.interface.attributes:
            if before is None or before.get(item_.name) != self.facts.get(item_.name):
                made = self.env[item_.name] = self._attribute(item_)
                low.trail.put(self.attributes, item_.name, made if isinstance(made, AttributeOperand) else None)
        low.trail.record(partial(self._interface, function.inputs, low.attributes, function.attributes, low.splittable))
        known = (self.attributes[item_.name] for item_ in self.unit.interface.attributes)
        inputs = [value for item in self.unit.interface.inputs for value in self.values[item.name]]
        attributes = {made.parameter.name: made for made in known if made is not None}
        parameters = [made.parameter for made in attributes.values()]
        self._interface(inputs, attributes, parameters, _splittable(inputs))

    def _interface(
        self,
        inputs: list[ir.Value],
        attributes: dict[str, AttributeOperand],
        parameters: list[ir.AttributeParameter],
        splittable: Mapping[str, ir.Value],
    ) -> None:
        """Gives the function these inputs and attributes."""
        self.function.inputs, self.function.attributes = inputs, parameters
        self.low.attributes, self.low.splittable = attributes, splittable

    def _axes(self, declared: Input) -> list[str]:
        """What facts may say of an input."""
        ranks = (value.name + facts.RANK for value in self.values[declared.name])
        count = self.facts.get(declared.name) if declared.has_gaps else None
        items = () if count is None else variadic_names(self.unit, declared.name, int(count))
        return [declared.name, declared.name + facts.RANK, *ranks, *items]

    def _operand(self, declared: Input) -> Operand:
        fact = self.facts.get(declared.name)
        values: tuple[ir.Value, ...]
        operand: Operand
        if fact == facts.ABSENT:
            values, operand = (), Absent(declared.name)
        elif declared.arity is Arity.VARIADIC:  # a static list: only a call says how long it is
            if fact is None:
                raise Poisoned(because=Question(declared.name, (), declared.span))
            names = variadic_names(self.unit, declared.name, int(fact))
            operand = tuple(self._item(declared, name) for name in names)
            values = tuple(item for item in operand if not isinstance(item, Absent))
        else:
            optional = declared.arity is Arity.OPTIONAL and fact != facts.PRESENT
            operand = self._input(declared, declared.name, optional)
            values = (operand,)
        self.low.trail.put(self.values, declared.name, values)
        return operand

    def _item(self, declared: Input, name: str) -> ir.Value | Absent:
        """What stands at one place of a variadic parameter."""
        fact = self.facts.get(name)
        if fact is None and declared.has_gaps:
            raise Poisoned(because=Question(name, (facts.ABSENT, facts.PRESENT), declared.span))
        return Absent(name) if fact == facts.ABSENT else self._input(declared, name, False)

    def _input(self, declared: Input, name: str, optional: bool) -> ir.Value:
        inputs = self.unit.declaration.inputs
        type_ = self._declared_type(inputs.get(name, inputs.get(declared.name)), declared.name)
        fact = self.facts.get(name + facts.RANK)
        rank = None if fact is None else facts.exact_rank(fact)
        if rank is not None and type_.element is not None and type_.shape is None:
            type_ = ir.TensorType(type_.element, (None,) * rank)
        return ir.Value(type_, name, declared.span, optional)

    def _attribute(self, declared: AttributeDeclaration) -> Operand:
        if declared.name in self.target.values:
            known: Operand = self.target.values[declared.name]
            return known
        fact = self.facts.get(declared.name)
        if fact == facts.ABSENT:
            return None
        if fact is not None and fact != facts.PRESENT:
            value: Operand = facts.value_of(fact, declared.kind, declared.is_bool)
            return value
        required = declared.required or fact == facts.PRESENT
        parameter = ir.AttributeParameter(
            declared.name, ir.AttributeKind[declared.kind], required, declared.default, declared.span
        )
        return AttributeOperand(parameter, declared.choices, declared.is_bool)

    def _declared_type(self, declared: DeclaredValue | None, name: str) -> ir.Type:
        if declared is None:
            return ir.TensorType(ir.TypeVariable(f"T_{name}", rigid=False))
        return declared_type(self.function, declared)

    # ------------------------------------------------------------------------------------------- outputs

    def _outputs(self, values: tuple[Operand, ...], span: tuple[int, int, int, int]) -> None:
        declared = self._declared_outputs(len(values))
        if len(values) != len(declared):
            raise self.low.error(
                "OW215",
                f"`{self.unit.node.name}` returns {len(values)} values, and {len(declared)} are declared",
                span,
                reason=f"the declared outputs are {', '.join(f'`{name}`' for name in declared)}",
                help="return one value for each output, in their order",
            )
        parts = Parts()
        for (name, output), operand in zip(declared.items(), values, strict=True):
            with parts:
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
            raise self.low.error(
                "OW306", f"the output `{name}` has no value", span, f"{describe(operand)} is returned", ""
            )
        value = self._result(operand, wanted, span)
        if value.optional:
            raise maybe_absent(self.low, value, f"the output `{name}` needs a value", span)
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
        self.low.trail.append(self.function.outputs, name)
        self.low.trail.append(self.function.body.yields, value)
        self.low.trail.append(self.output_types, met)

    def _contradiction(self, message: str, span: tuple[int, int, int, int], loose: bool) -> None:
        found = Diagnostic(
            "OW210",
            message,
            self.unit.module.source.place(span),
            reason="a function returns the type that its interface promises",
            help="cast the result, or change the declared type",
            severity=Severity.WARNING if loose else Severity.ERROR,
            depends_on=Choice.INFERRED_TYPE,
        )
        self.low.report(found)

    def _result(self, operand: Operand, wanted: ir.Type | None, span: tuple[int, int, int, int]) -> ir.Value:
        is_sequence = is_list_of_tensors(operand) if wanted is None else wanted.sequence_item is not None
        if is_sequence and isinstance(operand, StaticList):
            return as_sequence(self.low, operand, wanted or unknown_items(), span)
        return as_tensor(self.low, operand, None if wanted is None else wanted.element, span)

    def _meet(self, wanted: ir.Type, found: ir.Type) -> ir.Type | None:
        """What declaration and body know together of an output; None where they contradict each other."""
        if self._is_free(wanted) and found.element is not None and wanted.element is not None:
            admitted = ir.element_mask(found.element) & ~ir.element_mask(wanted.element) == 0
            return meet_shapes(found, wanted) if admitted else None
        return meet_shapes(found, wanted) if wanted.unify(found, self.low.trail) else None

    def _is_free(self, wanted: ir.Type) -> bool:
        """Whether it is of a type variable whose inputs are all absent: then the body says what it stands for."""
        if not isinstance(wanted.element, ir.TypeVariable):
            return False
        name = wanted.element.name
        inputs = [key for key, item in self.unit.declaration.inputs.items() if item.type == name]
        return bool(inputs) and all(self.facts.get(key) == facts.ABSENT for key in inputs)
