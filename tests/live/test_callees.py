"""A caller is lowered once, however many functions it calls and however it names them."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FrameType, ModuleType

import onnx
import pytest
from opwright import FLOAT, DiagnosticError, GraphBuilder, OnnxFunction
from opwright.lang.lower.function import Attempt

Load = Callable[[str, str], ModuleType]
HEAD = "from opwright import FLOAT, opset18 as op, script\n\n"
MAIN = 'def main(x: FLOAT["N", 3]) -> FLOAT["N", 3]:\n'


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Load]:
    """A module of a given name and text, which others can import."""
    monkeypatch.syspath_prepend(str(tmp_path))
    names: list[str] = []

    def made(name: str, text: str) -> ModuleType:
        path = tmp_path / f"{name}.py"
        path.write_text(text)
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        names.append(name)
        spec.loader.exec_module(module)
        return module

    yield made
    for name in names:
        del sys.modules[name]


def callees(count: int) -> str:
    return HEAD + "".join(f"@script()\ndef f{i}(x):\n    return op.Relu(x) + {i}.5\n\n" for i in range(count))


def fan(count: int, callee: str = "f{}") -> str:
    calls = "".join(f"    x = {callee.format(i)}(x)\n" for i in range(count))
    return f"@script()\n{MAIN}{calls}    return x\n"


def helpers(count: int) -> str:
    return "".join(f"def h{i}(x):\n    return f{i}(x)\n\n" for i in range(count))


def chain(count: int) -> str:
    steps = "".join(f"@script()\ndef f{i}(x):\n    return op.Relu(f{i - 1}(x))\n\n" for i in range(1, count))
    return f"{HEAD}@script()\ndef f0(x):\n    return op.Neg(x)\n\n{steps}@script()\n{MAIN}    return f{count - 1}(x)\n"


def from_functions(load: Load, count: int) -> ModuleType:
    return load("callers", callees(count) + fan(count))


def from_a_module(load: Load, count: int) -> ModuleType:
    load("callees_of_it", callees(count))
    return load("callers", f"import callees_of_it as other\n{HEAD}{fan(count, 'other.f{}')}")


def from_helpers(load: Load, count: int) -> ModuleType:
    return load("callers", callees(count) + helpers(count) + fan(count, "h{}"))


def from_a_list(load: Load, count: int) -> ModuleType:
    listed = f"STEPS = [{', '.join(f'f{i}' for i in range(count))}]\n\n"
    body = "    for step in STEPS:\n        x = step(x)\n    return x\n"
    return load("callers", f"{callees(count)}{listed}@script()\n{MAIN}{body}")


def from_each_other(load: Load, count: int) -> ModuleType:
    return load("callers", chain(count))


@pytest.mark.parametrize("program", [from_functions, from_a_module, from_helpers, from_a_list, from_each_other])
def test_each_function_of_a_model_is_lowered_once(load: Load, program: Callable[[Load, int], ModuleType]) -> None:
    count = 40
    main = program(load, count).main
    models: list[onnx.ModelProto] = []
    assert lowered(lambda: models.append(main.to_model_proto())) == count + 1
    assert len(models[0].functions) == count


def lowered(step: Callable[[], object]) -> int:
    """How often a step lowers a function."""
    code: CodeType = Attempt.run.__code__
    count = 0

    def seen(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        if event == "call" and frame.f_code is code:
            count += 1

    before = sys.getprofile()
    sys.setprofile(seen)
    try:
        step()
    finally:
        sys.setprofile(before)
    return count


def test_a_builder_compiles_what_it_calls_once(load: Load) -> None:
    module = load("callers", chain(40))

    def build() -> None:
        builder = GraphBuilder(opset=18)
        value = builder.input("x", FLOAT["N", 3])
        for index in range(40):
            value = builder.call(getattr(module, f"f{index}"), value)
        builder.output("y", value)
        assert len(builder.to_model_proto().functions) == 40

    assert lowered(build) == 40


ONLY_NAMED = """
@script()
def newer(x):
    return op.Gelu(x)

@script()
def older(x):
    return op.Relu(x)

@script()
def main(x: FLOAT["N"]) -> FLOAT["N"]:
    if op.version >= 20:
        y = newer(x)
    else:
        y = older(x)
    return y
"""


def test_what_is_wrong_with_a_function_counts_where_it_is_called(load: Load) -> None:
    main: OnnxFunction = load("callers", HEAD + ONLY_NAMED).main
    assert [node.op_type for node in main.to_function_proto().node] == ["older"]
    assert [item.name for item in main.to_model_proto().functions] == ["older"]
    with_gelu = main.to_model_proto(opset=20)
    assert [item.name for item in with_gelu.functions] == ["newer"]


def test_a_named_function_without_source_is_no_error(load: Load) -> None:
    made = "exec('@script()\\ndef newer(x):\\n    return op.Relu(x)\\n')\n\n"
    module = load("callers", HEAD + made + ONLY_NAMED.split("\n\n", 1)[1])
    assert [node.op_type for node in module.main.to_function_proto().node] == ["older"]
    with pytest.raises(DiagnosticError) as caught:
        module.main.to_function_proto(opset=20)
    assert [item.code for item in caught.value.diagnostics] == ["OW351"]


RECURSIVE = """
@script()
def again(x):
    return start(x) + 1.0

@script()
def start(x):
    if op.version >= 20:
        x = again(x)
    return op.Relu(x)

@script()
def main(x: FLOAT["N"]) -> FLOAT["N"]:
    return start(x)
"""


def test_a_circle_counts_where_it_is_called(load: Load) -> None:
    main: OnnxFunction = load("callers", HEAD + RECURSIVE).main
    assert [item.name for item in main.to_model_proto().functions] == ["start"]
    with pytest.raises(DiagnosticError) as caught:
        main.to_model_proto(opset=20)
    assert [item.code for item in caught.value.diagnostics] == ["OW323"]


def test_a_builder_says_again_what_is_wrong_with_a_function(load: Load) -> None:
    module = load("callers", HEAD + ONLY_NAMED)
    builder = GraphBuilder(opset=18)
    value = builder.input("x", FLOAT["N"])
    for _ in range(2):
        with pytest.raises(DiagnosticError) as caught:
            builder.call(module.newer, value)
        assert [item.code for item in caught.value.diagnostics] == ["OW202"]
