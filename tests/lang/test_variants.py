"""Static questions: presence, element type, opset; one variant per answer, in declared order."""

from __future__ import annotations

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from conftest_lang import Compiler, model_of, run_everywhere
from opwright.lang.emit import emit_function
from opwright.lang.families.family import Family, admitted, build_family, labels_of
from opwright.variants import overload_of

CLIP = """\
def F(x, low=None, high=None):
    if low is not None:
        x = op.Max(x, low)
    if high is not None:
        x = op.Min(x, high)
    return x
"""


def test_presence(compiler: Compiler) -> None:
    family = compiler.family(CLIP, {"x": "float", "low": "float", "high": "float"}, {"y": "float"})
    assert [dict(variant.key) for variant in family.variants] == [
        {"low": low, "high": high} for low in ("absent", "present") for high in ("absent", "present")
    ]
    x, low, high = np.array([-2, 0, 5], np.float32), np.float32(-1), np.float32(3)
    expected = [x, np.minimum(x, high), np.maximum(x, low), np.clip(x, low, high)]
    for variant, wanted in zip(family.variants, expected, strict=True):
        function = variant.lowered.function
        assert function is not None
        names = [value.name for value in function.inputs]
        arrays = {name: array for name, array in (("x", x), ("low", low), ("high", high)) if name in names}
        for (got,) in run_everywhere(function, {name: np.asarray(array) for name, array in arrays.items()}).values():
            np.testing.assert_array_equal(got, wanted)


def test_a_forwarded_optional_input_needs_no_variant(compiler: Compiler) -> None:
    text = "def F(x, axes=None):\n    return op.ReduceSum(x, axes)\n"
    function = compiler.function(text, {"x": "float", "axes": "int64"}, {"y": "float"})
    x = np.ones((2, 3), np.float32)
    for (got,) in run_everywhere(function, {"x": x}).values():
        assert got.item() == 6
    for (got,) in run_everywhere(function, {"x": x, "axes": np.array([1])}).values():
        assert got.tolist() == [[3], [3]]


def test_element_types(compiler: Compiler) -> None:
    text = "def F(x):\n    if x.dtype == FLOAT:\n        return op.Sigmoid(x)\n    return op.Abs(x)\n"
    family = compiler.family(text, {"x": "T"}, {"y": "T"}, {"T": ["int32", "float"]})
    keys = [dict(variant.key) for variant in family.variants]
    assert keys == [{"T": "float"}, {"T": "int32"}]
    functions = [variant.lowered.function for variant in family.variants]
    operators = [emit_function(function, "d").node[0].op_type for function in functions if function is not None]
    assert operators == ["Sigmoid", "Abs"]


def test_a_variant_whose_type_an_operator_refuses_does_not_exist(compiler: Compiler) -> None:
    text = "def F(x):\n    if x.dtype == DOUBLE:\n        return op.Abs(x)\n    return op.Sigmoid(x)\n"
    family = compiler.family(text, {"x": "T"}, {"y": "T"}, {"T": ["double", "int32", "float"]})
    assert [dict(variant.key)["T"] for variant in family.variants] == ["float", "double"]
    assert [dict(variant.key)["T"] for variant in family.refused] == ["int32"]
    assert not family.diagnostics


def test_a_mistake_is_told_whatever_the_rank_of_its_variant(compiler: Compiler) -> None:
    """No rank may have two ellipses, and one of a rank that a comparison tells apart says so too."""
    text = "def F(x):\n    if x.rank < 2:\n        return x[..., 0, ...]\n    return op.Abs(x)\n"
    family = compiler.family(text, {"x": "float"}, {"y": "float"})
    assert ([item.code for item in family.diagnostics], family.refused) == (["OW342"], ())


def test_a_mistake_of_all_types_is_told_once(compiler: Compiler) -> None:
    """And what helps against it in another way than of others is told besides."""
    text = "def F(x):\n    y = op.Abs(x) if x.dtype == FLOAT else x\n    return y.foo + y\n"
    types = {"T": ["float", "double", "int32", "int64"]}
    found = compiler.family(text, {"x": "T"}, {"y": "T"}, types).diagnostics
    assert [(item.code, item.message) for item in found] == [
        ("OW304", "`.foo` of a value of type float[...] is not part of the language")
    ]
    text = "def F(x):\n    y = op.Abs(x) if x.dtype == FLOAT else x\n    return y << 1\n"
    found = compiler.family(text, {"x": "T"}, {"y": "T"}, types).diagnostics
    assert [item.message.rpartition(" ")[2] for item in found] == ["float", "int32"]


def test_op_version_is_static(compiler: Compiler) -> None:
    text = "def F(x):\n    if op.version < 20:\n        return op.Exp(x)\n    return op.Gelu(x)\n"
    for opset, name in ((18, "Exp"), (20, "Gelu")):
        family = compiler.family(text, {"x": "float"}, {"y": "float"}, opset=opset)
        function = family.variants[0].lowered.function
        assert function is not None
        assert emit_function(function, "d").node[0].op_type == name


def test_admitted_types_follow_from_the_operators(compiler: Compiler) -> None:
    text = "def F(x):\n    return op.Relu(x)\n"
    types = {"T": ["float", "int32", "bool", "string"]}
    old = compiler.function(text, {"x": "T"}, {"y": "T"}, types, opset=13)
    new = compiler.function(text, {"x": "T"}, {"y": "T"}, types, opset=14)
    assert admitted(old) == (("T", ("float",)),)
    assert admitted(new) == (("T", ("float", "int32")),)


def test_a_type_that_an_attribute_decides(compiler: Compiler) -> None:
    text = "def F(x, to: int = 1):\n    return op.Cast(x, to=to)\n"
    function = compiler.function(text, {"x": "float"}, {"y": "U"}, {"U": ["float", "int64"]})
    for code, dtype in ((1, np.float32), (7, np.int64)):
        for (got,) in run_everywhere(function, {"x": np.array([1.5], np.float32)}, {"to": code}).values():
            assert got.dtype == dtype


STATE = """\
def F(x, state=None):
    if state is None:
        return op.Neg(x)
    return op.CastLike(x, state)
"""


def test_a_type_that_only_absent_inputs_have_is_what_the_body_makes(compiler: Compiler) -> None:
    inputs, outputs = {"x": "T", "state": "S"}, {"y": "S"}
    family = compiler.family(STATE, inputs, outputs, {"T": ["float", "double"], "S": ["float", "double", "float16"]})
    assert keys(family) == ["state=absent", "state=present"]
    narrower = compiler.family(STATE, inputs, outputs, {"T": ["float", "double"], "S": ["float"]})
    assert [item.code for item in narrower.diagnostics] == ["OW210"]


# -------------------------------------------------------------------------------------------------- attributes

LITERAL = "from typing import Literal, Optional\n"


def keys(family: Family) -> list[str]:
    assert not family.diagnostics, family.diagnostics
    return [overload_of(variant.key) for variant in family.variants]


def proto_of(family: Family, key: str) -> onnx.FunctionProto:
    (function,) = [item.lowered.function for item in family.variants if overload_of(item.key) == key]
    assert function is not None
    return emit_function(function, "d", key)


def test_an_enumerated_attribute_answers_statically(compiler: Compiler) -> None:
    text = LITERAL + (
        "def F(x, mode: Literal['relu', 'neg', 'abs'] = 'neg'):\n"
        "    if mode == 'relu':\n        return op.Relu(x)\n"
        "    return op.Neg(x) if mode in ('neg', 'minus') else op.Abs(x)\n"
    )
    family = compiler.family(text, {"x": "float"}, {"y": "float"})
    assert keys(family) == ["mode=relu", "mode=neg", "mode=abs"]
    for key, operator in (("mode=relu", "Relu"), ("mode=neg", "Neg"), ("mode=abs", "Abs")):
        proto = proto_of(family, key)
        assert [node.op_type for node in proto.node] == [operator]
        assert not proto.attribute  # it is part of the variant's name now


@pytest.mark.parametrize(
    ("parameters", "body", "expected"),
    [
        # only passed on, or computed with: no question
        ("x, n: Literal[1, 2] = 1", "return op.Softmax(x, axis=n)", [""]),
        ("x, n: Literal[1, 2] = 1", "return x * n", [""]),
        ("x, flag: bool = False", "return x if flag else op.Neg(x)", [""]),
        # needed when the function is built
        ("x, n: Literal[0, 1] = 1", "return op.Transpose(x, perm=[n, 1 - n])", ["n=0", "n=1"]),
        ("x, flag: bool = False", "return op.Softmax(x, axis=[0, 1][flag])", ["flag=0", "flag=1"]),
        ("x, n: Literal[1, 2] = 1", "return op.Neg(x) if n == 2 else x", ["n=1", "n=2"]),
        ("x, n: Literal[0, 1] = 1", "return op.Neg(x) if n else x", ["n=0", "n=1"]),
        (
            "x, n: Literal[1, 2] = 1",
            "for i in range(n):\n        x = op.Softmax(x, axis=i)\n    return x",
            ["n=1", "n=2"],
        ),
        ("x, n: Optional[Literal[0, 1]] = None", "return x if n is None else op.Softmax(x, axis=n)", None),
    ],
)
def test_which_attributes_become_axes(
    compiler: Compiler, parameters: str, body: str, expected: list[str] | None
) -> None:
    family = compiler.family(LITERAL + f"def F({parameters}):\n    {body}\n", {"x": "float"}, {"y": "float"})
    assert keys(family) == (["n=absent", "n=present"] if expected is None else expected)


def test_variants_of_static_attributes_compute_what_python_does(compiler: Compiler) -> None:
    text = LITERAL + "def F(x, n: Literal[0, 1] = 1):\n    return op.Transpose(x, perm=[n, 1 - n])\n"
    family = compiler.family(text, {"x": "float"}, {"y": "float"})
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    for variant, expected in zip(family.variants, (x, x.T), strict=True):
        assert variant.lowered.function is not None
        for (got,) in run_everywhere(variant.lowered.function, {"x": x}).values():
            np.testing.assert_array_equal(got, expected)


def test_text_that_selects_a_branch(compiler: Compiler) -> None:
    text = "def F(x, mode: str = 'a'):\n    if mode == 'a':\n        return op.Relu(x)\n    return op.Neg(x)\n"
    function = compiler.function(text, {"x": "float"}, {"y": "float"}, opset=19)
    x = np.array([-1, 2], np.float32)
    for mode, expected in (("a", [0, 2]), ("b", [1, -2])):  # the reference evaluator cannot compare text
        model = model_of(function, {"x": x}, {"mode": mode}).SerializeToString()
        session = ort.InferenceSession(model, providers=["CPUExecutionProvider"])
        assert session.run(None, {"x": x})[0].tolist() == expected
    assert compiler.codes(text, {"x": "float"}, {"y": "float"}, opset=18) == ["OW365"]


def test_an_open_attribute_that_is_needed_makes_a_template(compiler: Compiler) -> None:
    text = "def F(x, n: int = 1):\n    return op.Transpose(x, perm=[n, 1 - n])\n"
    family = compiler.family(text, {"x": "float"}, {"y": "float"})
    assert [item.code for item in family.diagnostics] == ["OW361"]
    given = build_family(compiler.unit(text, {"x": "float"}, {"y": "float"}), 18, {"n": "0"})
    assert keys(given) == ["n=0"]


# ---------------------------------------------------------------------------------------------------- presence


@pytest.mark.parametrize(
    ("body", "absent", "present"),
    [
        ("return x if y is None else x + y", "Identity", "Add"),
        ("y = y if y is not None else x\n    return x + y", "Add", "Add"),
        ("for i in range(2):\n        if y is not None:\n            x = x + y\n    return x", "Loop", "Loop"),
        ("return helper(x, y)", "Neg", "Mul"),
        ("z = y\n    return x if z is None else x - z", "Identity", "Sub"),
        ("return x if not (y is not None and y.dtype == FLOAT) else op.Relu(y)", "Identity", "Relu"),
        ("ys = [a for a in (x, y) if a is not None]\n    return op.Sum(*ys)", "Sum", "Sum"),
    ],
)
def test_presence_is_asked_wherever_the_input_goes(compiler: Compiler, body: str, absent: str, present: str) -> None:
    helper = "def helper(a, b=None):\n    if b is None:\n        return op.Neg(a)\n    return a * b\n"
    family = compiler.family(f"{helper}def F(x, y=None):\n    {body}\n", {"x": "float", "y": "float"}, {"z": "float"})
    assert keys(family) == ["y=absent", "y=present"]
    for key, operator in (("y=absent", absent), ("y=present", present)):
        proto = proto_of(family, key)
        assert proto.node[-1].op_type == operator
        assert list(proto.input) == (["x", "y"] if "present" in key else ["x"])


# ----------------------------------------------------------------------------------------------------- asserts


def test_an_assert_rules_out_combinations(compiler: Compiler) -> None:
    text = CLIP.replace(
        "    if low is not None", "    assert low is not None or high is None\n    if low is not None", 1
    )
    family = compiler.family(text, {"x": "float", "low": "float", "high": "float"}, {"y": "float"})
    assert keys(family) == ["low=absent,high=absent", "low=present,high=absent", "low=present,high=present"]


def test_an_assert_on_types(compiler: Compiler) -> None:
    text = "def F(x):\n    assert x.dtype in (FLOAT, DOUBLE)\n    return op.Abs(x)\n"
    family = compiler.family(text, {"x": "T"}, {"y": "T"}, {"T": ["int32", "float", "double"]})
    assert keys(family) == ["T=float", "T=double"]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("assert x.dtype == DOUBLE", "OW312"),
        ("assert y is None and y is not None", "OW363"),
        ("assert op.Size(x) > 0", "OW303"),
    ],
)
def test_asserts_that_leave_nothing(compiler: Compiler, body: str, code: str) -> None:
    text = f"def F(x, y=None):\n    {body}\n    return x\n"
    assert compiler.codes(text, {"x": "float", "y": "float"}, {"z": "float"}) == [code]


# ---------------------------------------------------------------------------------------------------- operators


def test_an_operator_that_needs_different_forms_splits_the_types(compiler: Compiler) -> None:
    text = "def F(x, y):\n    return x // y\n"
    family = compiler.family(text, {"x": "T", "y": "T"}, {"z": "T"}, {"T": ["float", "int32", "uint8"]})
    assert keys(family) == ["T=float", "T=uint8", "T=int32"]
    for variant, dtype in zip(family.variants, (np.float32, np.uint8, np.int32), strict=True):
        assert variant.lowered.function is not None
        arrays = {"x": np.array([7, 3]).astype(dtype), "y": np.array([2, 5]).astype(dtype)}
        for (got,) in run_everywhere(variant.lowered.function, arrays).values():
            np.testing.assert_array_equal(got, arrays["x"] // arrays["y"])


# -------------------------------------------------------------------------------------------------- names


def test_equal_variants_have_one_name(compiler: Compiler) -> None:
    text = "def F(x):\n    if x.rank == 2 or x.rank == 4:\n        return op.Relu(x)\n    return op.Neg(x)\n"
    family = compiler.family(text, {"x": "float"}, {"y": "float"})
    named = labels_of(family)
    assert {overload_of(key): overload_of(label) for key, label in named.items()} == {
        "x.rank=2": "x.rank=2",
        "x.rank=4": "x.rank=2",
        "x.rank=other": "x.rank=other",
    }


def test_a_question_that_changes_nothing_leaves_no_name(compiler: Compiler) -> None:
    text = "def F(x):\n    if x.rank == 2:\n        return op.Relu(x)\n    return op.Relu(x)\n"
    family = compiler.family(text, {"x": "float"}, {"y": "float"})
    assert set(labels_of(family).values()) == {()}


@pytest.mark.parametrize(
    ("condition", "mistake", "code"),
    [
        ("x.rank < 2", "None[0]", "OW340"),
        ("x.rank < 2", "x['a']", "OW340"),
        ("x.rank < 2", "x @ None", "OW314"),
        ("x.rank > 3", "x + op.Shape(x)", "OW315"),
        ("x.rank < 2", "~x", "OW314"),
        ("1 <= x.rank < 3", "x * (x.shape[0] / 2 & 2)", "OW314"),
        ("x.rank < 2", "x[0, 0]", "OW342"),
        ("x.rank < 1", "x[0]", "OW342"),
        ("x.rank <= 1 and y.rank > 2", "x[0, 0]", "OW342"),
        ("x.rank < 3", "x[0, 0] if x.rank < 2 else x", "OW342"),
        ("x.rank < 2 and x.rank != 1", "x[0]", "OW342"),
    ],
)
def test_what_is_wrong_at_each_rank_is_told(compiler: Compiler, condition: str, mistake: str, code: str) -> None:
    text = f"def F(x, y):\n    if {condition}:\n        return {mistake}\n    return op.Abs(x) + y\n"
    family = compiler.family(text, {"x": "float", "y": "float"}, {"z": "float"})
    assert ({item.code for item in family.diagnostics}, family.refused) == ({code}, ())


@pytest.mark.parametrize(
    ("condition", "body", "refused"),
    [
        ("x.rank < 3", "x[0, 0]", ["0", "1"]),
        ("x.rank <= 1 and y.rank > 1", "x[0] + y[0, 0]", ["0"]),
        ("x.rank > 1 and y.rank > 1", "x[0, 0] + y[0, 0]", []),
        ("x.rank < 1 or x.rank > 2", "x[0]", ["0"]),
        ("not 1 <= x.rank < 3", "x[0]", ["0"]),
        ("x.rank < 2 or y.rank < 1", "x[0, 0] + y", ["0", "1"]),
    ],
)
def test_a_rank_that_is_refused_beside_one_that_is_not_has_no_variant(
    compiler: Compiler, condition: str, body: str, refused: list[str]
) -> None:
    text = f"def F(x, y):\n    if {condition}:\n        return {body}\n    return op.Abs(x) + y\n"
    family = compiler.family(text, {"x": "float", "y": "float"}, {"z": "float"})
    assert not family.diagnostics
    assert [dict(variant.key)["x.rank"] for variant in family.refused] == refused
