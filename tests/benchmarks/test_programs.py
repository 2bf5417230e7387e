"""The drawn programs are valid, differ from one another, and are the same again for the same seed."""

from __future__ import annotations

import re
import types
from pathlib import Path

import onnx
import pytest
from opwright import decompile, digest
from opwright.graphs.walk import all_nodes

from benchmarks.generated_specs import DOMAIN, LARGE, function_name
from benchmarks.models import MODELS
from benchmarks.programs import PROGRAMS, functions

SEEDS = (1, 424242)


def _module(path: Path, text: str) -> types.ModuleType:
    path.write_text(text, encoding="utf-8")
    module = types.ModuleType("program")
    module.__file__ = str(path)
    exec(compile(text, str(path), "exec"), vars(module))
    return module


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", ["functions", "long", "live", "nested"])
def test_every_function_compiles(kind: str, seed: int, tmp_path: Path) -> None:
    module = _module(tmp_path / "program.py", PROGRAMS[kind](seed, 12, "opwright"))
    found = [value for name, value in vars(module).items() if re.fullmatch(r"f\d+", name)]
    assert len(found) == (1 if kind in ("long", "live") else 12)
    context = onnx.checker.C.CheckerContext()
    context.ir_version, context.opset_imports = 8, {"": 18}
    for function in found:
        proto = function.to_function_proto()
        assert len(proto.node) >= 5
        onnx.checker.check_function(proto, context)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", ["calls", "chain"])
def test_every_model_has_its_functions(kind: str, seed: int, tmp_path: Path) -> None:
    module = _module(tmp_path / "program.py", PROGRAMS[kind](seed, 12, "opwright"))
    model = vars(module)["main"].to_model_proto()
    onnx.checker.check_model(model, full_check=True)
    assert len(model.functions) >= 11  # the first or the last one is the graph


@pytest.mark.parametrize("seed", SEEDS)
def test_the_first_program_runs(seed: int, tmp_path: Path) -> None:
    _module(tmp_path / "program.py", PROGRAMS["first"](seed, 1, "opwright"))


def test_functions_have_ten_operators_and_differ() -> None:
    texts = functions(1, 200, "opwright").split("@script(default_opset=op)\n")[1:]
    assert len(texts) == 200
    assert len({re.sub(r"^def f\d+", "", text) for text in texts}) == 200
    annotated = sum("FLOAT" in text or "DOUBLE" in text for text in texts)
    assert 60 < annotated < 140


@pytest.mark.parametrize("kind", PROGRAMS)
def test_the_seed_decides(kind: str) -> None:
    program = PROGRAMS[kind]
    assert program(3, 8, "opwright") == program(3, 8, "opwright")
    assert program(3, 8, "opwright") != program(4, 8, "opwright")
    assert program(3, 8, "opwright").replace("from opwright ", "from onnxscript ") == program(3, 8, "onnxscript")


def test_models_are_valid() -> None:
    for kind in ("decompile", "layers"):
        model = MODELS[kind](5, 300)
        onnx.checker.check_model(model, full_check=kind == "layers")
        assert decompile(model).text.count("\n") > 250
    assert len(MODELS["decompile"](5, 300).graph.node) == 300
    found = MODELS["digest"](5, 50).functions
    assert len({digest(function) for function in found}) == 50


def test_models_that_are_attached_to_call_functions_of_the_library() -> None:
    for seed in SEEDS:
        model = MODELS["attach"](seed, 600)
        onnx.checker.check_model(model)
        assert len(model.graph.node) == 600
        called = [node.op_type for node in all_nodes(model.graph.node) if node.domain == DOMAIN]
        assert len(called) > 150
        assert {*called} <= {function_name(number) for number in range(LARGE)}
    one = MODELS["attach"](1, 1).graph.node
    assert [node.domain for node in one] == [DOMAIN]
