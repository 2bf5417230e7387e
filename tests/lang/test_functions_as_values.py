"""Functions and operators as values: asked whether they are one, as keys, with `**`, with some of their arguments.

Each function gives what it gives as Python, on three runtimes.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from opwright import FLOAT, INT64, DiagnosticError, OnnxFunction, Opset, script
from opwright import opset18 as op
from opwright import opset19 as newer
from opwright.eager import at_opset

from tests.docs.running import define, run_model

HEADER = "from opwright import FLOAT, script\nfrom opwright import opset18 as op\n"
X = np.array([-1.0, 2.0], np.float32)


def relu(x):
    return op.Relu(x)


def twice(x):
    return x * 2


def add_one(f):
    @functools.wraps(f)
    def inner(*args, **kwargs):
        return f(*args, **kwargs) + 1

    return inner


def times(factor, **defaults):
    def decorator(f):
        def inner(*args, **kwargs):
            return f(*args, **{**defaults, **kwargs}) * factor

        return inner

    return decorator


@times(3.0, b=4.0)
@add_one
def product(x, y, *, b=1.0, c=2.0):
    return x * y + b - c


relu_and_one = add_one(op.Relu)


def options(x, *args, scale=1.0, **others):
    for item in args:
        x = x + item
    for name, value in others.items():
        x = x + value * len(name)
    return x * scale * len(others) + others.get("q", 7.0) + ("shift" in others)


@script()
def scripted(x: FLOAT[None], k: int = 2, f: float = 0.5):
    return x * k + f


@script()
def other(x: FLOAT[None]):
    return x * 3


SCALES = {op.Relu: 2.0, relu: 3.0, None: 4.0, scripted: 5.0}
ARRAY = np.array([1.0, 2.0], np.float32)
with_c = functools.partial(lambda a, b, c: a + b * c, c=3.0)
with_k = functools.partial(scripted, k=5)
with_array = functools.partial(lambda x, y, z=0.0: x + y + z, ARRAY)
HELD = {"one": with_c, "several": [functools.partial(functools.partial(with_c, 1.0), c=5.0)]}

CASES: list[OnnxFunction] = []


def case(function: Callable[..., Any]) -> OnnxFunction:
    CASES.append(script()(function))
    return CASES[-1]


@case
def identity_of_operators(x: FLOAT[None]):
    x = x * (2 if op.Relu is op.Relu else 3) + (2 if op.Relu is not op.Abs else 3)
    x = x * (2 if Opset("", 18).Relu is op.Relu else 3)
    return x + (2 if op.Relu == newer.Relu else 3) + (2 if op.Relu in (op.Abs, op.Relu) else 3)


@case
def identity_of_functions(x: FLOAT[None]):
    def inner(x):
        return x

    negative = lambda v: -v  # noqa: E731
    x = x + (2 if inner is negative else 3) + (2 if negative == negative else 3)
    x = x + (2 if relu is twice else 3) + (2 if relu in (twice, scripted, relu) else 3)
    x = x + (2 if scripted is other else 3) + (2 if scripted != scripted else 3)
    x = x + (2 if with_c is with_c else 3) + (2 if with_c in (relu, None) else 3) + SCALES.get(with_c, 11.0)
    return x + (2 if relu == "relu" else 3) + (2 if op.Relu is None else 3) + (2 if x is relu else 3)


@case
def keys_of_dictionaries(x: FLOAT[None]):
    def inner(x):
        return x

    own = {inner: 3.0, (op.Abs, 1): 4.0, op.Abs: 5.0}
    for f in (op.Relu, relu, None, scripted):
        x = x + SCALES[f] + SCALES.get(twice, 17.0) + (op.Abs in SCALES)
    return x + own[inner] + own[op.Abs, 1] + own.get(op.Abs) + len(own)


@case
def a_layer_with_or_without_an_activation(x: FLOAT[None]):
    def layer(x, act=None):
        return x * 2 if act is None else act(x * 2)

    for act in (op.Relu, None, relu, scripted, functools.partial(op.Clip, max=3.0), lambda v: -v):
        x = layer(x, act) + 1
    return x


@case
def decorated(x: FLOAT[None]):
    return product(x, x) + product(x, y=x, c=9.0) + product(x, b=1.5, y=x) + relu_and_one(x)


@case
def other_arguments(x: FLOAT[None]):
    named = {"zz": 4.0, "scale": 2.0}
    return options(x) + options(x, 1.0, x, shift=2.0, q=x) + options(x, **named, y=x)


@case
def a_name_that_a_positional_parameter_has(x: FLOAT[None]):
    def inner(a, /, **others):
        return a + others["a"]

    return inner(x, a=2.0)


@case
def recursion_on_an_argument_by_name(x: FLOAT[None]):
    def inner(x, **others):
        return x if others["n"] == 0 else inner(x * 2, n=others["n"] - 1)

    return inner(x, n=3)


@case
def operators_take_them(x: FLOAT[None]):
    attributes, numbers = {"axis": 0}, {"k": 3, "f": 0.25}
    first, second = op.Split(op.Concat(x, x, **attributes), num_outputs=2)
    return op.Softmax(x, **attributes) + first - second * 2 + scripted(x, **numbers)


@case
def some_of_the_arguments(x: FLOAT[None]):
    x = x + with_c(x, 2.0) + with_c(x, x, c=x) + with_k(x) + with_k(x, f=0.25) + with_k(x, k=3)
    x = x + with_array(x) + with_array(x, z=2.0) + HELD["one"](x, 1.0) + HELD["several"][0](b=x)
    own = functools.partial(options, x, scale=0.5)
    return own(2.0, shift=x) + functools.partial(functools.partial(own, q=1.0), 2.0)()


@case
def several_of_them(x: FLOAT[None]):
    for f in [functools.partial(op.Mul, c) for c in (2.0, x, 3.0)]:
        x = f(x)
    first, second = functools.partial(op.Split, num_outputs=2)(op.Concat(x, x, axis=0), axis=0)
    return first - second * 2 + functools.partial(max, 3)(1, 2)


@case
def chosen_by_the_run(x: FLOAT[None]):
    f = functools.partial(op.Add, x)
    if op.ReduceSum(x, keepdims=0) > 0:
        f = functools.partial(op.Add, -x)
    for _ in range(2):
        x = f(x)
        f = functools.partial(op.Add, x * 2)
    return f(2.0)


@pytest.mark.parametrize("function", CASES, ids=[item.__name__ for item in CASES])
def test_a_function_gives_what_it_gives_as_python(function: OnnxFunction) -> None:
    wanted = function(X)
    with at_opset(20):
        found = {"another opset": [function(X)]}
    found |= run_model(function.to_model_proto(opset=18), {"x": X})
    for runtime, (output,) in found.items():
        assert output.dtype == wanted.dtype, runtime
        np.testing.assert_allclose(output, wanted, rtol=1e-6, err_msg=runtime)


def _codes(function: Callable[..., Any]) -> list[str]:
    with pytest.raises(DiagnosticError) as raised:
        script()(function).to_model_proto(opset=18)
    return [item.code for item in raised.value.diagnostics]


def test_a_list_that_a_partial_function_holds_does_not_change() -> None:
    def held(x: FLOAT[None]):
        xs = [x]
        f = functools.partial(len, xs)
        xs.append(x)
        return x * f()

    def given(x: FLOAT[None]):
        def longer(**others):
            xs = others["xs"]
            xs.append(x)
            return len(xs)

        xs = [x]
        return x * longer(xs=xs) * len(xs)

    assert _codes(held) == _codes(given) == ["OW344"]


def test_what_is_no_dictionary_or_no_function_is_refused() -> None:
    def names(x: FLOAT[None]):
        return options(x, **{1: 2.0})

    def changed(x: FLOAT[None]):
        def inner(**others):
            others["x"] = x
            return x

        return inner()

    def without_end(x: FLOAT[None]):
        def inner(**others):
            return inner(**others)

        return inner(n=1)

    def in_a_loop(x: FLOAT[None], n: INT64):
        f = functools.partial(op.Add, x)
        for _ in range(n):
            f = functools.partial(op.Add, x * 2)
        return f(x)

    assert [_codes(item) for item in (names, changed, without_end, in_a_loop)] == [
        ["OW312"],
        ["OW343"],
        ["OW323"],
        ["OW321"],
    ]


def test_a_partial_function_that_changes_is_read_again() -> None:
    shared = functools.partial(lambda x, y: x + y, y=1.0)

    @script()
    def F(x: FLOAT[None]):
        return shared(x)

    assert _constant(F) == 1.0
    shared.keywords["y"] = 2.0
    assert _constant(F) == 2.0


def _constant(function: OnnxFunction) -> float:
    (node,) = (node for node in function.to_function_proto(18).node if node.op_type == "Constant")
    (value,) = np.frombuffer(node.attribute[0].t.raw_data, np.float32)
    return float(value)


@pytest.mark.parametrize("test", ["k in (1, 2)", "k not in [1, 2]", "f in (0.5, 3)", "f in ()"])
def test_membership_of_an_attribute_has_one_body(test: str) -> None:
    source = f"@script()\ndef F(x: FLOAT['N'], k: int = 1, f: float = 0.5):\n    return x * (2 if {test} else 5)\n"
    function = define(HEADER, source, f"<{test}>")
    assert len(function.to_function_protos(18)) == 1
    for k, f in ((1, 0.5), (2, 3.0), (3, 0.1)):
        model = function.to_model_proto(opset=18, attributes={"k": k, "f": f})
        for runtime, (output,) in run_model(model, {"x": X}).items():
            assert output.tolist() == function(X, k=k, f=f).tolist(), runtime


def _is_template(function: OnnxFunction) -> bool:
    with pytest.raises(DiagnosticError) as raised:
        function.to_function_protos(18)
    return [item.code for item in raised.value.diagnostics] == ["OW361"]


@pytest.mark.parametrize(
    "body",
    [
        "return (op.Relu if k in (1, 2) else op.Abs)(x)",
        "return op.Softmax(x, axis=0 if k in (1, 2) else -1)",
        "assert k in (1, 2)\n    return x",
        "return x * 2 if k in (1, 2) else x.shape[0]",
        "return op.Softmax(x, axis=round(k, -1))",
    ],
)
def test_a_membership_that_must_be_known_makes_a_template(body: str) -> None:
    inner = f"@script()\ndef inner(x: FLOAT['N'], k: int):\n    {body}\n"
    assert _is_template(define(HEADER, inner.replace("inner", "F"), f"<alone {body}>"))
    caller = f"{inner}@script()\ndef F(x: FLOAT['N']):\n    return inner(x, k=2)\n"
    function = define(HEADER, caller, f"<{body}>")
    for runtime, (output,) in run_model(function.to_model_proto(opset=18), {"x": X}).items():
        assert output.tolist() == function(X).tolist(), runtime
