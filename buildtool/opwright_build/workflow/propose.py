"""`opwright propose`: everything that a proposal of a function to the standard wants and a tool can make."""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

from opwright.diagnostics.diagnostic import Diagnostic, Place, Severity

from opwright_build.report.reporter import Reporter
from opwright_build.report.tables import counted
from opwright_build.workflow.built.library import build_library, read_packages
from opwright_build.workflow.judged.judged_library import Subject, collect
from opwright_build.workflow.judged.sandboxes import clause, record, require_for_workers
from opwright_build.workflow.opened.asked import Asked
from opwright_build.workflow.opened.owned_folder import OwnedFolder
from opwright_build.workflow.opened.session import Options, Session
from opwright_build.workflow.opened.status import usage_error
from opwright_build.workflow.opened.task import finish, on_library
from opwright_build.workflow.selection.language import select_identities

if TYPE_CHECKING:
    from opwright.bundle.format import FunctionEntry

    from opwright_build.propose.assemble import Package, Reference
    from opwright_build.propose.rfc import Background
    from opwright_build.propose.shipped_body import Comparison, WrongRow
    from opwright_build.propose.subject import Proposal
    from opwright_build.spec.model import SpecVersion

WORDS = "proposal.md"  # of a spec: why there should be such an operator, for people
FOLDER = OwnedFolder("proposal.json", "opwright.proposal/1", "a proposal's")
_SHOWN = 3  # failing tests that are told one by one


def propose(
    name: str, path: Path, output: Path, reporter: Reporter, options: Options, sandbox: int, started: float
) -> int:
    """Writes the proposal of the newest version that `name` means, or of the one it names, to the folder `output`.

    `sandbox` is the level of the sandbox without which no reference is to be run, and no model of the library loaded.
    """
    # What X needs is compiled: its versions, older ones too, with which the proposal compares it, and what they call.
    narrowed = replace(options, asked=Asked((name.partition("@")[0],)), reads_only=True)
    return on_library(path, reporter, narrowed, lambda session: _propose(session, name, output, sandbox, started))


def _propose(session: Session, name: str, output: Path, sandbox: int, started: float) -> int:
    from opwright_build.spec.load import load_library
    from opwright_build.verify.run.runtimes import available
    from opwright_build.verify.run.worker_sandbox import claim as workers_claim

    known = FOLDER.known_files(output)
    loaded = load_library(session.root)
    library = build_library(session)
    if not library.good:
        return finish(session, started, library.diagnostics, "", {})
    from opwright_build.propose.assemble import assemble
    from opwright_build.propose.shipped_body import ShippedBody
    from opwright_build.propose.subject import make_proposal

    version = _chosen(name, loaded.versions)
    owner = loaded.library.package_of(version.domain.name)
    bundle = next(item for item in read_packages(session, library) if item.index.library == owner.name)
    subject = Subject(session, loaded, bundle, {version.identity})
    (entry,) = subject.entries
    if sandbox:
        require_for_workers(workers_claim(), sandbox)
    collected = collect(subject, run_oracle=True, sandbox=sandbox)
    proposal, shipped = make_proposal(subject.bundle, entry), None
    found = [*library.diagnostics, *collected.diagnostics]
    if version.proposal is not None:
        other, wrong = _proposed(session, version, entry)
        if other is None:
            return finish(session, started, [*found, *wrong], "", {})
        proposal, shipped = other, ShippedBody(proposal, version.proposal.inexact)
    session.reporter.step("making the proposal, and running its node tests")
    reference, background = _reference(session, version), _background(session, version)
    package = assemble(proposal, collected.cases, reference, available(), session.jobs, background, shipped)
    digests = {path: hashlib.sha256(data).hexdigest() for path, data in package.files.items()}
    told = {"schema": FOLDER.schema, "identity": version.identity, "files": digests}
    FOLDER.write(output, known, package.files, (json.dumps(told, indent=1) + "\n").encode())
    place = version.places.get("name")
    findings = [*found, *_findings(package, place), *_inexact(package, version)]
    passed = Counter((item.runtime, item.status.value) for item in package.checked)
    comparison = package.comparison
    lines = [
        f"{version.identity}: {counted(package.tests, 'node test')}{'; on ' if passed else ''}"
        + ", ".join(f"{runtime} {count} {status}" for (runtime, status), count in sorted(passed.items())),
        *([] if comparison is None else _compared(comparison)),
        f"wrote {os.path.relpath(output)}{os.sep} ({counted(len(package.files) + 1, 'file')}); "
        f"{clause(collected.sandbox)}{{seconds}}",
        f"next: {counted(package.open_points, 'point')} for a person in {os.path.relpath(output / 'CHECKLIST.md')}",
    ]
    fields = {
        "identity": version.identity,
        "tests": package.tests,
        "open": package.open_points,
        "sandbox": record(collected.sandbox),
        "workers": record(workers_claim()),
    }
    if comparison is not None:
        fields["bodies"] = [asdict(item) for item in comparison.measured]
    return finish(session, started, findings, "\n".join(lines), fields)


def _chosen(name: str, versions: tuple[SpecVersion, ...]) -> SpecVersion:
    """The newest of the versions that the name means. UsageError where it means functions of several domains."""
    found = set(select_identities(name, [version.identity for version in versions]))
    chosen = [version for version in versions if version.identity in found]
    domains = list(dict.fromkeys(version.domain.name for version in chosen))
    if len(domains) > 1:
        message = f"the library has {name} in several domains: {', '.join(domains)}"
        raise usage_error(message, help=f"write {domains[0]}/{name}")
    return max(chosen, key=lambda version: version.since_version)


def _proposed(
    session: Session, version: SpecVersion, entry: FunctionEntry
) -> tuple[Proposal | None, Sequence[Diagnostic]]:
    """What is proposed where the spec names a body for that; None, and the reasons, where it cannot be."""
    from opwright_build.propose.shipped_body import interface_differences
    from opwright_build.propose.subject import make_proposal

    assert version.proposal is not None
    library = build_library(session, locked=False, proposed=version.identity)
    if not library.good:
        return None, library.diagnostics
    bundle = next(
        item for item in read_packages(session, library) if item.index.table.find_identity(version.identity) is not None
    )
    found = bundle.index.table.find_identity(version.identity)
    assert found is not None
    differences = list(interface_differences(entry, found))
    if not differences:
        return make_proposal(bundle, found), ()
    message = f"`{version.proposal.function}` cannot be proposed as {version.name}: {differences[0]}"
    help_ = "give it the parameters of the function, with the same defaults"
    return None, [Diagnostic("OW656", message, _place(version), reason="; ".join(differences[1:]), help=help_)]


def _place(version: SpecVersion) -> Place | None:
    """Where the spec names the function whose body is proposed."""
    return version.places.get("proposal.function") or version.places.get("proposal")


def _compared(comparison: Comparison) -> Iterator[str]:
    """The body that is proposed beside the one that is shipped."""
    here, there = comparison.nodes
    sides = "; ".join(f"{item.element} {item.proposed} ({item.shipped})" for item in comparison.measured)
    yield f"the body is not the library's: {counted(here, 'node')} ({there}); largest errors {sides or 'not measured'}"
    if comparison.inexact:
        yield f"vectors that it need not pass, and does not: {', '.join(comparison.inexact)}"


def _inexact(package: Package, version: SpecVersion) -> Iterator[Diagnostic]:
    """Vectors that the proposed body fails, and those that the spec says it fails and that it does not."""
    comparison = package.comparison
    if comparison is None or version.proposal is None:
        return
    rows: dict[str, list[WrongRow]] = {}
    for item in comparison.wrong:
        rows.setdefault(item.row, []).append(item)
    for row, items in rows.items():
        runtimes = ", ".join(dict.fromkeys(item.runtime for item in items))
        yield Diagnostic(
            "OW657",
            f"`{version.proposal.function}` fails the vector {row} on {runtimes}",
            _place(version),
            reason=f"{items[0].message}; the body that is shipped does not fail it",
            help=f"correct it; or say under `proposal: inexact: {{{row}: ...}}` why the standard can do without",
        )
    for row in comparison.idle:
        yield Diagnostic(
            "OW657",
            f"`{version.proposal.function}` fails no vector of the name {row}",
            version.places.get(f"proposal.inexact.{row}", _place(version)),
            reason="`inexact` names vectors that it fails and that the shipped body does not",
            help="take the name out",
        )


def _reference(session: Session, version: SpecVersion) -> Reference | None:
    """The spec's oracle as text: it is put into a file here, and not run."""
    from opwright_build.propose.assemble import Reference

    if version.reference_file is None:
        return None
    file = version.folder / version.reference_file
    source = session.source_text(file.relative_to(session.root).as_posix())
    return None if source is None else Reference(source, version.reference_name)


def _background(session: Session, version: SpecVersion) -> Background:
    """What the author says of the proposal, and the tests that the standard has of the operator already."""
    from opwright_build.propose.rfc import Background
    from opwright_build.verify.cases.suite import extract

    file = version.folder / WORDS
    words = session.source_text(file.relative_to(session.root).as_posix()) if file.exists() else None
    existing = [case.name for case in extract([version.name]) if case.domain == version.domain.name]
    return Background(words or "", tuple(existing))


def _findings(package: Package, place: Place | None) -> list[Diagnostic]:
    """Names that depart from the conventions, and node tests that fail."""
    found = [
        Diagnostic(
            "OW650",
            f"`{item.name}` does not follow the standard's naming conventions",
            place,
            reason=item.reason,
            help=f"write `{item.better}`" if item.better else "give one of them another name",
            severity=Severity.WARNING,
        )
        for item in package.naming
    ]
    failed = [item for item in package.checked if item.status.value == "fail"]
    for number, item in enumerate(failed[:_SHOWN], start=1):
        message = f"the node test {item.test} fails on {item.runtime}"
        more = f"{len(failed) - _SHOWN} more failures are in CHECKLIST.md" if number == _SHOWN < len(failed) else ""
        found.append(Diagnostic("OW651", message, place, reason=item.message, help=more))
    return found
