"""Which opset a function is compiled for when nobody says so."""

from __future__ import annotations

from types import FunctionType

from opwright import FLOAT, opset17, opset18, script
from opwright.functions import OnnxFunction
from opwright.live.compiled import _named_opset
from opwright.opsets.signatures import newest_opset


@script()
def twice(x):
    return x + x


@script()
def by_operator(x):
    return opset17.Relu(x)


@script()
def by_callee(x):
    return by_operator(x) + 1


@script(default_opset=opset17)
def by_default(x):
    return opset18.Relu(x)


def opset_of(function: OnnxFunction) -> int:
    return next(item.version for item in function.to_function_proto().opset_import if not item.domain)


def test_operators_come_first() -> None:
    assert opset_of(by_operator) == 17
    assert opset_of(by_callee) == 17
    assert opset_of(by_default) == 17


def test_without_operators_the_one_opset_that_the_module_imports() -> None:
    assert opset_of(twice) == newest_opset(), "this module imports two opsets"
    twice.__wrapped__.__globals__["opset17"], saved = opset18, opset17
    try:
        assert opset_of(script(twice.__wrapped__)) == 18
    finally:
        twice.__wrapped__.__globals__["opset17"] = saved


def test_the_caller_decides() -> None:
    proto = by_operator.to_function_proto(20)
    assert [item.version for item in proto.opset_import] == [20]


def test_the_module_s_names_count_as_they_are_when_it_is_asked() -> None:
    names: dict[str, object] = {"FLOAT": FLOAT, "op": None}
    exec("def once(x: FLOAT['N']):\n    return x + x\n", names)
    function = names["once"]
    assert isinstance(function, FunctionType)
    asked = OnnxFunction(function)
    found = [_named_opset(asked)]
    for opset in (opset17, opset18, None):
        names["op"] = opset  # in the place of another value: there are as many names as before
        found.append(_named_opset(asked))
    assert found == [newest_opset(), 17, 18, newest_opset()]
