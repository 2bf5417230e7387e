"""`opwright conform`: a backend of ONNX held against a corpus, or against the vectors of a library."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from opwright.diagnostics.diagnostic import Diagnostic, Place, has_errors
from opwright.diagnostics.exits import Exit

from opwright_build.report.reporter import Reporter
from opwright_build.report.tables import counted, text_table
from opwright_build.spec.confine import LibraryFiles
from opwright_build.workflow.corpus import CorpusOptions, left_out_lines, make_corpus, too_few
from opwright_build.workflow.opened.session import Options, Session, processors
from opwright_build.workflow.opened.status import UsageError, usage_error
from opwright_build.workflow.opened.task import NOTHING, finish, on_library, reporting

if TYPE_CHECKING:
    from opwright_build.verify.conformance.backends import Backend, Told
    from opwright_build.verify.conformance.corpus_case import CorpusCase

_SHOWN = 20  # differing cases that are told one by one


def conform_backend(
    path: Path, reporter: Reporter, options: Options, corpus: CorpusOptions, backend: Backend, started: float
) -> int:
    """Runs the cases of the corpus in the folder `path`, or of the library around it; the findings say what differs."""
    from opwright_build.verify.conformance.corpus_files import is_corpus

    files = LibraryFiles(path)
    if path.is_dir() and is_corpus(files):
        return reporting(reporter, lambda: _on_corpus(path, files, reporter, options, corpus, backend))

    def task(session: Session) -> int:
        made = make_corpus(session, corpus)
        if isinstance(made, list):
            return finish(session, started, made, "" if has_errors(made) else NOTHING, {})
        told = _run(made.cases, reporter, options, backend)
        findings = [*made.findings, *_findings(told, backend, corpus.least)]
        lines = [_table(told, backend), *left_out_lines(made.left_out)]
        return finish(session, started, findings, "\n".join(lines), {"cases": len(told)})

    return on_library(path, reporter, replace(options, reads_only=True), task)


def _on_corpus(
    path: Path, files: LibraryFiles, reporter: Reporter, options: Options, corpus: CorpusOptions, backend: Backend
) -> int:
    from opwright_build.verify.cases.stored.stored_rows import UnusableError
    from opwright_build.verify.conformance.corpus_files import MANIFEST, Unreadable, read_corpus

    shown = os.path.relpath(path).replace(os.sep, "/")
    try:
        found = list(read_corpus(files))
    except UnusableError as error:
        raise UsageError([_unusable(shown, MANIFEST, str(error))]) from None
    cases = [item for item in found if not isinstance(item, Unreadable)]
    unreadable = [_unusable(shown, item.name, item.reason) for item in found if isinstance(item, Unreadable)]
    told = _run(cases, reporter, options, backend)
    findings = [*unreadable, *_findings(told, backend, corpus.least)]
    reporter.findings(findings, lambda file: None)
    reporter.summary(_table(told, backend), {"cases": len(told)})
    return Exit.FINDINGS if has_errors(findings) else Exit.GOOD


def _unusable(folder: str, name: str, reason: str) -> Diagnostic:
    help_ = "export the corpus again; its files belong together"
    return Diagnostic("OW691", f"{name} cannot be used", Place(f"{folder}/{name}"), reason=reason, help=help_)


def _run(cases: Sequence[CorpusCase], reporter: Reporter, options: Options, backend: Backend) -> Sequence[Told]:
    from opwright_build.verify.conformance.backends import conform, why_unusable

    workers = options.jobs or processors()
    reason = why_unusable(backend, workers, options.vector_limit)
    if reason:
        message = f"the backend {backend.name} cannot be used: {reason}"
        help_ = "name an installed module and a class in it: --backend onnxruntime.backend"
        raise usage_error(message, help=help_)
    reporter.step(f"running {counted(len(cases), 'case')} on {backend.name}")
    return conform(backend, cases, workers, options.vector_limit)


def _findings(told: Sequence[Told], backend: Backend, least: int) -> list[Diagnostic]:
    """The first cases that are wrong; where none is, that fewer pass than are wanted."""
    from opwright_build.verify.conformance.backends import Verdict

    wrong = [item for item in told if item.verdict in (Verdict.DIFFERS, Verdict.FAILS)]
    if not wrong:
        return too_few(sum(item.verdict is Verdict.PASSES for item in told), least)
    found = []
    for number, item in enumerate(wrong[:_SHOWN], start=1):
        more = f"wrong cases besides: {len(wrong) - _SHOWN:,}" if number == _SHOWN < len(wrong) else ""
        message = f"{item.case.name} {item.verdict.value} on {backend.name}"
        found.append(Diagnostic("OW690", message, reason=item.message, help=more))
    return found


def _table(told: Sequence[Told], backend: Backend) -> str:
    """A row for each function, the verdicts counted, and each reason of a refusal once."""
    from opwright_build.verify.conformance.backends import Verdict

    columns = list(Verdict)
    counts: dict[str, Counter[Verdict]] = {}
    for item in told:
        counts.setdefault(item.case.identity or item.case.name, Counter())[item.verdict] += 1
    rows = [[name, *(str(found[verdict]) for verdict in columns)] for name, found in sorted(counts.items())]
    total = Counter(item.verdict for item in told)
    refusals = Counter(item.message for item in told if item.verdict is Verdict.REFUSED)
    lines = [text_table(["function", *(verdict.value for verdict in columns)], rows, right=range(1, 5))] if rows else []
    lines += [f"{count:,} refused: {reason}" for reason, count in refusals.most_common(_SHOWN)]
    shown = ", ".join(f"{total[verdict]:,} {verdict.value}" for verdict in columns if total[verdict])
    return "\n".join([*lines, f"{backend.name} on {counted(len(told), 'case')}: {shown or 'nothing ran'}"])
