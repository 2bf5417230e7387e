"""Chains of calls that are too long for a model."""

from __future__ import annotations

import pytest
from onnx import FunctionProto, helper
from opwright import DiagnosticError
from opwright.graphs.ids import called, function_id
from opwright.link.flatten import DEEPEST_CALL, flatten

LIBRARY = [helper.make_opsetid("", 18), helper.make_opsetid("com.acme", 1)]


def functions(count: int, callees: int) -> list[FunctionProto]:
    """Each calls so many of those before it and adds their results."""
    made: list[FunctionProto] = []
    for index in range(count):
        before = range(max(0, index - callees), index)
        nodes = [helper.make_node(f"F{one}", ["x"], [f"t{one}"], domain="com.acme") for one in before]
        nodes.append(helper.make_node("Sum", ["x", *(f"t{one}" for one in before)], ["y"]))
        made.append(helper.make_function("com.acme", f"F{index}", ["x"], ["y"], nodes, LIBRARY))
    return made


@pytest.mark.parametrize(("count", "callees"), [(51, 8), (60, 8), (75, 2), (98, 1), (99, 1), (300, 1)])
def test_only_as_many_levels_as_need_be_are_inlined(count: int, callees: int) -> None:
    given = functions(count, callees)
    flat = flatten(given, [function_id(given[-1])])
    heights: dict[tuple[str, str, str], int] = {}
    for function in flat:
        heights[function_id(function)] = 1 + max((heights.get(callee, 0) for callee in called(function)), default=0)
    assert max(heights.values()) == len(flat)
    assert DEEPEST_CALL - 2 <= len(flat) <= DEEPEST_CALL
    assert max(len(function.node) for function in flat) < 1500


def test_more_nodes_than_a_function_may_have_are_refused_before_they_are_made() -> None:
    given = functions(1200, 2)
    with pytest.raises(DiagnosticError) as caught:
        flatten(given, [function_id(given[-1])])
    (found,) = caught.value.diagnostics
    assert found.code == "OW565"
    assert "1200 deep" in found.message
