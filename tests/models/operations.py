"""What is done to each model, one row an operation, and how the result is judged."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
from onnx import ModelProto, helper
from opwright import DiagnosticError, attach, compare, decompile
from opwright.bundle.format import Bundle
from opwright.decompiler.parts import MOST_BYTES
from opwright.downlevel.rewrite import Rewritten, polyfill_libraries
from opwright.downlevel.target import opset_alone, target_of_opset
from opwright.graphs.walk import all_graphs
from opwright.link.apply import attach_libraries
from opwright.link.detach import detach
from opwright.opsets.records import CONSTANT

from tests.decompiler.roundtrip import compile_folder, equal, imports_of, interface_of, without_inner_types
from tests.models.model import Feeds

OFF = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
UP, DOWN = 26, 15  # opsets that models are converted to; onnxruntime takes none that is newer yet
DEFAULT = ort.GraphOptimizationLevel.ORT_ENABLE_ALL


class Verdict(Enum):
    """The mark that it has in the summary."""

    EQUAL = "equal, bit for bit"
    CLOSE = "close: functions stand where runtimes have kernels"
    IDLE = "nothing to do"
    WRONG = "differs, refused or failed"


@dataclass(frozen=True, slots=True)
class Cell:
    model: str
    operation: str
    verdict: Verdict
    detail: str = ""


@dataclass(slots=True)
class Original:
    """A model, its inputs, and what onnxruntime gives, by the level of its optimiser."""

    name: str
    family: str
    model: ModelProto
    feeds: Sequence[Feeds]
    results: dict[Any, list[list[Any]]] = field(default_factory=dict)

    def expected(self, level: Any) -> list[list[Any]]:
        if level not in self.results:
            self.results[level] = run(self.model, self.feeds, level)
        return self.results[level]


@dataclass(frozen=True, slots=True)
class Made:
    """`exact`: no function stands where the original has a kernel, which may round otherwise."""

    model: ModelProto
    exact: bool = True
    levels: tuple[Any, ...] = (OFF,)


Operation = Callable[[Original], Made | str | None]


def run(model: ModelProto, feeds: Sequence[Feeds], level: Any) -> list[list[Any]]:
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.graph_optimization_level = level
    session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return [list(session.run(None, given)) for given in feeds]


def judge(original: Original, operation: str, do: Operation) -> Cell:
    try:
        made = do(original)
        if made is None or isinstance(made, str):
            return Cell(original.name, operation, Verdict.WRONG if made else Verdict.IDLE, made or "")
        for level in made.levels:
            verdict, detail = compared(original.expected(level), run(made.model, original.feeds, level), made.exact)
            if detail:
                return Cell(original.name, operation, Verdict.WRONG, f"{level.name}: {detail}")
        return Cell(original.name, operation, verdict)
    except DiagnosticError as error:
        return Cell(original.name, operation, Verdict.WRONG, str(error))
    except Exception:  # whatever it is, it is this cell's finding
        return Cell(original.name, operation, Verdict.WRONG, traceback.format_exc())


def compared(expected: list[list[Any]], found: list[list[Any]], exact: bool) -> tuple[Verdict, str]:
    pairs = [pair for one, other in zip(expected, found, strict=True) for pair in zip(one, other, strict=True)]
    if all(equal(one, other) for one, other in pairs):
        return Verdict.EQUAL, ""
    far = [text for one, other in pairs if (text := distance(one, other, exact))]
    return (Verdict.WRONG, "; ".join(far)) if far else (Verdict.CLOSE, "")


def distance(one: Any, other: Any, exact: bool) -> str:
    """How two results differ; empty where they are equal, or close where that will do."""
    if equal(one, other):
        return ""
    if isinstance(one, dict) and isinstance(other, dict) and list(one) == list(other):
        one, other = list(one.values()), list(other.values())
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return "; ".join(filter(None, (distance(a, b, exact) for a, b in zip(one, other, strict=True))))
    a, b = np.asarray(one), np.asarray(other)
    if a.dtype != b.dtype or a.shape != b.shape:
        return f"{b.dtype}{list(b.shape)} instead of {a.dtype}{list(a.shape)}"
    if a.dtype.kind in "OU":
        return "texts differ"
    with np.errstate(all="ignore"):
        wide, narrow = a.astype(np.float64), b.astype(np.float64)
        largest = np.max(np.abs(wide), initial=0, where=np.isfinite(wide))
        if not exact and np.allclose(narrow, wide, rtol=1e-4, atol=1e-5 + 1e-4 * largest, equal_nan=True):
            return ""
        return f"differs by up to {np.nanmax(np.abs(wide - narrow)):.3g} of {largest:.3g}"


def decompiled(originals: Sequence[Original], folder: Path, faithful: bool, library: Bundle | None = None) -> Operation:
    """Every module is written first, and compiled in a process that has never seen the originals. With a library they
    are the models that it is attached to."""
    folder.mkdir(parents=True)
    refused: dict[str, str] = {}
    for original in originals:
        try:
            model = original.model if library is None else attach(original.model, library, replace=True)
            decompile(model, faithful=faithful).write(folder / f"{original.name}.py")
        except DiagnosticError as error:
            refused[original.name] = str(error)
        except Exception:  # whatever it is, it is this cell's finding
            refused[original.name] = traceback.format_exc()
    compile_folder(folder)
    return partial(_recompiled, folder=folder, refused=refused, faithful=faithful, library=library)


def _recompiled(
    original: Original, folder: Path, refused: Mapping[str, str], faithful: bool, library: Bundle | None
) -> Made | str | None:
    told = folder / f"{original.name}.txt"
    if original.name in refused or told.exists():
        return refused.get(original.name) or told.read_text(encoding="utf-8")
    made = onnx.load(folder / f"{original.name}.onnx")
    if library is not None:
        return Made(made, exact=False) if made.functions else None
    if imports_of(made) != imports_of(original.model):
        return f"imports {imports_of(original.model)} are {imports_of(made)}"
    if interface_of(made) != interface_of(original.model):
        return f"interface {interface_of(original.model)} is {interface_of(made)}"
    if faithful:
        compared = compare(*map(as_promised, (original.model, made)))
        if not compared:
            return compared.explain()
    return Made(made, levels=(OFF, DEFAULT))


def as_promised(model: ModelProto) -> ModelProto:
    """Of what the faithful form leaves out, or writes in another way (docs/decompile.md), a form that is the same."""
    plain = without_inner_types(model)
    for graph in all_graphs(plain.graph):
        nodes = list(graph.node)
        if graph is not plain.graph:
            nodes[:0] = [helper.make_node("Constant", [], [item.name], value=item) for item in graph.initializer]
            del graph.initializer[:]
        for node in [node for node in nodes if CONSTANT.describes(node)]:
            tensor = next((item.t for item in node.attribute if item.name == "value"), None)
            if tensor is not None and tensor.ByteSize() > MOST_BYTES:
                nodes.remove(node)
                plain.graph.initializer.add().CopyFrom(tensor)
                plain.graph.initializer[-1].name = node.output[0]
        del graph.node[:]
        graph.node.extend(nodes)
    return plain


def attached(original: Original, bundle: Bundle) -> Made | str | None:
    """Everything that the library has is served, and taken out again."""
    done = attach_libraries(original.model, [bundle], replace=True)
    if detach(done.model).SerializeToString(deterministic=True) != original.model.SerializeToString(deterministic=True):
        return "detach gives other bytes"
    return Made(done.model, exact=False) if done.served else None


def polyfilled(original: Original, bundle: Bundle, opset: int) -> Made | str | None:
    done = polyfill_libraries(original.model, [bundle], target_of_opset(opset))
    return judged_rewritten(original, done) if done.treatments or done.inlined else None


def judged_rewritten(original: Original, done: Rewritten) -> Made | str:
    if not done.inlined:
        back = detach(done.model).SerializeToString(deterministic=True)
        if back != original.model.SerializeToString(deterministic=True):
            return "detach gives other bytes"
    return Made(done.model, exact=not any(item.identity for item in done.treatments))


def converted(original: Original, bundle: Bundle, opset: int, up: bool) -> Made | str | None:
    """To another opset, where that is in the direction that is meant; `detach` gives the model back."""
    here = imports_of(original.model).get("", 0)
    if not here or here == opset or (here < opset) != up:
        return None
    done = polyfill_libraries(original.model, [bundle], opset_alone(opset))
    return judged_rewritten(original, done)


def operations(originals: Sequence[Original], bundle: Bundle, folder: Path) -> dict[str, Operation]:
    return {
        "readable": decompiled(originals, folder / "readable", faithful=False),
        "faithful": decompiled(originals, folder / "faithful", faithful=True),
        "attach": partial(attached, bundle=bundle),
        "as text": decompiled(originals, folder / "attached", faithful=False, library=bundle),
        **{f"to {opset}": partial(polyfilled, bundle=bundle, opset=opset) for opset in (18, 17, 13)},
        "up": partial(converted, bundle=bundle, opset=UP, up=True),
        "down": partial(converted, bundle=bundle, opset=DOWN, up=False),
    }
