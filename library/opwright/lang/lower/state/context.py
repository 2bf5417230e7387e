"""The mutable state of one function's lowering: the region being filled, the facts, and the findings."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from opwright.diagnostics.diagnostic import Choice, Diagnostic, Place, Related, has_errors
from opwright.elements import BY_NAME, ElementType
from opwright.lang import ir
from opwright.lang.looked_up import LookedUp
from opwright.lang.lower.state.liveness import Liveness
from opwright.lang.lower.state.lowering_parts import DeclaredSizes, HeldByPython, ItemRanks, LoopState, Prologue, Target
from opwright.lang.lower.state.ownership import Ownership
from opwright.lang.lower.state.poison import Poisoned, Question
from opwright.lang.meaning.operands import AttributeOperand, Decision, Environment, Reach
from opwright.lang.meaning.resolve import ModuleScope
from opwright.lang.meaning.static import StaticError
from opwright.lang.text.source import Misspelt, Source, Span, span_of
from opwright.lang.trail import Trail
from opwright.lang.value_class import record
from opwright.opsets.records import CONSTANT
from opwright.opsets.signatures import Signature, history, is_known_domain, later_version_with, newest_opset, similar
from opwright.suggest import sure_name

if TYPE_CHECKING:
    from opwright.lang.meaning.objects import OpsetObject

NESTING_LIMIT = 31  # nested graphs that protobuf's parsers read, with the types of their inputs and outputs
NODE_LIMIT = 100_000  # that a function may make without a separate line for each


@record
class CallFrame:
    """The call of the function whose body is being lowered, or a part of that body with names or paths of its own.

    `function`: that whose body takes the place of the call; None for the function that is compiled. `depth`: how many
    such calls there are, with those around it. `given`: the environment with which the body was entered. `caller`: that
    of the code around. `is_elsewhere`: whether the body, or one around its call, stands outside of the function that
    calls it. `is_on_one_path`: whether a value is being lowered that one path alone evaluates.
    """

    scope: ModuleScope
    outer: CallFrame | None
    function: ast.FunctionDef | None
    depth: int
    given: Environment
    caller: Environment
    is_elsewhere: bool = False
    is_on_one_path: bool = False

    def called(
        self, function: ast.FunctionDef, scope: ModuleScope, given: Environment, caller: Environment, is_elsewhere: bool
    ) -> CallFrame:
        """The frame of a function that is called in this one."""
        return CallFrame(scope, self, function, self.depth + 1, given, caller, self.is_elsewhere or is_elsewhere)

    def within(self, caller: Environment) -> CallFrame:
        """The frame of a comprehension, which has names of its own."""
        return replace(self, outer=self, caller=caller)

    def on_one_path(self) -> CallFrame:
        """The frame of a value that one path alone evaluates."""
        return replace(self, outer=self, is_on_one_path=True)

    @property
    def is_inlined(self) -> bool:
        """Whether the body takes the place of a call."""
        return self.function is not None

    def chain(self) -> Iterator[CallFrame]:
        """This frame, and those around it."""
        frame: CallFrame | None = self
        while frame is not None:
            yield frame
            frame = frame.outer


Result = TypeVar("Result")


class Lowering:
    """The state of lowering one function, in parts that belong together."""

    def __init__(
        self,
        scope: ModuleScope,
        function: ir.Function,
        facts: Mapping[str, str],
        splittable: Mapping[str, ir.Value],
        looked_up: LookedUp | None = None,
    ) -> None:
        looked_up = LookedUp() if looked_up is None else looked_up
        self.trail = Trail(looked_up.reads)  # every change that a trial may take back goes through it
        self.target = Target(function.opset, looked_up, self.trail)
        self.own_frame = self.call_frame = CallFrame(scope, None, None, 0, {}, {})
        self.function = function
        self.facts = facts
        self.splittable = splittable  # a value of each declared type variable: what CastLike can look at
        self.attributes: dict[str, AttributeOperand] = {}
        self.deferred: dict[str, Question] = {}  # for attributes that a body may hold for all values of: see `known`
        self.decisions: dict[Decision, Reach] = {}  # see `decide`
        self.diagnostics: list[Diagnostic] = []
        self.scouting = False  # whether what follows something wrong is looked at for what it tells of types
        self.body: Sequence[ast.stmt] | None = None  # of the function; None where what it reads is not known before
        self._liveness: dict[ast.FunctionDef | None, Liveness] = {}
        self.statement = 0  # the number of the function's statement that is being lowered
        self.loops = LoopState()
        # What is made.
        self.prologue = Prologue()
        self.region = function.body
        self.open_regions: list[ir.Region] = []  # those around the one that is being filled
        self.depth = 0
        self.nodes = 0
        self.most_nodes = NODE_LIMIT
        self.sources: dict[ir.Node, Source] = {}  # the texts that spans are about, of what helpers make
        self.calls: list[ir.FunctionReference] = []
        # What is known of values and names.
        self.contents: dict[ir.Value, ir.TensorData] = {}  # of tensors that are known when the function is built
        self.powers: dict[ir.Node, int] = {}  # `x ** n` as a `Pow`, where x may yet turn out to hold integers
        self.positions: dict[str, int] = {}  # of names, by their first binding: the order in which they are joined
        self.lists = Ownership(self.trail)
        self.rank_origins: dict[ir.Value, Sequence[ir.Value] | None] = {}  # whose ranks say those of results
        self.item_ranks = ItemRanks()
        self.sizes = DeclaredSizes()
        self.held = HeldByPython()

    # ------------------------------------------------------------------------------------------- findings

    def error(
        self,
        code: str,
        message: str,
        span: Span | None,
        reason: str = "",
        help: str = "",
        related: tuple[Related, ...] = (),
        subject: str = "",
        misspelt: Misspelt | None = None,
        depends_on: Choice = Choice.NONE,
    ) -> Poisoned:
        """Reports an error at its place; gives what to raise where the wrong expression is to have a value."""
        place, fix = self.place_at(span), None
        if misspelt is not None:
            fix = self.scope.module.source.replacement(span, misspelt)
        self.report(
            Diagnostic(
                code, message, place, reason, help, related, subject=subject, replacement=fix, depends_on=depends_on
            )
        )
        return Poisoned()

    def fatal(
        self,
        code: str,
        message: str,
        span: Span | None,
        reason: str = "",
        help: str = "",
        subject: str = "",
        depends_on: Choice = Choice.NONE,
    ) -> Poisoned:
        """Reports an error that nothing of the function is lowered after; gives what to raise."""
        self.error(code, message, span, reason, help, subject=subject, depends_on=depends_on)
        return Poisoned(ends=True)

    def no_value(self, error: StaticError, message: str, span: Span, help: str = "") -> Poisoned:
        """Reports that a static expression has no value, for the reason that `error` says; gives what to raise."""
        return self.error(error.code, message, span, reason=str(error), help=help, depends_on=error.depends_on)

    def place_at(self, span: Span | None) -> Place:
        """Where a piece of the text that is being lowered stands."""
        return self.scope.module.source.place(span)

    def report(self, found: Diagnostic) -> None:
        """Adds a finding, unless the trial that meets it is rolled back."""
        self.trail.append(self.diagnostics, found)

    def has_errors_since(self, start: int) -> bool:
        """Whether an error is among the findings from `start` on. Warnings stop nothing."""
        return has_errors(self.diagnostics[start:])

    def replace_findings(self, start: int, found: list[Diagnostic]) -> None:
        """Puts other findings in place of those from `start` on."""
        before = self.diagnostics[start:]
        self.diagnostics[start:] = found
        self.trail.record(partial(self.diagnostics.__setitem__, slice(start, None), before))

    # ----------------------------------------------------------------------------------------- operators

    def written_for(self, opset: OpsetObject) -> int:
        """The opset of ai.onnx for which the code that is being lowered is written."""
        (first, last), version = self.target.asked, opset.version
        if version < first:
            version = first
        return version if version < last else last

    @contextmanager
    def copy(self, which: object) -> Iterator[None]:
        """While one of several copies of a text is lowered: of a loop's body, of a helper."""
        outer, self.loops.copies = self.loops.copies, (*self.loops.copies, which)
        try:
            yield
        finally:
            self.loops.copies = outer

    @property
    def scope(self) -> ModuleScope:
        """What the text that is being lowered sees of its module."""
        return self.call_frame.scope

    def within(self, region: ir.Region, step: Callable[[], Result]) -> Result:
        """Runs a step of lowering with `region` as the one that is being filled."""
        outer, self.region = self.region, region
        self.open_regions.append(outer)
        try:
            return step()
        finally:
            self.region = self.open_regions.pop()

    def nested(self, region: ir.Region, span: Span, step: Callable[[], Result]) -> Result:
        """Runs a step of lowering inside a nested block, of which protobuf allows so many."""
        if self.depth >= NESTING_LIMIT:
            raise self.fatal(
                "OW319",
                f"more than {NESTING_LIMIT} nested blocks",
                span,
                reason="protobuf parsers stop at 32 nested subgraphs, so runtimes could not read the model",
                help="combine conditions, or move inner blocks into separate functions",
            )
        self.depth += 1
        try:
            return self.within(region, step)
        finally:
            self.depth -= 1

    @contextmanager
    def entered(self, frame: CallFrame) -> Iterator[None]:
        """While the code of a frame is lowered. What it asks of the opset holds in it alone."""
        outer, asked = self.call_frame, self.target.asked
        self.call_frame = frame
        try:
            yield
        finally:
            self.call_frame = outer
            self.target.ask(asked)

    def is_the_only_opset(self, opset: OpsetObject) -> bool:
        """Whether the function that is being lowered names no other opset of ai.onnx."""
        function = self.call_frame.function
        named = self.target.named.get(function)
        if named is None:
            self.trail.put(self.target.named, function, opset.version)
            return True
        return named == opset.version

    def liveness(self) -> Liveness | None:
        """Which names the function that is being lowered still reads; None where that is not known."""
        function = self.call_frame.function
        found = self._liveness.get(function)
        if found is None:
            body = self.body if function is None else function.body
            if body is None:
                return None
            found = self._liveness[function] = Liveness(body)
        return found

    def decide(self, node: ast.If | ast.IfExp, answer: bool, goes_on: bool) -> None:
        """Notes the answer to a condition of the function's own body that is known; `goes_on`: whether the side that is
        left out would go on behind it, so that nothing there depends on the answer."""
        if self.call_frame.function is not None:
            return
        source = self.scope.module.source
        whole = source.place(span_of(node))
        end = (whole.end_line, whole.end_column) if goes_on else (math.inf, 0)
        self.trail.put(self.decisions, (source.place(span_of(node.test)), answer), ((whole.line, whole.column), end))

    def operator(self, name: str, span: Span | None, purpose: str = "") -> ir.Operator:
        """A primitive that the lowering itself needs; the function ends with a diagnostic where the opset lacks it."""
        found = self.target.find("", name)
        if found is None:
            self.unknown_operator("", name, span, purpose)
            raise Poisoned(ends=True)
        return found

    def unknown_operator(self, domain: str, name: str, span: Span | None, purpose: str = "") -> Poisoned:
        if domain and not is_known_domain(domain):
            return self.error(
                "OW201",
                f"{domain}::{name} has no known signature",
                span,
                reason=f"neither a library at hand nor the installed onnx defines the domain {domain}",
                help="call the function itself, import the package of the library that has it, or open the opset: "
                f'`Opset("{domain}", 1, open=True)`',
                subject=name,
            )
        versions = history(domain, name)
        label = f"`{name}`" + (f", which {purpose} needs," if purpose else "")
        if versions:
            return self.error(
                "OW202",
                f"{label} is not in opset {self.target.bare_opset}",
                span,
                reason=f"{domain or 'ai.onnx'} has {name} since version {versions[0]}",
                help=f"{self.scope.newer_opset(domain, versions[0])}, "
                f"or use `if op.version < {versions[0]}:` for another form",
                subject=name,
                depends_on=Choice.OPSET | Choice.INFERRED_TYPE,
            )
        close = similar(domain, name)
        return self.error(
            "OW201",
            f"{domain or 'ai.onnx'} has no operator {name}",
            span,
            reason=f"no version up to {newest_opset(domain)} of the domain has it",
            help=f"did you mean {' or '.join(f'`{item}`' for item in close)}?" if close else _opened(domain),
            subject=name,
            misspelt=Misspelt(name, sure_name(name, close)),
        )

    # ------------------------------------------------------------------------------------------ emission

    def append(self, node: ir.Node) -> None:
        self.nodes += 1
        if self.nodes > self.most_nodes:
            self.spend(0, node.span)
        self.trail.append(self.region.nodes, node)
        if self.call_frame.function is not None:
            self.trail.put(self.sources, node, self.scope.module.source)

    def spend(self, nodes: int, span: Span | None) -> None:
        """Counts what unrolling and inlining make; the function ends where it becomes too much."""
        self.nodes += nodes
        if self.nodes > self.most_nodes:
            raise self.fatal(
                "OW311", f"the body grows beyond {self.most_nodes:,} nodes", span, "unrolling and inlining have limits"
            )

    def copied(self, node: ir.Node, copy: ir.Node) -> None:
        """A copy comes from where its node does."""
        if node in self.sources:
            self.sources[copy] = self.sources[node]

    def constant(self, data: ir.TensorData, span: Span | None) -> ir.Value:
        key = ("const", *data.key)
        found = self.prologue.values.get(key)
        if found is None:
            operator = self.operator(CONSTANT.name, span)
            if not self.target.takes(operator.signature, "T", data.element):
                raise self._no_constant(operator, data, span)
            found = ir.Value(ir.TensorType(data.element, data.dims), "", span)
            self.trail.append(self.prologue.nodes, ir.Const(operator, data, found, span))
            self.trail.put(self.prologue.values, key, found)
            self.trail.put(self.contents, found, data)
        return found

    def _no_constant(self, operator: ir.Operator, data: ir.TensorData, span: Span | None) -> Poisoned:
        """With other declared types the constant may be another one, unless it is of none of theirs: then the opset is
        what lacks it, as that of a loop's index."""
        signature, element = operator.signature, data.element.name
        of_declared = not self.facts or element in self.facts.values()
        later = later_version_with(signature, signature.outputs, 0, element)
        cast = f"cast one of another type: `op.Cast(FLOAT(...), to={element.upper()})`"
        return self.fatal(
            "OW208",
            f"`Constant` cannot hold {data.element!r} at opset {self.target.bare_opset}",
            span,
            reason=f"{operator.signature.identity}, the version at that opset, has no such element type",
            help=cast if later is None else f"write the function for opset {later}, which has it, or {cast}",
            subject=CONSTANT.name,
            depends_on=Choice.ELEMENT_TYPE if of_declared else Choice.OPSET,
        )

    def once(
        self,
        key: tuple[object, ...],
        callee: str,
        inputs: list[ir.Value | None],
        attributes: dict[str, ir.Attribute],
        type_: ir.Type,
        span: Span | None,
    ) -> ir.Value:
        """A node of the prologue, made once per `key`; its inputs must be the function's own or of the prologue."""
        found = self.prologue.values.get(key)
        if found is None:
            operator = self.operator(callee, span)
            found = ir.Value(type_, "", span)
            made = ir.Call(operator, inputs, complete(operator.signature, attributes), [found], span)
            self.trail.append(self.prologue.nodes, made)
            self.trail.put(self.prologue.values, key, found)
        return found

    @property
    def checks_statically(self) -> bool:
        """Whether a provably invalid call is refused, reached or not; operations that run at once fail themselves."""
        return True

    def holds(self, value: ir.Value) -> bool:
        """Whether what a value is, is at hand: where operations run at once."""
        return False

    def element_of(self, name: str) -> ElementType:
        return BY_NAME[name]


def _opened(domain: str) -> str:
    """What to write for operators that a runtime has and the installed onnx does not."""
    return f'if a runtime has it, open the opset: `Opset("{domain}", 1, open=True)`' if domain else ""


def complete(signature: Signature, attributes: dict[str, ir.Attribute]) -> dict[str, ir.Attribute]:
    """All attributes explicit, in the order of their names: a default that changes one day must change the body.

    Calls without attributes of their own share the result, which is never changed.
    """
    defaults: dict[str, ir.Attribute] | None = signature.explicit_defaults
    if defaults is None:
        defaults = signature.explicit_defaults = {
            name: ir.AttributeValue(ir.AttributeKind[spec.kind], spec.default)
            for name, spec in signature.attributes.items()
            if spec.default is not None and name != "broadcast"  # the reference evaluator's Pow does not take it
        }
    if not attributes:
        return defaults
    return {
        name: attributes[name] if name in attributes else defaults[name]
        for name in signature.attributes
        if name in attributes or name in defaults
    }
