"""The table of reviewed versions against the schemas of the installed onnx."""

from __future__ import annotations

from onnx import defs
from opwright.link.schema_types import schema_at
from opwright.opsets.steps import CHANGED, EXTENDED, EXTENDED_ML, RULES, is_reviewed


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
        if version not in EXTENDED.get(name, ()) and (name, version) not in CHANGED
    ]
    assert missing == [], "review what these versions changed, and add them to EXTENDED (with a RULE) or to CHANGED"


def test_the_table_names_versions_that_exist_and_have_one_before() -> None:
    known, learning = histories(""), histories("ai.onnx.ml")
    for table, versions_of in ((EXTENDED, known), (EXTENDED_ML, learning)):
        for name, versions in table.items():
            assert set(versions) <= set(versions_of[name][1:]), name
    assert all(version in EXTENDED[name] for name, version in RULES)
    assert all(version in known[name] and version not in EXTENDED.get(name, ()) for name, version in CHANGED)


def test_a_version_whose_schema_takes_something_away_needs_a_rule() -> None:
    for name, versions in EXTENDED.items():
        for version in versions:
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
            assert not (gone | renamed) or (name, version) in RULES, (name, version, gone | renamed)


def test_other_versions_are_not_taken_for_reviewed() -> None:
    assert is_reviewed("", "Relu", 14)
    assert not is_reviewed("", "Relu", 99)
    assert not is_reviewed("", "GroupNormalization", 21)
    assert not is_reviewed("com.acme", "Relu", 14)
    assert is_reviewed("ai.onnx.ml", "TreeEnsembleRegressor", 3)
    assert not is_reviewed("ai.onnx.ml", "LabelEncoder", 4)
