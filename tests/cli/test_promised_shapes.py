"""Shapes and ranks of an interface are promises: to vectors, results, calls in source and on arrays, and models."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from opwright.diagnostics.diagnostic import DiagnosticError

Opwright = Callable[..., Any]
SPECS = Path("specs/com.acme")

SPEC = """\
schema: 1
domain: com.acme
name: {name}
summary: A function.
since_version: 1
opset: ">=18"
inputs: {inputs}
outputs: {outputs}
types: {{T: [float]}}
vectors: [vectors.yaml]
"""
HEAD = "from opwright import FLOAT, opset18 as op\nfrom base import opset1 as acme\n\n\n"
ROWS = "schema: 1\nrows:\n"


def add(name: str, function: str, rows: str, inputs: str = "{X: T}", outputs: str = "{Y: T}") -> None:
    (SPECS / name).mkdir()
    (SPECS / name / "spec.yaml").write_text(SPEC.format(name=name, inputs=inputs, outputs=outputs))
    (SPECS / name / "function.py").write_text(HEAD + function)
    (SPECS / name / "vectors.yaml").write_text(ROWS + rows)


def row(name: str, x: str, y: str) -> str:
    return f"  - {{name: {name}, inputs: {{X: {x}}}, outputs: {{Y: {y}}}}}\n"


GOOD = row("good", "[[1, 2, 3], [4, 5, 6]]", "[[1, 2, 3], [4, 5, 6]]")
WIDE = row("wide", "[[1, 2, 3, 4]]", "[[1, 2, 3, 4]]")
RELU = "def F(X):\n    return op.Relu(X)\n"
ANNOTATED = "def F(X: FLOAT[2, 3]):\n    return op.Relu(X)\n"


def at(text: str, file: str) -> str:
    """The first finding, from its place on."""
    return next(line for line in text.splitlines() if line.startswith(f"specs/com.acme/{file}"))


@pytest.mark.parametrize(
    ("function", "inputs", "said"),
    [
        (ANNOTATED, "{X: T}", "X has shape [1, 4], and [2, 3] is declared"),
        (RELU, "{X: {type: T, shape: [2, 3]}}", "X has shape [1, 4], and [2, 3] is declared"),
        (RELU, "{X: {type: T, shape: [N, 3]}}", "X has shape [1, 4], and [N, 3] is declared"),
        (RELU, "{X: {type: T, rank: 3}}", "X has rank 2, and rank 3 is declared"),
        (RELU, "{X: {type: T, shape: [N, N]}}", "X has shape [1, 4], and [N, N] is declared, where N is 1"),
    ],
)
def test_an_input_of_a_vector_keeps_the_shape(
    library: Path, opwright: Opwright, function: str, inputs: str, said: str
) -> None:
    add("F", function, WIDE, inputs)
    ran = opwright("test", "--no-oracle")
    assert ran.status == 1
    found = at(ran.out, "F/vectors.yaml:3:")
    assert "OW142" in found and said in found
    assert found.startswith("specs/com.acme/F/vectors.yaml:3:27")


def test_vectors_that_keep_them_pass(library: Path, opwright: Opwright) -> None:
    add("F", "def F(X: FLOAT['N', 3]) -> FLOAT['N', 3]:\n    return op.Relu(X)\n", GOOD)
    assert opwright("test", "--no-oracle", "-s", "F").status == 0


def test_what_a_vector_expects_keeps_the_shape_too(library: Path, opwright: Opwright) -> None:
    add("F", "def F(X) -> FLOAT[7]:\n    return op.Concat(X, X, axis=0)\n", row("short", "[1, 2]", "[1, 2, 1, 2]"))
    ran = opwright("test", "--no-oracle", "-s", "F")
    found = at(ran.out, "F/vectors.yaml:3:")
    assert "OW142" in found and "Y has shape [4], and [7] is declared" in found
    # With a size of the inputs filled in.
    (SPECS / "F" / "function.py").write_text(
        HEAD + "def F(X: FLOAT['N']) -> FLOAT['N']:\n    return op.Concat(X, X, axis=0)\n"
    )
    assert "Y has shape [4], and [2] is declared" in opwright("test", "--no-oracle", "-s", "F").out


def test_a_result_that_contradicts_the_declaration_fails(library: Path, opwright: Opwright) -> None:
    """Where nothing else is known of the values: a promise is held against what every runtime gives."""
    add("F", "def F(X: FLOAT['N']) -> FLOAT['N']:\n    return op.Concat(X, X, axis=0)\n", "")
    spec = SPECS / "F" / "spec.yaml"
    spec.write_text(spec.read_text() + "reference: reference.py\n")
    (SPECS / "F" / "reference.py").write_text("import numpy as np\n\n\ndef F(X):\n    return np.concatenate([X, X])\n")
    (SPECS / "F" / "vectors.yaml").write_text(ROWS + "  - {name: only, inputs: {X: [1, 2, 3]}}\n")
    ran = opwright("test", "--no-oracle", "-s", "F", "--json")
    failed = [line for line in ran.lines if line["event"] == "outcome"]
    assert failed and {line["status"] for line in failed} == {"fail"}
    assert {line["message"] for line in failed} == {"Y has shape [6], and [3] is declared"}
    assert "Y has shape [6], and [3] is declared" in opwright("test", "-s", "F").out, "the reference says otherwise"


@pytest.mark.parametrize(
    ("function", "inputs", "outputs", "place", "said"),
    [
        (ANNOTATED, "{X: {type: T, rank: 3}}", "{Y: T}", "5:7", "its annotation says [2, 3], YAML rank 3"),
        (ANNOTATED, "{X: {type: T, shape: [2, 4]}}", "{Y: T}", "5:7", "its annotation says [2, 3], YAML [2, 4]"),
        ("def F(X) -> FLOAT[7]:\n    return op.Relu(X)\n", "{X: T}", "{Y: {type: T, rank: 2}}", "5:13", "YAML rank 2"),
        ("def F(X: FLOAT['<b>']):\n    return op.Relu(X)\n", "{X: T}", "{Y: T}", "5:7", "`<b>` is no name of a size"),
        (
            "def F(X) -> tuple[FLOAT[7], FLOAT[7]]:\n    return op.Relu(X)\n",
            "{X: T}",
            "{Y: T}",
            "5:13",
            "`outputs:` of the spec names `Y`",
        ),
    ],
)
def test_python_and_yaml_agree(
    library: Path, opwright: Opwright, function: str, inputs: str, outputs: str, place: str, said: str
) -> None:
    add("F", function, GOOD, inputs, outputs)
    ran = opwright("build")
    assert ran.status == 1
    assert "OW211" in at(ran.out, f"F/function.py:{place}") and said in ran.out


def test_a_body_is_checked_against_what_it_returns(library: Path, opwright: Opwright) -> None:
    add("F", "def F(X: FLOAT[2, 3]) -> FLOAT[7]:\n    return op.Relu(X)\n", GOOD)
    ran = opwright("build")
    assert ran.status == 1 and "OW210" in at(ran.out, "F/function.py:6:")


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (
            "def G(X: FLOAT[4, 3]):\n    return acme.F(X)\n",
            "`X` of com.acme::F@1 has shape [4, 3], and [2, 3] is declared",
        ),
        ("def G(X: FLOAT['A', 'B', 3]):\n    return acme.F(X)\n", "has rank 3, and [2, 3] is declared"),
        ("def G(X: FLOAT[2, 3]):\n    return acme.F(op.Unsqueeze(acme.F(X), axes=[0]))\n", "has rank 3"),
    ],
)
def test_a_call_of_another_function_keeps_the_shape(
    library: Path, opwright: Opwright, function: str, said: str
) -> None:
    add("F", "def F(X: FLOAT[2, 3]) -> FLOAT[2, 3]:\n    return op.Relu(X)\n", GOOD)
    add("G", function, GOOD)
    ran = opwright("build")
    assert ran.status == 1
    found = at(ran.out, "G/function.py:6:")
    assert "OW143" in found and said in found


def test_what_is_not_known_may_be_right(library: Path, opwright: Opwright) -> None:
    add("F", "def F(X: FLOAT[2, 3]) -> FLOAT[2, 3]:\n    return op.Relu(X)\n", GOOD)
    add("G", "def G(X: FLOAT['A', 'B']):\n    return acme.F(X)\n", GOOD)
    assert opwright("test", "--no-oracle", "-s", "F", "-s", "G").status == 0


def test_names_bind_over_the_inputs_of_a_call(library: Path, opwright: Opwright) -> None:
    rows = "  - {name: same, inputs: {X: [1, 2], Z: [3, 4]}, outputs: {Y: [4, 6]}}\n"
    add("F", "def F(X: FLOAT['N'], Z: FLOAT['N']):\n    return op.Add(X, Z)\n", rows, "{X: T, Z: T}")
    bad = "def G(X: FLOAT[2], Z: FLOAT[1]):\n    return acme.F(X, Z)\n"
    add("G", bad, "  - {name: one, inputs: {X: [1, 2], Z: [3]}, outputs: {Y: [4, 5]}}\n", "{X: T, Z: T}")
    found = at(opwright("build").out, "G/function.py:6:")
    assert "`Z` of com.acme::F@1 has shape [1], and [N] is declared, where N is 2 in X" in found
    add(
        "H",
        "def H(X: FLOAT['N'], Z: FLOAT['N']):\n    return op.Add(X, Z)\n",
        rows.replace("[3, 4]", "[3]"),
        "{X: T, Z: T}",
    )
    assert "Z has shape [1], and [N] is declared, where N is 2 in X" in opwright("test", "--no-oracle", "-s", "H").out


SCAN = """\
def F(X):
    def step(total, item):
        total = total + item
        return total, total

    first = op.Squeeze(op.Slice(X, [0], [1], [0]), [0])
    _, sums = op.Scan(op.Sub(first, first), X, body=step, num_scan_inputs=1)
    return sums
"""


@pytest.mark.parametrize("function", ["F", "G"])
def test_a_declared_rank_reaches_the_runtimes(library: Path, opwright: Opwright, function: str) -> None:
    """onnxruntime runs a Scan only where it can derive ranks: in a body, and in one that calls it."""
    rows = row("sums", "[[1, 2], [3, 4]]", "[[1, 2], [4, 6]]")
    add("F", SCAN, rows, "{X: {type: T, rank: 2}}")
    add("G", "def G(X):\n    return acme.F(op.Relu(X))\n", rows, "{X: {type: T, rank: 2}}")
    ran = opwright("test", "--no-oracle", "-s", function, "--json")
    outcomes = {(line["runtime"], line["status"]) for line in ran.lines if line["event"] == "outcome"}
    assert outcomes == {(name, "pass") for name in ("onnxruntime/off", "onnxruntime/full", "reference")}, ran.out


@pytest.fixture
def package(library: Path, opwright: Opwright, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    rows = "  - {name: same, inputs: {X: [[1, 2, 3]], Z: [3]}, outputs: {Y: [[4, 5, 6]]}}\n"
    body = "def F(X: FLOAT['N', 3], Z: FLOAT['N']) -> FLOAT['N', 3]:\n    return op.Add(X, op.Unsqueeze(Z, [1]))\n"
    add("F", body, rows, "{X: T, Z: T}")
    assert opwright("build").status == 0
    monkeypatch.syspath_prepend(str(library / "library"))
    yield import_module("base.opset1")
    for name in [name for name in sys.modules if name.partition(".")[0] == "base"]:
        del sys.modules[name]


def test_a_call_on_arrays_keeps_the_shape(package: ModuleType) -> None:
    x = np.ones((2, 3), np.float32)
    assert package.F(x, np.ones(2, np.float32)).shape == (2, 3)
    with pytest.raises(DiagnosticError, match=r"(?s)OW143.*`Z` of com.acme::F@1 has shape \[3\].*N is 2 in X"):
        package.F(x, np.ones(3, np.float32))
    with pytest.raises(DiagnosticError, match=r"OW143.*has shape \[2, 2\], and \[N, 3\] is declared"):
        package.F(x[:, :2], np.ones(2, np.float32))
    with pytest.raises(DiagnosticError, match=r"OW143.*has rank 1"):
        package.F(x[0], np.ones(2, np.float32))


def test_a_script_that_calls_it_keeps_the_shape(package: ModuleType) -> None:
    import opwright

    source = (
        "from opwright import FLOAT, opset18 as op, script\nfrom base import opset1 as acme\n\n\n@script()\n"
        "def wrong(x: FLOAT[2, 4], z: FLOAT[2]):\n    return op.Relu(acme.F(x, z))\n"
    )
    scope: dict[str, Any] = {}
    Path("wrong.py").write_text(source)
    exec(compile(source, "wrong.py", "exec"), scope)
    with pytest.raises(DiagnosticError, match="OW143"):
        scope["wrong"].to_model_proto()
    builder = opwright.GraphBuilder(opset=18)
    x, z = builder.input("x", opwright.FLOAT[2, 4]), builder.input("z", opwright.FLOAT[2])
    with pytest.raises(DiagnosticError, match="OW143"):
        package.F(x, z)


def model(x: tuple[Any, ...] | None, z: tuple[Any, ...] | None) -> None:
    nodes = [
        helper.make_node("F", ["x", "z"], ["f"], domain="com.acme"),
        helper.make_node("F", ["f", "z"], ["y"], domain="com.acme"),
    ]
    inputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in (("x", x), ("z", z))]
    graph = helper.make_graph(nodes, "g", inputs, [helper.make_tensor_value_info("y", TensorProto.FLOAT, [None, 3])])
    made = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 18), helper.make_opsetid("com.acme", 1)], ir_version=10
    )
    onnx.save(made, "model.onnx")


@pytest.mark.parametrize(
    ("x", "z", "said"),
    [
        ((2, 4), (2,), "the input X of com.acme::F@1 has shape [2, 4], and [N, 3] is declared"),
        (("a", 3, 1), (2,), "the input X of com.acme::F@1 has rank 3, and [N, 3] is declared"),
        (("a", 4), None, "the input X of com.acme::F@1 has shape [?, 4], and [N, 3] is declared"),
        ((2, 3), (5,), "the input Z of com.acme::F@1 has shape [5], and [N] is declared, where N is 2 in X"),
    ],
)
def test_a_node_of_a_model_keeps_the_shape(
    package: ModuleType, opwright: Opwright, x: tuple[Any, ...], z: tuple[Any, ...] | None, said: str
) -> None:
    model(x, z)
    (bundle,) = Path("dist").glob("*.onnxlib")
    ran = opwright("attach", "model.onnx", "--library", str(bundle), "-o", "out.onnx")
    assert ran.status == 1 and "OW143" in ran.out + ran.err and said in ran.out + ran.err
    assert not Path("out.onnx").exists()


@pytest.mark.parametrize("shapes", [((2, 3), (2,)), (("a", 3), (None,)), ((None, None), ("b",))])
def test_a_node_that_may_be_right_is_served(package: ModuleType, opwright: Opwright, shapes: tuple[Any, Any]) -> None:
    model(*shapes)
    (bundle,) = Path("dist").glob("*.onnxlib")
    assert opwright("attach", "model.onnx", "--library", str(bundle), "-o", "out.onnx").status == 0


def test_an_interface_says_its_shapes(package: ModuleType, opwright: Opwright) -> None:
    assert "X  T, [N, 3]" in opwright("show", "F").out
    stub = Path("library/base/opset1.pyi").read_text()
    assert "X (T, [N, 3])" in stub and "Y (T, [N, 3])" in stub


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("X: FLOAT['N', 3]", "X: FLOAT[2, 3]", "F/function.py:5:7"),
        ("-> FLOAT['N', 3]", "-> FLOAT['N', None]", "F/function.py:5:40"),
        ("X: FLOAT['N', 3], Z: FLOAT['N']", "X: FLOAT['M', 3], Z: FLOAT['N']", "F/function.py:5:7"),
    ],
)
def test_a_released_shape_stays(package: ModuleType, opwright: Opwright, old: str, new: str, place: str) -> None:
    assert opwright("release", "1.0.0").status == 0
    file = SPECS / "F" / "function.py"
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new))
    ran = opwright("build")
    assert ran.status == 1 and "OW611" in at(ran.out, place)
    file.write_text(file.read_text().replace(new, old).replace("'N'", "'Rows'"))
    assert opwright("build").status == 0, "the names of sizes are no promise"
