"""Functions of a model that nothing calls: they stay where they can be had, and do not stand in the way."""

from __future__ import annotations

import onnx
import onnx.parser
import pytest
from opwright import convert, detach
from opwright.bundle.format import Bundle
from opwright.diagnostics import DiagnosticError, Severity
from opwright.downlevel.rewrite import Rewritten, polyfill_libraries
from opwright.downlevel.target import opset_alone, target_of_opset

from tests.downlevel.standard_cases import session_of

# `Added` cannot be had at 13 for itself, so that its caller cannot either; nor can a call of `Plus` but that of the
# graph, which has a type.
HEADER = """<ir_version: {ir_version}, opset_import: ["": 21, "my": 1]>
    g (float[2] x) => (float[2] y) {{ y = {call}(x) }}"""
FUNCTIONS = "".join(
    f'<domain: "my", opset_import: ["": 21, "my": 1]> {name} (x) => (y) {{ {nodes} }}'
    for name, nodes in (
        ("Caller", "y = my.Added(x)"),
        ("Plus", "y = Add(x, x)"),
        ("Added", "y = Add(x, x)"),
        ("Float", "k = Constant<value_float = 1.0>() y = Add(k, k)"),
        ("Unknown", "y = my.Plus(x)"),
        ("Same", "y = Softmax(x)"),
    )
)


def model(call: str, ir_version: int = 10) -> onnx.ModelProto:
    return onnx.parser.parse_model(HEADER.format(call=call, ir_version=ir_version) + FUNCTIONS)


def names(made: onnx.ModelProto) -> list[str]:
    return [function.name for function in made.functions]


def left_out(done: Rewritten) -> list[str]:
    found = [item for item in done.diagnostics if item.code == "OW547"]
    assert all(item.severity is Severity.WARNING for item in found)
    return [item.message.partition("::")[2].partition(",")[0] for item in found]


@pytest.mark.parametrize("ir_version", [8, 10])
def test_what_cannot_be_had_is_left_out_and_put_back(ir_version: int) -> None:
    given = model("my.Plus", ir_version)
    done = polyfill_libraries(given, [], opset_alone(15))
    assert left_out(done) == []
    done = polyfill_libraries(given, [], opset_alone(13))
    assert sorted(left_out(done)) == ["Added", "Caller", "Unknown"]
    assert names(done.model) == ["Plus", "Float", "Same"]
    onnx.checker.check_model(done.model, full_check=True)
    session_of(done.model)
    assert detach(done.model).SerializeToString() == given.SerializeToString()
    again = convert(done.model, opset=18)
    assert names(again) == names(given)
    assert detach(again) == given


def test_nothing_is_said_where_functions_are_inlined_anyway(standard: Bundle) -> None:
    for inline, opset in ((True, 18), (False, 13)):  # which has no functions
        done = polyfill_libraries(model("Gelu"), [standard], target_of_opset(opset), inline=inline)
        assert left_out(done) == names(done.model) == []


def test_functions_without_a_graph_are_what_the_model_is_for() -> None:
    given = model("my.Plus")
    del given.graph.node[:], given.graph.output[:]
    with pytest.raises(DiagnosticError, match="OW582"):
        convert(given, opset=13)


def test_a_function_that_was_left_out_takes_no_name_of_another() -> None:
    new = convert(model("my.Plus"), opset=13)
    new.functions.add().CopyFrom(new.functions[0])
    new.functions[-1].name = "Added"
    with pytest.raises(DiagnosticError, match="OW576: the function my::Added"):
        detach(new)
