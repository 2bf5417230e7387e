"""The round trip of the standard's node tests: model to text to model, compiled where nothing but the text is."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import ModelProto, TypeProto, ValueInfoProto
from onnx.reference import ReferenceEvaluator
from opwright import DiagnosticError, compare
from opwright.decompiler.decompile import decompile
from opwright.graphs.walk import all_graphs

ROOT = Path(__file__).parents[2]
# Their results differ from run to run.
RANDOM = frozenset(["Bernoulli", "Dropout", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform"])
RANDOM_ALL = RANDOM | {"RandomUniformLike"}


@dataclass(frozen=True, slots=True)
class Failure:
    """A case whose round trip does not hold. `stage`: decompile, compile, interface, imports, or a runtime."""

    name: str
    stage: str
    reason: str


def round_trips(cases: Sequence[Any], folder: Path, faithful: bool = False) -> Iterator[Failure]:
    """Every case that fails; `folder` holds what is written on the way."""
    folder.mkdir(parents=True, exist_ok=True)
    left = []
    for case in cases:
        try:
            made = decompile(case.model, side_file=f"{case.name}.npz", faithful=faithful)
            made.write(folder / f"{case.name}.py")
            left.append(case)
        except DiagnosticError as error:
            yield Failure(case.name, "decompile", error.diagnostics[0].message)
    compile_folder(folder)
    for case in left:
        found = _judge(case, folder, faithful)
        if found is not None:
            yield Failure(case.name, *found)


def compile_folder(folder: Path) -> None:
    """Makes what the modules of a folder say, in a new process."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "library"), str(ROOT)])}
    command = [sys.executable, "-m", "tests.decompiler.make_models", str(folder)]
    subprocess.run(command, check=True, cwd=ROOT, env=environment)


def _judge(case: Any, folder: Path, faithful: bool) -> tuple[str, str] | None:
    refused = folder / f"{case.name}.txt"
    if refused.exists():
        return "compile", refused.read_text(encoding="utf-8")
    made = onnx.load(folder / f"{case.name}.onnx")
    original = case.model
    for stage, ours, theirs in (
        ("imports", imports_of(original), imports_of(made)),
        ("interface", interface_of(original), interface_of(made)),
    ):
        if ours != theirs:
            return stage, f"{ours} is {theirs}"
    if faithful:
        compared = compare(without_inner_types(original), without_inner_types(made))
        if not compared:
            return "compare", compared.explain()
    return same_results(case, original, made)


def same_results(case: Any, original: ModelProto, made: ModelProto) -> tuple[str, str] | None:
    """Where two models differ on the data of a case: on the runtimes on which the original gives what it should."""
    for name, run in (("onnxruntime", run_ort), ("reference", run_reference)):
        found = _runtime(name, run, case, original, made)
        if found is not None:
            return found
    return None


def without_inner_types(model: ModelProto) -> ModelProto:
    """The model without the types that its nodes' graphs declare: those follow from the nodes."""
    plain = ModelProto()
    plain.CopyFrom(model)
    for nodes in (plain.graph.node, *(function.node for function in plain.functions)):
        for node in nodes:
            for attribute in node.attribute:
                for graph in all_graphs(attribute.g):
                    for value in (*graph.input, *graph.output):
                        value.ClearField("type")
    return plain


def imports_of(model: ModelProto) -> dict[str, int]:
    return {item.domain: item.version for item in model.opset_import}


def interface_of(model: ModelProto) -> tuple[Any, ...]:
    graph = model.graph
    values = [[_value(item) for item in field] for field in (graph.input, graph.output)]
    about = (graph.name, graph.doc_string, model.doc_string, model.ir_version, model.producer_name)
    return (*values, *about)


def _value(value: ValueInfoProto) -> tuple[str, str]:
    return value.name, _type_text(value.type)


def _type_text(type_: TypeProto) -> str:
    return " ".join(str(type_).split())


def _runtime(name: str, run: Any, case: Any, original: ModelProto, made: ModelProto) -> tuple[str, str] | None:
    random = any(node.op_type in RANDOM_ALL for node in case.model.graph.node)
    for inputs, expected in case.data_sets:
        try:
            wanted = run(original, inputs)
        except Exception:  # the runtime does not take the original, for whatever reason
            return None
        if not random and not all(map(_close, wanted, expected)):
            return None
        try:
            found = run(made, inputs)
        except Exception as error:  # what the runtime has against the model is the finding
            return name, f"{type(error).__name__}: {error}"
        if not all(_alike(a, b) if random else equal(a, b) for a, b in zip(wanted, found, strict=True)):
            return name, "the results differ"
    return None


def run_ort(model: ModelProto, inputs: Sequence[Any], packs: bool = True) -> list[Any]:
    """The results; `packs`: onnxruntime may lay weights out anew, which changes last bits of what they meet."""
    import onnxruntime as ort

    options = ort.SessionOptions()
    if not packs:
        options.add_session_config_entry("session.disable_prepacking", "1")
    options.log_severity_level = 4
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    names = [item.name for item in session.get_inputs()]
    given = dict(zip(names, inputs, strict=False))
    return list(session.run(None, given))


def run_reference(model: ModelProto, inputs: Sequence[Any]) -> list[Any]:
    names = [item.name for item in model.graph.input]
    with np.errstate(all="ignore"):
        return list(ReferenceEvaluator(model).run(None, dict(zip(names, inputs, strict=False))))


def equal(one: Any, other: Any) -> bool:
    if isinstance(one, list) or isinstance(other, list):
        return (
            isinstance(one, list) and isinstance(other, list) and len(one) == len(other) and all(map(equal, one, other))
        )
    if one is None or other is None:
        return one is other
    a, b = np.asarray(one), np.asarray(other)
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    return a.tolist() == b.tolist() if a.dtype.kind in "OU" else a.tobytes() == b.tobytes()


def _alike(one: Any, other: Any) -> bool:
    a, b = np.asarray(one), np.asarray(other)
    return a.dtype == b.dtype and a.shape == b.shape


def _close(found: Any, expected: Any) -> bool:
    if isinstance(expected, (list, tuple)) or isinstance(found, list):
        return isinstance(found, list) and len(found) == len(expected) and all(map(_close, found, expected))
    if expected is None or found is None:
        return found is expected
    a, b = np.asarray(found), np.asarray(expected)
    if a.shape != b.shape:
        return False
    if a.dtype.kind in "OU" or b.dtype.kind in "OU":
        return bool(a.astype(str).tolist() == b.astype(str).tolist())
    with np.errstate(all="ignore"):
        wide = complex if "c" in (a.dtype.kind, b.dtype.kind) else float
        return bool(np.allclose(a.astype(wide), b.astype(wide), rtol=1e-3, atol=1e-5, equal_nan=True))
