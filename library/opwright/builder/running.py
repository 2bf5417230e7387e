"""Running a part of a graph that is being built: what some of its values are, from others that are given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from onnx import ModelProto, TypeProto

from opwright.builder.emission import annotate, emit_named, renamed
from opwright.builder.graph_values import Value
from opwright.builder.python_operands import refuse_mask
from opwright.builder.recorded_model import add_functions, closure_of, refuse_changed
from opwright.builder.recorder import Recorder
from opwright.diagnostics.diagnostic import DiagnosticError
from opwright.eager.failures import explain_failures
from opwright.eager.messages import one_line
from opwright.eager.model_task import ModelTask, model_task
from opwright.eager.ort import OnnxRuntime, is_foreign, load_whole
from opwright.eager.ort_values import is_native
from opwright.eager.outcome import Evaluator, NoKernel
from opwright.eager.reference_evaluator import ReferenceEvaluator
from opwright.eager.settings import evaluators
from opwright.eager.tensor import Tensor
from opwright.elements import BY_CODE, ElementType
from opwright.graphs.ndarrays import DTYPES, as_array, element_of
from opwright.lang import ir
from opwright.lang.emit import write_type
from opwright.lang.meaning.rounding import DoesNotFitError, pack
from opwright.model.finish import lowest_ir_version
from opwright.model.survey import Survey


def run_values(recorder: Recorder, values: Any, given: Mapping[Any, object], inputs: Mapping[str, object]) -> Any:
    """See `GraphBuilder.run`."""
    wanted = list(values) if isinstance(values, (list, tuple)) else [values]
    outputs = {f"o{index}": _inner(recorder, value) for index, value in enumerate(wanted)}
    feeds = _feeds(recorder, given, inputs)
    nodes = _nodes(recorder, list(outputs.values()), feeds)
    read = {value for node in nodes for value in _read_by(node)} | set(outputs.values())
    feeds = {value: array for value, array in feeds.items() if value in read}
    _add_initializers(recorder, feeds, read)
    _check_complete(recorder, nodes, list(outputs.values()), feeds)
    model = _model(recorder, nodes, outputs, list(feeds))
    types = [value.type for value in outputs.values()]
    task = model_task(f"a part of {model.graph.name}", recorder.low.target.opset, model, feeds, types)
    found = _run(recorder, task, nodes)
    return found if isinstance(values, (list, tuple)) else found[0]


def _inner(recorder: Recorder, value: Any) -> ir.Value:
    """A value to look at; those of nested graphs are looked at too, where their parameters are given."""
    if isinstance(value, Value) and value.builder is recorder.owner:
        return value.inner
    recorder.low.error(
        "OW380",
        "what is to be run is no value of this graph",
        None,
        reason=f"it is {value!r}",
        help="give a value that this builder has recorded, or a list of them",
    )
    raise AssertionError


def _feeds(recorder: Recorder, given: Mapping[Any, object], inputs: Mapping[str, object]) -> dict[ir.Value, Any]:
    found: dict[ir.Value, Any] = {}
    for key, data in given.items():
        if isinstance(key, str):
            inputs = {**inputs, key: data}
        else:
            value = _inner(recorder, key)
            found[value] = _checked(recorder, value, data)
    for name, data in inputs.items():
        declared = recorder.inputs.get(name)
        if declared is None:
            recorder.low.error(
                "OW385",
                f"the graph has no input `{name}`",
                None,
                reason=f"its inputs are: {', '.join(f'`{item}`' for item in recorder.inputs) or 'none'}",
                help="other values are given by themselves: `b.run(y, {h: array})`",
            )
        assert declared is not None
        found[declared] = _checked(recorder, declared, data)
    return found


def _of_number(recorder: Recorder, value: ir.Value, number: bool | int | float, element: ElementType) -> Any:
    """A number as an array of that type, which has to hold it; floats are rounded."""
    try:
        pack(number, element)
        return np.asarray(number).astype(DTYPES[element])
    except (DoesNotFitError, OverflowError) as error:
        recorder.low.error(
            "OW385",
            f"what is given for `{value.name}` is not of its type",
            None,
            reason=str(error),
            help="give a number that the type has",
        )


def _checked(recorder: Recorder, value: ir.Value, data: Any) -> Any:
    """The array of what is given for a value, of its element type and rank."""
    if isinstance(data, list) and isinstance(value.type, ir.SequenceType):
        item = ir.Value(value.type.item, value.name)
        return [_checked(recorder, item, part) for part in data]
    if data is None and isinstance(value.type, ir.OptionalType):
        return None
    type_ = value.type.item if isinstance(value.type, ir.OptionalType) else value.type
    element = ir.settle(type_.element) if isinstance(type_, ir.TensorType) else None
    if isinstance(data, (bool, int, float)) and isinstance(element, ElementType):
        data = _of_number(recorder, value, data, element)
    refuse_mask(recorder, data, f"what is given for `{value.name}` is a masked array")
    array = data.numpy() if isinstance(data, Tensor) else as_array(data)
    rank = type_.rank if isinstance(type_, ir.TensorType) else None
    fits = not isinstance(element, ElementType) or element_of(array) is element
    if not fits or (rank is not None and array.ndim != rank):
        recorder.low.error(
            "OW385",
            f"what is given for `{value.name}` is not of its type",
            None,
            reason=f"it is {array.dtype}{list(array.shape)}, and `{value.name}` is {value.type!r}",
            help="convert the array",
        )
    return array


def _nodes(recorder: Recorder, values: list[ir.Value], given: Mapping[ir.Value, object]) -> list[ir.Node]:
    """What computes the values from those that are given, in order. Nodes of nested graphs stand among the others."""
    low = recorder.low
    makers: dict[ir.Value, tuple[int, ir.Node]] = {}
    everything = ir.Region()
    everything.nodes = [*low.prologue.nodes, *low.function.body.nodes]
    for index, (_, node) in enumerate(ir.walk(everything)):
        for value in node.made():
            makers[value] = index, node
    needed: dict[int, ir.Node] = {}
    pending = [value for value in values if value not in given]
    while pending:
        found = makers.get(pending.pop())
        if found is None or found[0] in needed:
            continue
        needed[found[0]] = found[1]
        pending.extend(value for value in _read_by(found[1]) if value not in given)
    return [needed[index] for index in sorted(needed)]


def _read_by(node: ir.Node) -> Iterator[ir.Value]:
    """What a node and the graphs in it read and do not make."""
    yield from node.read()
    own: set[ir.Value] = set()
    read: list[ir.Value] = []
    for region in node.regions():
        own.update(region.parameters)
        read.extend(region.yields)
        for _, inner in ir.walk(region):
            own.update(inner.made())
            read.extend(inner.read())
            for nested in inner.regions():
                own.update(nested.parameters)
                read.extend(nested.yields)
    yield from (value for value in read if value not in own)


def _add_initializers(recorder: Recorder, feeds: dict[ir.Value, Any], read: set[ir.Value]) -> None:
    """Initializers are given as they are: no copy of them is made."""
    used = {name: kept for name, kept in recorder.kept.items() if kept.value in read and kept.value not in feeds}
    refuse_changed(recorder, used)
    for name, kept in used.items():
        if kept.array is None:
            recorder.low.error(
                "OW385",
                f"the elements of `{name}` stand in a file",
                None,
                reason="the file is read when the model is",
                help="give the array: `b.run(y, {w: array})`",
            )
        assert kept.value is not None
        feeds[kept.value] = kept.array


def _check_complete(
    recorder: Recorder, nodes: list[ir.Node], values: list[ir.Value], feeds: Mapping[ir.Value, object]
) -> None:
    made = {value for node in nodes for value in node.made()}
    for value in (*values, *(item for node in nodes for item in _read_by(node))):
        if value not in made and value not in feeds:
            inside = value in recorder.low.homes
            recorder.low.error(
                "OW385",
                f"`{value.name}` is not given",
                None,
                reason="it is a parameter of a nested graph" if inside else "it is an input of the graph",
                help="say what it is: `b.run(y, {value: array})`"
                if inside
                else f"write `b.run(y, {value.name}=array)`",
            )


def _model(
    recorder: Recorder, nodes: list[ir.Node], outputs: Mapping[str, ir.Value], feeds: list[ir.Value]
) -> ModelProto:
    model = ModelProto()
    graph = model.graph
    graph.name = recorder.low.function.name
    closure = closure_of(recorder)
    names = {value: f"i{index}" for index, value in enumerate(feeds)}
    for value, name in names.items():
        write_type(graph.input.add(name=name), value.type)
    for name in outputs:
        graph.output.add(name=name)
    names |= renamed(nodes, {*names.values(), *outputs})
    imports = emit_named(recorder, nodes, outputs, graph, closure.identify, names)
    annotate(recorder, nodes, graph, True)
    add_functions(recorder, model, closure, imports)
    model.ir_version = lowest_ir_version(model, Survey(model))
    return model


def _run(recorder: Recorder, task: ModelTask, nodes: Sequence[ir.Node]) -> list[Any]:
    """On the first active evaluator that takes it. DiagnosticError at the line of the node that fails, where the
    runtime says which."""
    refusals: list[str] = []
    for evaluator in evaluators():
        try:
            with explain_failures(task.whole):
                found = _attempt(evaluator, task)
        except DiagnosticError:
            raise
        except Exception as error:  # runtimes have no base class for what they raise
            only = nodes[0] if len(nodes) == 1 else None
            recorder.low.error(
                "OW370",
                f"`{only.callee.identity[1]}` fails" if isinstance(only, ir.Call) else "this part of the graph fails",
                None,
                reason=one_line(error),
                help="" if only is not None else "look at the values before: `b.run([x, y], ...)`",
            )
            raise AssertionError from error
        if not isinstance(found, NoKernel):
            return found
        refusals.append(str(found))
    recorder.low.error(
        "OW371",
        "no evaluator runs this part of the graph",
        None,
        reason="; ".join(refusals),
        help="run it on another evaluator: `with evaluator.default_as(...)`, or on none in particular",
    )
    raise AssertionError


def _attempt(evaluator: Evaluator, task: ModelTask) -> list[Any] | NoKernel:
    """The results, or why the evaluator does not take the part. Raises what a runtime raises when it fails."""
    feeds = {f"i{index}": array for index, array in enumerate(task.data)}
    if type(evaluator) is ReferenceEvaluator:
        return _evaluate(task, feeds)
    try:
        if type(evaluator) is not OnnxRuntime:
            return evaluator.load(task).run(task.data)
        session = _session(task.whole)
    except NoKernel as refusal:
        return refusal
    return list(session.run(None, feeds))


def _session(model: ModelProto) -> Any:
    """Raises NoKernel."""
    if not all(_is_native(item.type) for item in model.graph.input):
        raise NoKernel("onnxruntime: numpy has no arrays of these types")
    session = load_whole(model)
    if any(is_foreign(item.type) for item in session.get_outputs()):
        raise NoKernel("onnxruntime: numpy has no arrays of the types of the results")
    return session


def _is_native(type_: TypeProto) -> bool:
    code = type_.tensor_type.elem_type
    return code not in BY_CODE or is_native(BY_CODE[code].name)


def _evaluate(task: ModelTask, feeds: Mapping[str, Any]) -> list[Any]:
    from onnx.reference import ReferenceEvaluator as Evaluator

    return list(Evaluator(task.model(task.opset)).run(None, dict(feeds)))
