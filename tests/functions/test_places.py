"""Where findings stand that come from functions which are called, and what they say."""

from __future__ import annotations

import collections
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from opwright import DOUBLE, FLOAT, INT64, Opset, script
from opwright import opset18 as op
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, DiagnosticWarning

Pair = collections.namedtuple("Pair", "scale shift")
PAIR = Pair(2.0, 3.0)
LINES = Path(__file__).read_text(encoding="utf-8").split("\n")


def found(run: Callable[[], object]) -> tuple[Diagnostic, ...]:
    with pytest.raises(DiagnosticError) as caught:
        run()
    return caught.value.diagnostics


def line(place: Any) -> str:
    """The source line of a place in this file."""
    assert place is not None
    assert Path(place.file).resolve() == Path(__file__).resolve()
    return LINES[place.line - 1].strip()


def unknown(x):
    return op.NoSuch(x)


def through(x):
    return unknown(x)


def test_an_error_in_a_helper_stands_at_the_call() -> None:
    @script()
    def f(x: FLOAT["N"]):
        return unknown(x)

    (item,) = found(f.to_model_proto)
    assert item.code == "OW201"
    assert line(item.place) == "return unknown(x)"
    (inside,) = item.related
    assert (line(inside.place), inside.note) == ("return op.NoSuch(x)", "in this call of `unknown`")


def test_helpers_that_call_helpers() -> None:
    @script()
    def f(x: FLOAT["N"]):
        return through(x)

    (item,) = found(f.to_model_proto)
    assert line(item.place) == "return through(x)"
    assert [line(inside.place) for inside in item.related] == ["return unknown(x)", "return op.NoSuch(x)"]
    assert [inside.note for inside in item.related] == ["in this call of `through`", "in this call of `unknown`"]


def test_an_error_in_a_helper_is_told_once() -> None:
    @script()
    def f(x: FLOAT["N"]):
        return unknown(x) + unknown(x)

    @script()
    def unrolled(x: FLOAT["N"]):
        for axis in (0, -1):
            x = op.NoSuch(op.Softmax(x, axis=axis))
        return x

    assert len(found(f.to_model_proto)) == 1
    assert len(found(unrolled.to_model_proto)) == 1


def test_each_call_of_a_function_that_does_not_compile_is_told_at_its_place() -> None:
    @script()
    def broken(x: FLOAT["N"]):
        return op.NoSuch(x)

    @script()
    def f(x: FLOAT["N"]):
        y = broken(x)
        z = broken(x + 1.0)
        for axis in (0, -1):
            x = broken(op.Softmax(x, axis=axis))
        return x + y + z

    calls = [line(item.place) for item in found(f.to_model_proto) if item.code == "OW350"]
    assert calls == ["y = broken(x)", "z = broken(x + 1.0)", "x = broken(op.Softmax(x, axis=axis))"]


def test_a_helper_that_calls_a_function_that_does_not_compile_is_told_once() -> None:
    @script()
    def broken(x: FLOAT["N"]):
        return op.NoSuch(x)

    def calls(x):
        return broken(x)

    @script()
    def f(x: FLOAT["N"]):
        return calls(x) + calls(x + 1.0)

    (item,) = [item for item in found(f.to_model_proto) if item.code == "OW350"]
    assert line(item.place) == "return calls(x) + calls(x + 1.0)"


def test_a_nested_function_is_the_function_itself() -> None:
    @script()
    def f(x: FLOAT["N"]):
        def inner(y):
            return op.NoSuch(y)

        return inner(x)

    (item,) = found(f.to_model_proto)
    assert line(item.place) == "return op.NoSuch(y)"


def test_a_callee_with_errors() -> None:
    @script()
    def broken(x):
        return op.NoSuch(x)

    @script()
    def f(x: FLOAT["N"]):
        return broken(x)

    own, call = found(f.to_model_proto)
    assert (own.code, line(own.place)) == ("OW201", "return op.NoSuch(x)")
    assert (call.code, line(call.place), call.help) == ("OW350", "return broken(x)", "fix its errors first")
    assert [line(note.place) for note in call.related] == ["return op.NoSuch(x)"]


def test_a_template_stands_at_its_call() -> None:
    @script()
    def folded(x, count: int):
        for axis in range(count):
            x = op.NoSuch(op.Softmax(x, axis=axis))
        return x

    @script()
    def f(x: FLOAT["N", "M"]):
        return folded(x, count=2)

    (item,) = found(f.to_model_proto)
    assert line(item.place) == "return folded(x, count=2)"
    assert line(item.related[0].place) == "x = op.NoSuch(op.Softmax(x, axis=axis))"


@pytest.fixture
def installed(tmp_path: Path) -> Iterator[Any]:
    """A module of another package."""
    folder = tmp_path / "site-packages"
    folder.mkdir()
    text = (
        "def scaled(x):\n    names = {i: 1 for i in (1, 2)}\n    for key in {1, 2}:\n        x = x * names[key]\n"
        "    return {x}\n"
    )
    (folder / "opwright_test_package.py").write_text(text)
    sys.path.insert(0, str(folder))
    import opwright_test_package

    yield opwright_test_package
    sys.path.remove(str(folder))
    del sys.modules["opwright_test_package"]


def test_code_of_another_package_is_one_finding(installed: Any) -> None:
    @script()
    def f(x: FLOAT["N"]):
        return installed.scaled(x)

    (item,) = found(f.to_model_proto)
    assert (item.code, line(item.place)) == ("OW336", "return installed.scaled(x)")
    assert item.message == "`scaled` of another package is not part of the language"
    assert [Path(note.place.file).name for note in item.related] == ["opwright_test_package.py"]


def test_onnx_helper() -> None:
    """A finding of its own file at most: which of them, the version of onnx says."""

    @script()
    def f(x: FLOAT["N"]):
        return x + onnx.helper.make_sequence_type_proto(x)

    for item in found(f.to_model_proto):
        assert line(item.place) == "return x + onnx.helper.make_sequence_type_proto(x)"


# ------------------------------------------------------------------------------------------------ what they say


def test_a_pair_of_annotations() -> None:
    @script()
    def f(x: FLOAT["N"]) -> (FLOAT["N"], DOUBLE["N"]):
        return x, op.Cast(x, to=DOUBLE)

    assert [info.type.tensor_type.elem_type for info in f.to_model_proto().graph.output] == [1, 11]

    @script()
    def wrong(x: FLOAT["N"]) -> (FLOAT["N"], DOUBLE["N"]):
        return x, x

    assert [item.code for item in found(wrong.to_model_proto)] == ["OW210"]

    @script()
    def three(x: FLOAT["N"]) -> (FLOAT["N"], FLOAT["N"]):
        return x, x, x

    (item,) = found(three.to_model_proto)
    assert item.message == "`three` returns 3 values, and 2 are declared"


def test_sequences_and_tensors() -> None:
    @script()
    def unannotated(xs):
        return op.SequenceAt(xs, 0)

    @script()
    def relu(x: FLOAT["N"]):
        return op.Relu(op.SequenceConstruct(x, x))

    @script()
    def at(x: FLOAT["N"]):
        return op.SequenceAt(x, 0)

    helps = []
    for function in (unannotated, relu, at):
        (item,) = found(function.to_function_proto)
        assert item.code == "OW208"
        assert item.reason.count("(") == item.reason.count(")")
        helps.append(item.help)
    assert helps == [
        "annotate the input, which is a tensor otherwise: `xs: Sequence[FLOAT]`",
        "take an item, `op.SequenceAt(xs, 0)`, or join them, `op.ConcatFromSequence(xs, axis=0)`",
        "make a sequence of it: `op.SequenceConstruct(x)`",
    ]
    (item,) = found(unannotated.to_function_proto)
    assert item.reason.startswith("ai.onnx::SequenceAt@11, its version at opset 18, takes sequences of bool, ")


def options(x, **kw):
    return x * kw["alpah"]


def test_keyword_arguments_of_a_helper() -> None:
    @script()
    def f(x: FLOAT["N"]):
        return options(x, alpha=1.0)

    (item,) = found(f.to_model_proto)
    assert (item.code, item.message) == ("OW312", "the dictionary has no key `'alpah'`")
    assert [line(note.place) for note in item.related] == ['return x * kw["alpah"]']


def test_namedtuples() -> None:
    @script()
    def made(x: FLOAT["N"]):
        p = Pair(x, 1.0)
        return p[0]

    @script()
    def read(x: FLOAT["N"]):
        return x * PAIR.scale

    @script()
    def by_index(x: FLOAT["N"]):
        return x * PAIR[0]

    @script()
    def by_another_name(x: FLOAT["N"]):
        return x * PAIR.factor

    for function in (made, read, by_index):
        assert function.to_model_proto().graph.node
    (item,) = found(by_another_name.to_model_proto)
    assert (item.code, item.help) == ("OW304", "write the item's index, `p[0]`, or unpack the tuple: `a, b = p`")


def test_print_is_a_warning() -> None:
    @script()
    def f(x: FLOAT["N"]):
        for i in (0, 1):
            print(f"trip {i}", x)
        return x + 1.0

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = f.to_model_proto()
    texts = [str(item.message) for item in caught if isinstance(item.message, DiagnosticWarning)]
    assert [text.split("\n")[0] for text in texts] == ["OW337: `print` does nothing in a graph"]
    assert [node.op_type for node in model.graph.node] == ["Constant", "Add"]

    @script()
    def used(x: FLOAT["N"]):
        return op.Add(x, print(x))

    assert [item.code for item in found(used.to_model_proto)] == ["OW304"]


def test_print_prints_where_the_function_runs_as_python(capsys: pytest.CaptureFixture[str]) -> None:
    @script()
    def f(x: FLOAT["N"]):
        print("here")
        return x + 1.0

    assert f(np.array([1.0], np.float32)).tolist() == [2.0]
    assert capsys.readouterr().out == "here\n"


@pytest.mark.parametrize("domain", ["com.custom", "com.microsoft", "ai.onnx.ml"])
def test_an_unknown_operator_of_a_domain(domain: str) -> None:
    opset = Opset(domain, 1)

    @script()
    def f(x: FLOAT["N"]):
        return opset.NoSuchThing(x)

    (item,) = found(f.to_model_proto)
    assert item.code == "OW201"
    assert f'`Opset("{domain}", 1, open=True)`' in item.help


def test_a_name_without_a_value_says_on_which_path() -> None:
    @script()
    def f(x: FLOAT["N"]):
        if op.ReduceMax(x, keepdims=0) > 0.0:
            y = x
        return y

    (item,) = found(f.to_model_proto)
    assert item.code == "OW308"
    number = int(item.reason.removeprefix("it is not bound when the condition in line ").removesuffix(" is false"))
    assert LINES[number - 1].strip().startswith("if op.ReduceMax(")


def test_a_name_of_two_types() -> None:
    @script()
    def f(x: FLOAT["N"]):
        if op.ReduceMax(x, keepdims=0) > 0.0:
            y = x
            z = x
        else:
            z = -x
            y = op.Cast(x, to=INT64)
        return y, z

    (item,) = found(f.to_model_proto)
    assert (item.code, item.message) == ("OW308", "`y` has no single type here")
    assert item.reason == "it is a value of type float[N] on one path, and a value of type int64[N] on the other"


def is_large(x):
    return x.rank > 2


def test_which_expression_asks() -> None:
    @script()
    def f(x, limit=None):
        if is_large(x):
            return x
        return x if limit is None else op.Min(x, limit)

    (item,) = found(f.to_function_proto)
    assert item.code == "OW353"
    notes = {note.note: line(note.place) for note in item.related}
    assert notes["this asks about `limit`"] == "return x if limit is None else op.Min(x, limit)"
    assert notes["this asks about `x.rank`"] == "if is_large(x):"
