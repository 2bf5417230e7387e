"""What records say of operators, against the schemas of the installed onnx."""

from __future__ import annotations

import pickle

from onnx import defs
from opwright.opsets.record import ByAttribute, ByPresence, ByWord, Record
from opwright.opsets.records import ALL, NOTHING, RECORDS, record_of
from opwright.opsets.signatures import Signature, history, signature


def versions_of(record: Record) -> list[Signature]:
    found = [signature(record.domain, record.name, version) for version in history(record.domain, record.name)]
    return [item for item in found if item is not None]


def test_each_record_is_of_an_operator_that_exists() -> None:
    assert [key for key in ALL if not history(*key)] == []
    assert list(RECORDS) == sorted(RECORDS), "records stand in the order of their names"


def test_a_record_names_inputs_and_attributes_that_some_version_has() -> None:
    for record in ALL.values():
        versions = versions_of(record)
        inputs = {formal.name for item in versions for formal in item.inputs}
        attributes = {name for item in versions for name in item.attributes}
        assert set(record.lists) <= inputs, record.name
        assert set(record.choices) <= attributes, record.name
        if isinstance(record.typing, ByAttribute | ByWord):
            assert record.typing.attribute in attributes, record.name
        if isinstance(record.typing, ByPresence):
            assert record.typing.types.keys() <= attributes, record.name


def test_an_operator_with_graphs_as_attributes_is_control_flow() -> None:
    for schema in defs.get_all_schemas_with_history():
        found = signature(schema.domain, schema.name, schema.since_version)
        if found is not None and found.domain == "":
            assert found.takes_graphs == found.record.is_control_flow, schema.name


def test_other_operators_have_records_that_say_nothing() -> None:
    for domain, name in (("com.acme", "Relu"), ("", "Unheard"), ("ai.onnx.ml", "Scaler")):
        found = record_of(domain, name)
        assert found is NOTHING and found == Record("")
        assert not found.is_elementwise and not found.keeps_rank


def test_records_are_pickled_by_name() -> None:
    relu = RECORDS["Relu"]
    assert pickle.loads(pickle.dumps(relu)) is relu
