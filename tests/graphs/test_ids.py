"""Ids of functions, and callees before callers."""

from __future__ import annotations

import pytest
from onnx import FunctionProto, NodeProto, helper
from opwright.graphs.ids import call_id, called, callees_first, function_id


def _function(name: str, *calls: str, domain: str = "d") -> FunctionProto:
    nodes = [helper.make_node(call, ["x"], [f"y{index}"], domain=domain) for index, call in enumerate(calls)]
    return helper.make_function(domain, name, ["x"], ["y0"], nodes, [helper.make_opsetid(domain, 1)])


def _names(functions: list[FunctionProto]) -> list[str]:
    return [function.name for function in functions]


def test_the_default_domain_has_one_id_however_it_is_spelled() -> None:
    function = _function("F", domain="ai.onnx")
    assert function_id(function) == call_id(NodeProto(op_type="F")) == ("", "F", "")


def test_calls_inside_subgraphs_count_once() -> None:
    inner = helper.make_graph([helper.make_node("G", ["x"], ["y"], domain="d")], "g", [], [])
    function = _function("F", "G")
    function.node.append(helper.make_node("If", ["c"], ["z"], then_branch=inner, else_branch=inner))
    assert called(function) == [("d", "G", ""), ("", "If", "")]


def test_callees_stand_before_callers_else_the_order_stays() -> None:
    functions = [_function("A", "C", "Outside"), _function("B"), _function("C", "D"), _function("D")]
    ordered = callees_first({function_id(item): item for item in functions})
    assert _names(ordered) == ["D", "C", "A", "B"]


def test_recursion_is_cut_or_refused_as_the_caller_says() -> None:
    functions = {function_id(item): item for item in (_function("A", "B"), _function("B", "A"))}
    assert _names(callees_first(functions)) == ["B", "A"]
    with pytest.raises(ValueError, match=r"A calls itself"):
        callees_first(functions, lambda identity: ValueError(f"{identity[1]} calls itself"))


def test_long_chains_take_no_recursion() -> None:
    functions = [_function(f"F{index}", f"F{index + 1}") for index in range(5000)]
    ordered = callees_first({function_id(item): item for item in functions})
    assert _names(ordered) == _names(functions)[::-1]
