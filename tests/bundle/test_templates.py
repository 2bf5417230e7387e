"""Templates in a bundle: members of their own, named by the index and checked against it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from opwright.bundle.archive import pack, unpack
from opwright.bundle.call_interface import inputs_of_call, outputs_of, split_type
from opwright.bundle.format import BodyEntry, Index, InputEntry, OutputEntry, TemplateEntry
from opwright.bundle.json_form import canonical_json
from opwright.bundle.read import read_bundle
from opwright.bundle.write import write_bundle
from opwright.diagnostics.diagnostic import DiagnosticError
from opwright.lang.families.template import digest_of

from tests.bundle.forging import with_function
from tests.bundle.format1 import write_format1
from tests.bundle.sample import BODIES, BUNDLE, sample_index

TEXT = b'{"functions":[],"template":1}'
DIGEST = digest_of(TEXT)


def with_template() -> Index:
    index = sample_index()
    many = next(entry for entry in index.functions if entry.name == "Many")
    changed = replace(
        many,
        templates=(TemplateEntry(13, 18, DIGEST, ("xs",)),),
        outputs=(OutputEntry("Y", "seq(T)", variadic=True),),
    )
    functions = tuple(changed if entry is many else entry for entry in index.functions)
    return replace(index, functions=functions)


def test_they_are_members_by_digest() -> None:
    data = write_bundle(with_template(), BODIES, templates={DIGEST: TEXT})
    assert f"templates/{DIGEST.partition(':')[2]}" in unpack(data)
    found = read_bundle(data, "a.onnxlib")
    assert found.index == with_template()
    assert found.templates == {DIGEST: TEXT}
    assert not any(path.startswith("templates/") for path in found.others)


def test_a_bundle_without_them_says_nothing_of_them() -> None:
    document = unpack(BUNDLE)["library.json"]
    assert b"templates" not in document
    assert b'"outputs":[]' not in document


def test_one_that_is_missing_is_not_written() -> None:
    with pytest.raises(ValueError, match="not among those given"):
        write_bundle(with_template(), BODIES)


def _read_changed(text: bytes | None) -> str:
    """What is said of a bundle of format 1 whose template is another text, or none, while members and index agree."""
    data = write_format1(with_template(), BODIES, templates={DIGEST: TEXT})
    members = unpack(data)
    path = f"templates/{DIGEST.partition(':')[2]}"
    value = json.loads(members["library.json"])
    value["members"] = [item for item in value["members"] if item["path"] != path]
    del members[path]
    if text is not None:
        members[path] = text
        listed = {"path": path, "size": len(text), "sha256": digest_of(text).partition(":")[2]}
        value["members"] = sorted([*value["members"], listed], key=lambda item: str(item["path"]))
    members["library.json"] = canonical_json(value)
    head = ["mimetype", "library.json"]
    ordered = [*head, *sorted(set(members) - set(head))]
    with pytest.raises(DiagnosticError) as error:
        read_bundle(pack((name, members[name]) for name in ordered), "a.onnxlib")
    (found,) = error.value.diagnostics
    return f"{found.code} {found.reason}"


def test_one_that_is_missing_is_not_read() -> None:
    assert _read_changed(None).startswith("OW516")
    assert "which is no member" in _read_changed(None)


def test_one_of_another_digest_is_not_read() -> None:
    assert _read_changed(b"{}").startswith("OW516")
    assert "does not have the digest" in _read_changed(b"{}")


def test_one_that_is_listed_with_another_digest_is_not_read() -> None:
    def forge(value: dict[str, Any]) -> None:
        value["members"] = [
            [path, 2, "0" * 64] if "templates/" in path else row for row in value["members"] for path in row[:1]
        ]

    data = with_function(write_bundle(with_template(), BODIES, templates={DIGEST: TEXT}), "Many", forge)
    with pytest.raises(DiagnosticError) as error:
        read_bundle(data, "a.onnxlib").index.table.find("com.acme", "Many", 2)
    (found,) = error.value.diagnostics
    assert found.code == "OW516"
    assert "does not have the digest that it is named by" in found.reason


def test_a_call_sees_a_variadic_input_as_many() -> None:
    many = next(entry for entry in with_template().functions if entry.name == "Many")
    assert [item.name for item in inputs_of_call(many, 3)] == ["xs_0", "xs_1", "xs_2"]
    clashing = replace(many, inputs=(InputEntry("xs_0", "T"), *many.inputs))
    assert [item.name for item in inputs_of_call(clashing, 2)] == ["xs_0", "xs__0"]
    body = BodyEntry(13, 18, (), "", (), (), (), outputs=("Y_0", "Y_1"))
    assert outputs_of(many, body) == ("Y_0", "Y_1")
    assert outputs_of(many, replace(body, outputs=())) == ("Y",)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("T", ((), "T")),
        ("seq(T)", (("seq",), "T")),
        ("optional(seq(float))", (("optional", "seq"), "float")),
        ("tensor(float)", ((), "tensor(float)")),
        ("seq(tensor(float))", (("seq",), "tensor(float)")),
    ],
)
def test_types_are_split_into_what_holds_and_what_is_held(text: str, expected: tuple[tuple[str, ...], str]) -> None:
    assert split_type(text) == expected
