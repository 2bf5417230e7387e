"""The element type of every result follows from inputs, from the schema, or from what a record says."""

from __future__ import annotations

from onnx import defs
from opwright.opsets.record import ByAttribute
from opwright.opsets.records import record_of

# What is left are results of graphs, and operators whose results have the types of several inputs, one each.
LEFT = {"Adagrad", "Adam", "Gradient", "Momentum"}


def test_every_result_has_a_type_that_follows() -> None:
    missing = set()
    for schema in defs.get_all_schemas_with_history():
        admitted = {item.type_param_str: item.allowed_type_strs for item in schema.type_constraints}
        given = {item.type_str for item in schema.inputs if item.is_homogeneous}
        record = record_of(schema.domain, schema.name)
        for index, result in enumerate(schema.outputs):
            if len(admitted.get(result.type_str, ("",))) == 1 or result.type_str in given or record.is_control_flow:
                continue
            rule = record.typing
            if rule is None or (index and not (isinstance(rule, ByAttribute) and index >= rule.first)):
                missing.add(schema.name)
    assert missing == LEFT
