"""Lowering that records: the compiler's own steps, whose nodes stay in the graph that is being built."""

from __future__ import annotations

from types import FrameType

from opwright.builder.origins import Origin, Origins
from opwright.builder.value_names import Names, path_of
from opwright.diagnostics.diagnostic import Choice, Diagnostic, DiagnosticError, Related
from opwright.eager.eager_lowering import NOWHERE
from opwright.eager.place import place_of
from opwright.lang import ir
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.state.poison import Poisoned
from opwright.lang.meaning.objects import OpsetObject
from opwright.lang.meaning.resolve import ModuleScope, scope_without_text
from opwright.lang.text.source import Misspelt, Span
from opwright.live.libraries import InstalledLibraries
from opwright.opsets.records import CONSTANT


class GraphLowering(Lowering):
    """The state of one graph. Findings are raised where they are found, at the place of `frame`, the author's.

    `homes` says in which region a value of a nested graph was made, `origin_of` where a node comes from and in which
    naming scopes.
    """

    def __init__(self, owner: object, opset: int, name: str) -> None:
        super().__init__(_scope(name), ir.Function("", name, 1, opset, None), {}, {})
        self.owner = owner
        self.frame: FrameType | None = None
        self.names = Names(self.trail)
        self.deepest = 0  # how many graphs have stood inside one another
        self.origins = Origins()
        self.origin_of: dict[ir.Node, tuple[Origin, str]] = {}
        self.makers: dict[ir.Value, ir.Node] = {}
        self.order: dict[ir.Node, int] = {}
        self.homes: dict[ir.Value, ir.Region] = {}
        self.unmade: set[ir.Value] = set()  # inputs, initializers, and what a run is told

    def is_the_only_opset(self, opset: OpsetObject) -> bool:
        """A graph is built by functions of Python, each of which may name its own."""
        return not self.call_frame.is_inlined or super().is_the_only_opset(opset)

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
        within_function = self.scope is not self.own_frame.scope and span is not None and span != NOWHERE
        place = self.scope.module.source.place(span) if within_function else place_of(self.frame)
        found = Diagnostic(
            code, message, place, reason=reason, help=help, related=related, subject=subject, depends_on=depends_on
        )
        raise DiagnosticError([found]) from None

    def append(self, node: ir.Node) -> None:
        region = self.region
        trail = self.trail
        trail.append(region.nodes, node)
        path = path_of(self.owner)
        trail.put(self.origin_of, node, (self.origins.of(self.frame), path))
        hint = path + label_of(node).lower()
        nested = region is not self.function.body
        for value in node.made():
            value.rename(self.names.fresh(path + value.name if value.name else hint, value), trail)
            trail.put(self.makers, value, node)
            if nested:
                trail.put(self.homes, value, region)
        trail.put(self.order, node, len(self.order))

    def enter(self, region: ir.Region) -> None:
        """Makes the parameters of a nested graph known as its own."""
        self.deepest = max(self.deepest, self.depth)
        for value in region.parameters:
            value.rename(self.names.fresh(value.name or "item", value), self.trail)
            self.trail.put(self.homes, value, region)

    def copied(self, node: ir.Node, copy: ir.Node) -> None:
        """A copy comes from where its node does."""
        if node in self.origin_of:
            self.trail.put(self.origin_of, copy, self.origin_of[node])

    def is_visible(self, value: ir.Value) -> bool:
        """Whether a value is made in a graph that is still open."""
        home = self.homes.get(value)
        return home is None or home is self.region or home in self.open_regions

    def add_unmade(self, value: ir.Value) -> None:
        """Makes a value that no node makes known as the graph's own."""
        self.trail.add(self.unmade, value)

    def has(self, value: ir.Value) -> bool:
        """Whether the value is of this graph. What a step has made is not, once the step has been taken back."""
        made = value in self.makers or value in self.homes or value in self.unmade
        return made or id(value) in self.prologue.makers()

    def spend(self, nodes: int, span: Span | None) -> None:
        self.nodes += nodes  # a graph may be as large as its author makes it


def label_of(node: ir.Node) -> str:
    """The operator or function that a node calls."""
    if isinstance(node, ir.Call):
        callee = node.callee
        return callee.signature.name if isinstance(callee, ir.Operator) else callee.name
    return CONSTANT.name if isinstance(node, ir.Const) else type(node).__name__


def _scope(name: str) -> ModuleScope:
    """A graph has no text; it calls the functions of installed libraries."""
    return scope_without_text(name, InstalledLibraries())
