"""The reviewed versions of records against the schemas of the installed onnx."""

from __future__ import annotations

from onnx import defs
from opwright.link.schema_types import schema_at
from opwright.opsets.domains import STANDARD_DOMAINS
from opwright.opsets.records import ALL, RECORDS, record_of


def histories(domain: str) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for schema in defs.get_all_schemas_with_history():
        if schema.domain == domain:
            found.setdefault(schema.name, []).append(schema.since_version)
    return {name: sorted(versions) for name, versions in sorted(found.items())}


def test_every_version_that_a_step_may_meet_was_reviewed() -> None:
    missing = [
        (name, version)
        for name, versions in histories("").items()
        for version in versions[1:]
        if version not in record_of("", name).reviewed and version not in record_of("", name).changed
    ]
    assert missing == [], "review what these versions changed, and add them to `reviewed` (with a step) or to `changed`"


def test_records_list_versions_that_exist_and_have_one_before() -> None:
    known = {domain: histories(domain) for domain in STANDARD_DOMAINS}
    for (domain, name), record in ALL.items():
        versions = known[domain][name]
        assert {*record.reviewed, *record.changed} <= set(versions[1:]), name
        assert not set(record.reviewed) & set(record.changed), name
        assert set(record.steps) <= set(record.reviewed), name


def test_a_version_whose_schema_takes_something_away_needs_a_step() -> None:
    for name, record in RECORDS.items():
        for version in record.reviewed:
            newer = schema_at(name, "", version)
            older = schema_at(name, "", version - 1)
            assert newer is not None and older is not None
            gone = set(older.attributes) - set(newer.attributes) - {"consumed_inputs"}
            renamed = {
                key
                for key in set(older.attributes) & set(newer.attributes)
                if older.attributes[key].default_value != newer.attributes[key].default_value
                and (name, version) != ("Selu", 6)  # more digits, which are written out
            }
            assert not (gone | renamed) or version in record.steps, (name, version, gone | renamed)


def test_operators_and_versions_that_no_record_lists_are_not_reviewed() -> None:
    assert 14 in record_of("", "Relu").reviewed
    assert 99 not in record_of("", "Relu").reviewed
    assert 21 not in record_of("", "GroupNormalization").reviewed
    assert not record_of("com.acme", "Relu").reviewed
    assert 3 in record_of("ai.onnx.ml", "TreeEnsembleRegressor").reviewed
    assert 2 not in record_of("ai.onnx.ml", "LabelEncoder").reviewed
