"""Lowering that executes: the compiler's own steps, each node of which runs as soon as it is made.

What an operator means, how numbers meet tensors and what is refused is decided by `opwright.lang.lower` alone; here
stands only what is different when values are known.
"""

from __future__ import annotations

from functools import cache
from operator import is_
from types import FrameType
from typing import TYPE_CHECKING, Any

import numpy as np

from opwright.diagnostics.diagnostic import Choice, Diagnostic, DiagnosticError, Place, Related
from opwright.eager.arrays import Data, array_of, type_of
from opwright.eager.node_models import Task, make_task
from opwright.eager.outcome import Failed, NoKernel, as_expected
from opwright.eager.place import place_of, read_place
from opwright.eager.replay import Recording
from opwright.eager.settings import current, is_inside_function
from opwright.eager.task_execution import Loaded, run_on
from opwright.graphs.ndarrays import AXES, as_array, element_of, is_masked
from opwright.lang import ir
from opwright.lang.dead import remove_dead_nodes
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.state.poison import Poisoned
from opwright.lang.meaning.resolve import ModuleScope, NoLibraries, scope_without_text
from opwright.lang.text.source import Misspelt, Span

if TYPE_CHECKING:
    from opwright.lang.meaning.objects import OpsetObject

NOWHERE: Span = (0, 0, 0, 0)  # what is found has the caller's place


class EagerLowering(Lowering):
    """One operation: `data` holds what each of its values is. Findings are raised where they are found.

    `frame` is the author's, which waits for the operation; `recording` what is noted of it, for the next of its kind.
    """

    def __init__(self, opset: int, frame: FrameType | None, recording: Recording | None = None) -> None:
        super().__init__(_empty_scope(), ir.Function("", "", 1, opset, None), {}, {})
        self.frame = frame
        self.recording = recording
        self.trace = current().trace
        self.data: dict[ir.Value, Data] = {}

    @property
    def place(self) -> Place | None:
        """What the author's code is evaluating; found on request, since that takes as long as the code."""
        return place_of(self.frame)

    def written_for(self, opset: OpsetObject) -> int:
        """Python answers questions about `op.version` itself, so that calls within a function are taken as they stand:
        `call_plainly` has the compiler look at the function first."""
        return self.target.opset if is_inside_function() else super().written_for(opset)

    def place_at(self, span: Span | None) -> Place:
        """That of the author's code for what is about the call, not about the function that it is given."""
        about_the_call = span is None or span == NOWHERE
        return (self.place if about_the_call else None) or super().place_at(span)

    @property
    def executes(self) -> bool:
        """Not within a nested region: that is lowered as the compiler does, and run as a whole."""
        return self.region is self.function.body

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
        if not self.executes:
            return super().error(code, message, span, reason, help, related, subject, misspelt, depends_on)
        made = Diagnostic(
            code, message, self.place, reason=reason, help=help, related=related, subject=subject, depends_on=depends_on
        )
        raise DiagnosticError([made]) from None

    # ------------------------------------------------------------------------------------------- values

    def value(self, data: Data, type_: ir.Type) -> ir.Value:
        """A value that is known."""
        made = ir.Value(type_)
        self.data[made] = data
        return made

    def array(self, given: np.ndarray[Any, Any] | np.generic) -> ir.Value:
        """A tensor of a numpy array or scalar; OW325 where ONNX has none of its type."""
        array = as_array(given)
        element = element_of(array)
        if is_masked(given):
            self.error(
                "OW325", "a masked array is not a tensor", None, "no operator looks at masks", "`x.filled(value)`"
            )
        if element is None:
            self.error("OW325", f"an array of {array.dtype} is not a tensor", None, "ONNX has no such element type")
        assert element is not None
        if self.trace is not None:
            self.trace.constant(array)
        return self.value(array, ir.TensorType(element, array.shape))

    @property
    def checks_statically(self) -> bool:
        return not self.executes

    def holds(self, value: ir.Value) -> bool:
        return value in self.data

    # ----------------------------------------------------------------------------------------- execution

    def append(self, node: ir.Node) -> None:
        if not self.executes:
            super().append(node)
            return
        if node.regions():
            _remove_dead_nodes_in(node)
        self._execute(node)

    def constant(self, data: ir.TensorData, span: Span | None) -> ir.Value:
        if len(data.dims) > AXES:
            raise nested_too_deep(self, span)
        array = array_of(data)
        array.flags.writeable = False  # the next operation of this kind may use it too
        if self.trace is not None:
            self.trace.constant(array)
        made = self.value(array, ir.TensorType(data.element, data.dims))
        self.trail.put(self.contents, made, data)
        return made

    def once(
        self,
        key: tuple[object, ...],
        callee: str,
        inputs: list[ir.Value | None],
        attributes: dict[str, ir.Attribute],
        type_: ir.Type,
        span: Span | None,
    ) -> ir.Value:
        made = super().once(key, callee, inputs, attributes, type_, span)
        if made not in self.data:
            self._execute(self.prologue.nodes.pop())
        return made

    def _place_in_graph(self, node: ir.Node) -> str | None:
        source = self.sources.get(node)
        return None if source is None or node.span is None else str(source.place(node.span))

    def _execute(self, node: ir.Node) -> None:
        task = make_task(node, self.target.opset, self.data, self._place_in_graph)
        try:
            results, loaded = run_on(task, task.data)
            expected = [(value, value.type) for value in node.made()]
            for (value, type_), data in zip(expected, results, strict=True):
                self.data[value] = as_expected(data, type_)
                value.type = type_of(self.data[value], type_)
        except NoKernel as refusal:
            self.error(
                "OW371",
                f"no evaluator runs {_describe(task)}",
                None,
                reason=str(refusal),
                help="cast to a type that is supported, or use another evaluator",
                subject=task.name,
            )
        except Failed as failure:
            inner = read_place(failure.node)
            related = () if inner is None else (Related(inner, "here, in the function that it is given"),)
            message = f"{_describe(task)} fails"
            self.error("OW370", message, None, reason=str(failure), related=related, subject=task.name)
        else:
            if self.trace is not None:
                made = [self.data[value] for value, _ in expected]
                self.trace.step(task, made, _is_sure(loaded) and all(map(is_, made, results)))
            if task.key is None:
                self.recording = None  # what its graphs read is not among the operands
            elif self.recording is not None:
                self.recording.step(task, loaded, expected)


def nested_too_deep(low: Lowering, span: Span | None) -> Poisoned:
    """The finding for a list that nests deeper than an array has axes."""
    return low.error(
        "OW311", "a list is nested too deeply", span, reason=f"lists nest at most {AXES} deep, as arrays have axes"
    )


def _is_sure(loaded: Loaded) -> bool:
    return bool(getattr(loaded.session, "is_sure", False))  # onnxruntime's say it


def _remove_dead_nodes_in(node: ir.Node) -> None:
    """What a compiled function does not keep: some of it, such as an `If` without results, no runtime takes."""
    around = ir.Function("", "", 1, 1, None)
    around.body.nodes = [node]
    around.body.yields = node.made()
    remove_dead_nodes(around)


def _describe(task: Task) -> str:
    """`Add(float[2], float[3])`."""
    return f"{task.name}({', '.join(repr(value.type) for value in task.inputs)})"


@cache
def _empty_scope() -> ModuleScope:
    return scope_without_text("eager", NoLibraries())
