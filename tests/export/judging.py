"""What must hold of a model that is exported with our functions, judged by torch in double precision."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
import onnx.inliner
import torch
from opwright.torch import Registry, link, missing, translation_table

from tests.export.exporting import LEVELS, export, exported, optimised_nodes, session
from tests.export.zoo import Inputs, Model

Array = np.ndarray[Any, Any]
MOST_OF_TORCH = 4.0  # how much larger an error may be than that of torch in float32


@dataclass(slots=True)
class Judged:
    """What became of a model, exported static or dynamic. `findings` are what does not hold.

    `error` is the largest of its outputs', in units of torch's own in float32; `nodes` are those after inlining and
    onnxruntime's basic optimisation, `plain` those of torch.onnx.export without us, None where it cannot export.
    """

    name: str
    dynamic: bool
    findings: list[str] = field(default_factory=list)
    operators: tuple[str, ...] = ()
    functions: int = 0
    error: float = 0.0
    nodes: int = 0
    plain: int | None = None


def judge(model: Model, registry: Registry, *, dynamic: bool) -> Judged:
    """Exports the model, runs it at the size it was exported with, and where it is dynamic at another one too."""
    judged = Judged(model.name, dynamic)
    try:
        _judge(model, registry, judged)
    except Exception as error:
        judged.findings.append(f"{type(error).__name__}: {str(error)[-600:]}")
    return judged


def _judge(model: Model, registry: Registry, judged: Judged) -> None:
    torch.manual_seed(0)
    module = model.build().eval()
    inputs = model.inputs(model.sizes[0])
    shapes = model.dynamic_shapes() if judged.dynamic else None
    program_of_torch = exported(module, inputs, shapes)
    table = translation_table(registry)
    program = export(program_of_torch, table)
    judged.operators = tuple(sorted(_operators(program.exported_program)))
    linked: Any = link(program)
    made = linked.model_proto
    judged.functions = len(made.functions)
    unknown = [item for item in missing(program.exported_program, registry) if "sym_" not in item.message]
    judged.findings += [f"{item.code} {item.message} ({item.help})" for item in unknown]
    onnx.checker.check_model(made, full_check=True)
    inlined = onnx.inliner.inline_local_functions(made)
    judged.nodes = optimised_nodes(inlined)
    judged.plain = _plain_nodes(exported(module, inputs, shapes))
    if judged.plain is not None and judged.nodes > judged.plain + model.more:
        judged.findings.append(f"{judged.nodes} nodes, and {judged.plain} without our functions")
    for size in model.sizes if judged.dynamic else model.sizes[:1]:
        given = model.inputs(size)
        exact, single = _outputs(_double(module), _doubled(given)), _outputs(module, given)
        for form, proto in (("functions", made), ("inlined", inlined)):
            for level in LEVELS:
                found = _run(proto, given, level)
                judged.findings += _compare(judged, found, single, exact, f"{form}, {level}, size {size}")


def _plain_nodes(program: torch.export.ExportedProgram) -> int | None:
    try:
        alone = export(program, None).model_proto
    except torch.onnx.errors.OnnxExporterError:
        return None
    return optimised_nodes(alone)


def _operators(program: torch.export.ExportedProgram) -> Iterator[str]:
    for node in program.graph.nodes:
        if node.op == "call_function" and isinstance(node.target, torch._ops.OpOverload):
            yield node.target.name()


def _double(module: torch.nn.Module) -> torch.nn.Module:
    return copy.deepcopy(module).double()


def _doubled(inputs: Inputs) -> Inputs:
    return tuple(item.double() if item.is_floating_point() else item for item in inputs)


def _outputs(module: torch.nn.Module, inputs: Inputs) -> list[Array]:
    with torch.no_grad():
        found = module(*inputs)
    return [item.numpy() for item in (found if isinstance(found, tuple | list) else (found,))]


def _run(model: onnx.ModelProto, inputs: Inputs, level: str) -> list[Array]:
    loaded = session(model, LEVELS[level])
    names = [item.name for item in loaded.get_inputs()]
    return list(loaded.run(None, {name: item.numpy() for name, item in zip(names, inputs, strict=True)}))


def _compare(
    judged: Judged, found: Sequence[Array], single: Sequence[Array], exact: Sequence[Array], where: str
) -> Iterator[str]:
    if len(found) != len(exact):
        yield f"{where}: {len(found)} outputs, {len(exact)} are expected"
        return
    for index, (ours, torchs, truth) in enumerate(zip(found, single, exact, strict=True)):
        if ours.shape != torchs.shape or ours.dtype != torchs.dtype:
            yield f"{where}: output {index} is {ours.dtype}{ours.shape}, not {torchs.dtype}{torchs.shape}"
        elif torchs.dtype.kind != "f":
            if not np.array_equal(ours, torchs):
                yield f"{where}: output {index} differs in {int((ours != torchs).sum())} of {ours.size} elements"
        else:
            scale = float(np.abs(truth).max(initial=0.0)) or 1.0
            own = max(float(np.abs(torchs - truth).max(initial=0.0)), scale * float(np.finfo(np.float32).eps))
            error = float(np.abs(ours - truth).max(initial=0.0)) / own
            judged.error = max(judged.error, error)
            if not error <= MOST_OF_TORCH:  # nan too
                yield f"{where}: the error of output {index} is {error:.1f} times that of torch"
            if truth.size > 1 and float(np.ptp(truth)) <= 1e-3 * scale:
                yield f"{where}: output {index} is near constant, and shows nothing"
