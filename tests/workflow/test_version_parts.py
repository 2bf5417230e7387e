"""The parts of a version: written once, and read as what they were written from."""

from __future__ import annotations

import json

import pytest
from opwright.bundle.format import BodyEntry, FunctionEntry, TemplateEntry
from opwright_build.engine.content_digest import digest_bytes
from opwright_build.engine.dataclass_bytes import decode_value
from opwright_build.workflow.compiled.version_parts import (
    BODIES,
    ENTRY,
    FIGURES,
    INTERFACE,
    MEMBER,
    NO_TEMPLATES,
    PACKAGED,
    TEMPLATES,
    decode_blobs,
    encode_blobs,
    expand_rows,
    join_rows,
)
from opwright_build.workflow.compiled.write_parts import encode_rows, version_parts

ONE, TWO, TEXT = f"body1:{'1' * 64}", f"body1:{'2' * 64}", f"template1:{'3' * 64}"
ENTRY_OF_A = FunctionEntry(
    "d", "A", 1, "", "", False, (), (), (), (("T", ("float", "double")),),
    (BodyEntry(13, 14, (("T", "float"),), ONE, (), (), ()), BodyEntry(13, 15, (("T", "double"),), TWO, (), (), ())),
    (TemplateEntry(16, 16, TEXT, ("body",)),),
)  # fmt: skip


@pytest.mark.parametrize("blobs", [{}, {"a": b""}, {"a": b"\n[]", "b": b"x\n"}, {"b": bytes(range(256)), "a": b"1"}])
def test_blobs_come_back(blobs: dict[str, bytes]) -> None:
    assert list(decode_blobs(encode_blobs(blobs)).items()) == list(blobs.items())


def test_what_is_packaged() -> None:
    bodies, templates = {ONE: b"12", TWO: b"345"}, {TEXT: b"text"}
    parts = version_parts(ENTRY_OF_A, bodies, templates)
    assert set(PACKAGED) | {ENTRY} == set(parts)
    assert decode_value(FunctionEntry, parts[ENTRY]) == ENTRY_OF_A
    assert decode_value(FunctionEntry, parts[INTERFACE]).identity == "d::A@1"
    assert decode_value(FunctionEntry, parts[INTERFACE]).bodies == ()
    assert (decode_blobs(parts[BODIES]), decode_blobs(parts[TEMPLATES])) == (bodies, templates)
    assert json.loads(parts[FIGURES]) == {"opset_bodies": 5, "spread": 2 * 2 + 3 * 3}
    assert [row[1] for row in json.loads(parts[MEMBER])["members"]] == [2, 3, 4]
    assert digest_bytes(version_parts(ENTRY_OF_A, bodies, templates)[TEMPLATES]) != NO_TEMPLATES
    with pytest.raises(ValueError, match="not among those given"):
        version_parts(ENTRY_OF_A, bodies, {})


def test_rows_are_told_for_each_opset_in_order() -> None:
    rows = expand_rows(join_rows([encode_rows(ENTRY_OF_A, ()), encode_rows(ENTRY_OF_A, ())]))
    assert [(row["opset"], row["body"]) for row in rows[:6]] == [
        (13, ONE), (13, TWO), (14, ONE), (14, TWO), (15, TWO), (16, TEXT),
    ]  # fmt: skip
    assert rows[6:] == rows[:6]
    assert rows[0]["variant"] == {"T": "float"}
    assert set(rows[0]) == {
        "domain",
        "name",
        "since_version",
        "opset",
        "variant",
        "body",
        "operator",
        "reason",
        "place",
    }
