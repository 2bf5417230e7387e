"""The verification matrix for people, for JUnit readers and for programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from opwright_build.report.junit import JUnitEntry, Verdict
from opwright_build.report.tables import text_table

if TYPE_CHECKING:
    from opwright_build.verify.case_model import Kind, Outcome
    from opwright_build.verify.run.matrix import Row


def matrix_text(rows: Sequence[Row]) -> str:
    """One line for each version and choice of types, a column for each runtime, and the totals."""
    runtimes = list(dict.fromkeys(runtime for row in rows for runtime in row.counts))
    lines = [
        [row.identity, _types(dict(row.types)), *(_cell(row.counts.get(runtime, {})) for runtime in runtimes)]
        for row in rows
    ]
    totals = {runtime: sum((Counter(row.counts.get(runtime, {})) for row in rows), Counter()) for runtime in runtimes}
    lines.append(["total", "", *(_cell(totals[runtime]) for runtime in runtimes)])
    return text_table(["function", "types", *runtimes], lines)


def runtime_totals(kinds: Iterable[Kind]) -> dict[str, dict[str, int]]:
    """How many cells ended how, by runtime."""
    totals: dict[str, Counter[str]] = {}
    for kind in kinds:
        totals.setdefault(kind.outcome.runtime, Counter())[kind.outcome.status.value] += kind.count
    return {runtime: dict(sorted(counts.items())) for runtime, counts in totals.items()}


def totals_line(runtime: str, counts: Mapping[str, int]) -> str:
    """`reference: 12 pass, 3 no-kernel`."""
    return f"{runtime}: {', '.join(f'{count:,} {status}' for status, count in counts.items())}"


def outcome_json(outcome: Outcome) -> dict[str, Any]:
    """One cell, as `test --json` gives it."""
    return {
        "function": outcome.case.identity,
        "vector": outcome.case.name,
        "types": dict(outcome.case.bindings),
        "opset": outcome.opset,
        "body": outcome.body or None,
        "runtime": outcome.runtime,
        "status": outcome.status.value,
        "message": outcome.message,
        "gap": outcome.gap or None,
    }


def junit_entry(outcome: Outcome, *, declared: bool = True) -> JUnitEntry:
    """One cell as a test: what a runtime refuses, or was not judged, is skipped; refused undeclared: failed.

    `declared` is false for a release whose refusals no row declares yet: they are skipped all the same.
    """
    types = _types(outcome.case.bindings)
    name = f"{outcome.case.name} [{types}] {outcome.runtime} opset {outcome.opset} {outcome.body[6:14]}".rstrip()
    status = outcome.status.value
    if status == "pass":
        return JUnitEntry(outcome.case.identity, name, Verdict.PASSED)
    refused = declared and status in ("no-kernel", "unsupported") and not outcome.gap
    verdict = Verdict.FAILED if status == "fail" or refused else Verdict.SKIPPED
    return JUnitEntry(outcome.case.identity, name, verdict, f"{status}: {outcome.message}")


def _types(bindings: Mapping[str, str]) -> str:
    return " ".join(f"{variable}={kind}" for variable, kind in bindings.items())


def _cell(counts: Mapping[Any, int]) -> str:
    return ", ".join(f"{count} {status.value}" for status, count in counts.items() if count)
