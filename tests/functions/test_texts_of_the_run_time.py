"""Texts that become STRING tensors: typed constants, and what a loop carries; and `in` of a value of the run time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from opwright import FLOAT, INT64, STRING, DiagnosticError, GraphBuilder, OnnxFunction, compile_source, script
from opwright import opset20 as op

from tests.docs.running import run_model
from tests.functions.everywhere import same_everywhere

WORDS = np.array(["of", "a", "an"], object)
Words = STRING["N"]


@script()
def joined(words: Words):
    out = ""
    for i, word in enumerate(words):
        if i > 0:
            out = out + " "
        out += word
    return out


@script()
def from_a_typed_constant(words: Words):
    out = STRING("<")
    for word in words:
        out = out + word
    return out + ">"


@script()
def of_a_rank(words: Words):
    longer, out = words + "!", "a"
    for word in words:
        longer = longer + word
        out = out + word
    return longer, longer.rank + out.rank


@script()
def last_of_two(words: Words):
    found = "none"
    for word in words:
        if word == "a":
            found = "yes"
    return found


@script()
def compared(words: Words):
    out, count = "", 0
    for word in words:
        if out == "":
            count = count + 1
        out = out + word
    return count


@script()
def in_a_while(words: Words):
    out, i = "", 0
    while i < len(words):
        out = out + words[i]
        i += 1
    return out


@script()
def unrolled(words: Words):
    out = "x"
    for _ in range(3):
        out = out + "y"  # known when the function is built
    return words + f"{out}"


@script()
def counted(words: Words):
    count = 0
    for word in words:
        if word in ("an", "of"):
            count += 1
    return count


VALUES = {
    joined: "of a an",
    from_a_typed_constant: "<ofaan>",
    last_of_two: "yes",
    compared: 1,
    in_a_while: "ofaan",
    unrolled: ["ofxyyy", "axyyy", "anxyyy"],
    counted: 2,
}


def give(function: OnnxFunction, words: np.ndarray) -> object:
    """What the function gives on onnxruntime and as Python."""
    import onnxruntime

    session = onnxruntime.InferenceSession(function.to_model_proto(opset=20).SerializeToString())
    (found,) = session.run(None, {"words": words})
    assert found.tolist() == function(words).tolist()
    return found.tolist()


@pytest.mark.parametrize("function", VALUES, ids=lambda item: item.__name__)
def test_texts_that_a_loop_changes(function: OnnxFunction) -> None:
    assert give(function, WORDS) == VALUES[function]
    give(function, WORDS[:0])


def test_a_typed_constant_of_a_text() -> None:
    assert STRING("a").numpy().item() == "a"
    b = GraphBuilder(opset=20)
    with b.scope():
        assert b.run(op.Identity(STRING("a"))).item() == "a"
    with pytest.raises(DiagnosticError, match=r"OW314.*STRING\(...\) takes a text, not `1`"):
        STRING(1)
    with pytest.raises(DiagnosticError, match="a list of texts is a tensor where an operator takes it"):
        STRING(["a", "b"])  # type: ignore[arg-type]


@script()
def listed(words: Words):
    return [words[0], "k", words[1]]


@script()
def listed_in_lists(words: Words):
    return op.Concat(words, op.Reshape([["a", words[1]], [words[0], "b"]], [-1]), axis=0)


@pytest.mark.parametrize(
    ("function", "expected"), [(listed, "of k a"), (listed_in_lists, "of a an a a of b")], ids=["listed", "in lists"]
)
def test_lists_of_texts_and_tensors(function: OnnxFunction, expected: str) -> None:
    assert list(np.asarray(function(WORDS))) == expected.split()
    for (found,) in run_model(function.to_model_proto(opset=20), {"words": WORDS}).values():
        assert list(found) == expected.split()


@pytest.mark.parametrize(
    ("items", "code"),
    [
        ("words[0], 1", "OW313"),
        ("words[0], 'a', 1", "OW325"),
        ("words[0], 'a', len(words)", "OW325"),
        ("op.Shape(words)[0], 'a'", "OW325"),
        ("words, 'a'", "OW325"),
    ],
)
def test_lists_of_texts_and_others_are_refused(items: str, code: str) -> None:
    imports = "from opwright import STRING, script\nfrom opwright import opset18 as op\n\n"
    text = f"{imports}@script()\ndef F(words: STRING['N']):\n    return [{items}]\n"
    with pytest.raises(DiagnosticError) as refused:
        compile_source(text, "F").to_model_proto(opset=18)
    assert [item.code for item in refused.value.diagnostics] == [code]


# --------------------------------------------------------------------------------------------------- membership

N = np.array(2)


@script()
def is_one(x: FLOAT, n: INT64):
    return x * 2 if n in (1, 2) else x


@script()
def is_none_of_them(x: FLOAT, n: INT64):
    return x * 2 if n not in [1, 2] else x


@script()
def is_in_nothing(x: FLOAT, n: INT64):
    return x * 2 if n in () else x  # noqa: RUF060


@script()
def on_a_number(x: FLOAT["N"], n: INT64):
    return x * 2 if len(x) in (1, 3) else x


@pytest.mark.parametrize(
    ("function", "factor"), [(is_one, 2), (is_none_of_them, 1), (is_in_nothing, 1)], ids=lambda item: str(item)
)
def test_a_value_that_equals_one_of_several(function: OnnxFunction, factor: int) -> None:
    assert same_everywhere(function, np.array(1.5, np.float32), N) == 1.5 * factor


def test_a_number_that_equals_one_of_several() -> None:
    for count in (1, 2, 3):
        x = np.ones(count, np.float32)
        assert same_everywhere(on_a_number, x, N).tolist() == [1.0 if count == 2 else 2.0] * count


def test_membership_in_a_tensor_is_refused() -> None:
    @script()
    def searched(x: FLOAT["N"], n: FLOAT):
        return x * 2 if n in x else x

    with pytest.raises(DiagnosticError, match="compare with each"):
        searched.to_model_proto()


# --------------------------------------------------------------------------------------------------------- help


def _chosen() -> OnnxFunction:
    @script()
    def f(x: FLOAT["N"], n: INT64):
        return (1.5 if n > 0 else 2) * x

    return f


def _begun_as_an_int() -> OnnxFunction:
    @script()
    def f(x: FLOAT["N"], n: INT64):
        total = 0
        for k in range(1, n):
            total += 1 / k
        return total * x

    return f


def _list_of_an_item() -> OnnxFunction:
    @script()
    def f(x: FLOAT["N"], n: INT64):
        stack = op.SequenceEmpty(dtype=INT64)
        for i in range(n):
            while stack:
                j = stack.pop()
                x = op.Gather(x, [j])
            stack.append(INT64(i))
        return x

    return f


@pytest.mark.parametrize(
    ("make", "help_text"),
    [
        (_chosen, "make a float of the int: `2.0`"),
        (_begun_as_an_int, "begin with a float: `0.0`"),
        (_list_of_an_item, "if `j` is one number, say so: `j: INT64 = ...`"),
    ],
)
def test_what_helps(make: Callable[[], OnnxFunction], help_text: str) -> None:
    with pytest.raises(DiagnosticError) as caught:
        make().to_model_proto()
    assert help_text in caught.value.diagnostics[0].help
