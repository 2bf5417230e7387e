"""`opwright vectors export`: the library's vectors as a corpus for any consumer of ONNX."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from opwright.diagnostics.diagnostic import Diagnostic, has_errors

from opwright_build.engine.tree import read_regular
from opwright_build.report.reporter import Reporter
from opwright_build.report.tables import counted
from opwright_build.workflow.built.library import build_library, read_packages
from opwright_build.workflow.judged.judged_library import Subject, collect
from opwright_build.workflow.judged.sandboxes import clause, record
from opwright_build.workflow.opened.owned_folder import OwnedFolder
from opwright_build.workflow.opened.session import Options, Session
from opwright_build.workflow.opened.status import usage_error
from opwright_build.workflow.opened.task import NOTHING, finish, on_library

if TYPE_CHECKING:
    from opwright_build.sandbox.levels import Claim
    from opwright_build.verify.conformance.corpus_case import CorpusCase, LeftOut

FOLDER = OwnedFolder("conformance.json", "opwright.conformance/1", "a corpus's")


@dataclass(frozen=True, slots=True)
class CorpusOptions:
    """`opset`: one of ai.onnx, None for the lowest of each body; `expanded`: nodes in the place of calls; `sandbox` the
    level without which no reference is run; `least` how many cases there must be."""

    opset: int | None
    expanded: bool
    sandbox: int
    least: int


@dataclass(frozen=True, slots=True)
class Corpus:
    """The cases of one package, and what is wrong with its vectors."""

    library: str
    version: str
    cases: Sequence[CorpusCase]
    left_out: Sequence[LeftOut]
    findings: Sequence[Diagnostic]
    sandbox: Claim | None


def export_vectors(
    path: Path, reporter: Reporter, options: Options, corpus: CorpusOptions, output: Path, started: float
) -> int:
    """Writes the vectors of the selected functions of the library around `path` to the folder `output`."""

    def task(session: Session) -> int:
        known = FOLDER.known_files(output)
        made = make_corpus(session, corpus)
        if isinstance(made, list):
            return finish(session, started, made, "" if has_errors(made) else NOTHING, {})
        from opwright_build.verify.conformance.corpus_files import case_files, manifest

        kept = {path: output / path for path in known if (output / path).is_file()}
        written = [(case, case_files(case, _Earlier(kept, case.name).read)) for case in made.cases]
        findings = [*made.findings, *too_few(len(written), corpus.least)]
        if has_errors(findings):
            return finish(session, started, findings, "", {"cases": len(written)})
        files = {f"{case.name}/{path}": data for case, found in written for path, data in found.items()}
        FOLDER.write(output, known, files, manifest(made.library, made.version, written))
        lines = [
            f"wrote {os.path.relpath(output)}{os.sep}: {counted(len(written), 'case')} of {made.library}"
            f" {made.version}; {counted(len(made.left_out), 'vector')} left out; {clause(made.sandbox)}{{seconds}}",
            *left_out_lines(made.left_out),
        ]
        fields = {"cases": len(written), "left_out": len(made.left_out), "sandbox": record(made.sandbox)}
        return finish(session, started, findings, "\n".join(lines), fields)

    return on_library(path, reporter, replace(options, reads_only=True), task)


@dataclass(frozen=True, slots=True)
class _Earlier:
    """What an earlier run has written for one case."""

    kept: Mapping[str, Path]
    name: str

    def read(self, file: str) -> bytes | None:
        path = self.kept.get(f"{self.name}/{file}")
        return None if path is None else read_regular(path)


def make_corpus(session: Session, corpus: CorpusOptions) -> Corpus | list[Diagnostic]:
    """The selected functions' cases; findings alone where the library does not build or nothing is selected."""
    from opwright_build.spec.load import load_library

    loaded = load_library(session.root)
    library = build_library(session)
    if not library.good or library.is_empty:
        return list(library.diagnostics)
    from opwright_build.verify.conformance.corpus_case import LeftOut, corpus_cases

    bundles = read_packages(session, library)
    if len(bundles) > 1:
        names = " or ".join(f"-p {bundle.index.library}" for bundle in bundles)
        message = f"{len(bundles)} packages are no one corpus"
        raise usage_error(message, help=f"choose one with {names}")
    (bundle,) = bundles
    collected = collect(Subject(session, loaded, bundle, library.chosen), run_oracle=True, sandbox=corpus.sandbox)
    found = list(corpus_cases(bundle, collected.cases, corpus.opset, corpus.expanded))
    return Corpus(
        bundle.index.library,
        bundle.index.version,
        [item for item in found if not isinstance(item, LeftOut)],
        [item for item in found if isinstance(item, LeftOut)],
        [*library.diagnostics, *collected.diagnostics],
        collected.sandbox,
    )


def too_few(count: int, least: int) -> list[Diagnostic]:
    """What is wrong with that number of cases."""
    if count >= least:
        return []
    message = f"{counted(count, 'case')}, where at least {least:,} {'is' if least == 1 else 'are'} wanted"
    return [Diagnostic("OW692", message, help="select more, or lower --min-count")]


def left_out_lines(left_out: Sequence[LeftOut]) -> list[str]:
    """Why vectors are left out, with how many each."""
    counts: dict[str, int] = {}
    for item in left_out:
        counts[item.reason] = counts.get(item.reason, 0) + 1
    return [f"  {count:,} left out: {reason}" for reason, count in sorted(counts.items(), key=lambda item: -item[1])]
