"""`opwright test --mutants`: bodies are changed, and vectors ought to notice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from opwright.diagnostics.diagnostic import Diagnostic

from opwright_build.report.course import Advance, Stage
from opwright_build.workflow.judged.judged_library import Subject

if TYPE_CHECKING:
    from opwright_build.verify.case_model import Case


def mutate(subject: Subject, cases: Sequence[Case]) -> tuple[dict[str, Any], list[Diagnostic]]:
    """The figures of the mutants, and what is wrong with the survivors."""
    from opwright_build.verify.mutants.mutation_score import run_mutants
    from opwright_build.verify.mutants.survivors import FILE, SurvivorsFile, check_mutants, read_survivors, tally

    session = subject.session
    session.reporter.step("changing bodies, to see whether the vectors notice")
    scores = run_mutants(
        subject.bundle,
        cases,
        workers=session.workers,
        progress=lambda done, total: session.reporter.advance(Advance(Stage.MUTANTS, done, total)),
    )
    for score in scores:
        for fate in score.fates:
            event = {"function": fate.identity, "mutant": fate.id, "fate": fate.fate, "by": fate.by or None}
            session.reporter.event("mutant", event)
    data = session.tree.read(FILE)
    listed = SurvivorsFile(()) if data is None else read_survivors(data)
    identities = [version.identity for version in subject.loaded.versions]
    findings = check_mutants(scores, listed.survivors, places=subject.places, identities=identities)
    total = tally(scores, listed.survivors)
    figures = {
        "killed": total.killed,
        "survived": total.unlisted,
        "excused": total.listed,
        "stillborn": total.stillborn,
        "rate": round(total.rate, 4),
    }
    return figures, [*listed.diagnostics, *findings]
