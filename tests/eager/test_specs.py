"""A few vectors of each of the standard's functions: what it gives as Python is what its newest body gives.

All vectors and bodies: `nox -s eager`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from opwright.bundle import installed
from opwright.bundle.read import find_bundle
from opwright_build.verify.case_model import Case
from opwright_build.verify.cases.collect import collect_cases

from tests.eager.spec_agreement import Agreement, Row, compare, newest_bodies
from tests.own_specs import ROOT, load_standard

VECTORS = 2  # of each version


@pytest.fixture(scope="module")
def rows(standard_file: Path) -> list[Row]:
    loaded = load_standard()
    bundle = find_bundle(standard_file)
    interfaces = {entry.identity: entry for entry in bundle.index.functions}
    cases = collect_cases(loaded.versions, interfaces, ROOT, run_oracle=False, load_suite=lambda operators: ()).cases
    with pytest.MonkeyPatch.context() as patch:  # specs call each other through the package of the library
        patch.setattr(installed, "package_bundle", lambda package, name: standard_file)
        return list(compare(loaded, newest_bodies(bundle), list(_spread(cases))))


def _spread(cases: tuple[Case, ...]) -> Iterator[Case]:
    """Some of each version's cases: the first, the last, and those at equal distances between."""
    found: dict[str, list[Case]] = {}
    for case in cases:
        found.setdefault(case.identity, []).append(case)
    for group in found.values():
        step = max((len(group) - 1) // (VECTORS - 1), 1)
        yield from group[::step][:VECTORS]


def test_python_gives_what_the_compiled_bodies_give(rows: list[Row]) -> None:
    assert [str(row) for row in rows if row.agreement is Agreement.DIFFERENT] == []
    for row in rows:  # onnxruntime computes halves in float, and keeps them so between the nodes of a graph
        if row.agreement is Agreement.WITHIN and row.runtime != "reference":
            assert "float16" in str(row), row


def test_every_version_is_among_them(rows: list[Row]) -> None:
    compared = Counter(row.identity for row in rows if row.agreement in (Agreement.EXACT, Agreement.RANDOM))
    assert set(compared) == {version.identity for version in load_standard().versions}
