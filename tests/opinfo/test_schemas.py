"""The committed table of ATen's overloads, and the operators that are harvested of it."""

from __future__ import annotations

from tests.opinfo.schemas import TABLE, read_table
from tests.opinfo.targets import FAMILIES, UNUSABLE, base, targets


def test_rows_are_sorted_and_name_their_schema() -> None:
    rows = read_table()
    assert [*rows] == sorted(rows)
    assert len(rows) == len(TABLE.read_text(encoding="utf-8").splitlines())
    assert all(row.schema.startswith(f"{name}(") for name, row in rows.items())


def test_one_overload_alone_writes() -> None:
    writing = [name for name, row in read_table().items() if "!" in row.schema]
    assert writing == ["aten::_native_batch_norm_legit"]


def test_the_core_set_is_harvested() -> None:
    core = {name for name, row in read_table().items() if row.core}
    assert len(core - UNUSABLE) == 181
    assert core - {*targets()} == UNUSABLE


def test_each_family_has_an_overload() -> None:
    assert {base(name) for name in read_table()} >= FAMILIES
