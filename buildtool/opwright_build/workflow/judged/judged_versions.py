"""The verdict on each version of a library: kept where all that it rests on is as it was, else made now.

What is missing is made together: its vectors are collected, its bodies instantiated and run in one go, since versions
share sessions. Each version's verdict is then an action's result of its own, so that an edit costs what it concerns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from opwright_build.engine.action import Action, Read
from opwright_build.engine.content_digest import Json, digest_bytes, digest_fields
from opwright_build.report.course import Advance, Stage
from opwright_build.report.tables import counted
from opwright_build.workflow.judged.judged_library import Subject, collect
from opwright_build.workflow.judged.narrowing import ALL, Narrowing

if TYPE_CHECKING:
    from opwright_build.engine.run import Engine
    from opwright_build.sandbox.levels import Claim
    from opwright_build.verify.case_model import CollectedCases, CollectedVersion, Outcome
    from opwright_build.verify.cases.lock import LockedCase
    from opwright_build.verify.run.batches import Result
    from opwright_build.verify.run.instantiated import BodyFunctions
    from opwright_build.verify.run.kept_results import KeptResults
    from opwright_build.verify.run.runtimes import Runtime
    from opwright_build.verify.run.spread import Spread
    from opwright_build.verify.run.version_verdict import Verdict

KIND = "verify"
VERDICT = "verdict.json"  # the output
RESULTS_KIND = "verify-results"  # of vectors, for one version
RESULTS = "results.json"
AGREED_KIND = "verify-types"  # that onnx and the index agree about the types of a version's bodies
AGREED = "agreed"
ANSWERS_KIND = "oracle"  # what one reference has answered
ANSWERS = "answers"
GROUP = 16  # versions that are judged together where the first failure is the last
LOCKED = "locked"  # the kind of source that a line of the lock is


@dataclass(frozen=True, slots=True)
class JudgedVersions:
    """The verdicts, in the order of the specs; how many of their cells are known from earlier runs, and what references
    ran in now, None where none did."""

    verdicts: list[Verdict]
    kept: int
    sandbox: Claim | None


@dataclass(frozen=True, slots=True)
class Judging:
    """How versions are judged: which `cells` are run, on which runtimes; with `run_oracle` references are run, and
    `sandbox` is the level without which no Python of a spec is to be run."""

    runtimes: Sequence[Runtime]
    cells: Narrowing = ALL
    run_oracle: bool = True
    sandbox: int = 0


def judge_versions(subject: Subject, judging: Judging, locked: Mapping[str, LockedCase]) -> JudgedVersions:
    """Where Python of a spec is run, the user is told. InfrastructureError where the machine has no such sandbox.

    Of the cells, what is left out by types or opsets does not run, and such verdicts are not kept. Up to the first
    failure versions are judged in groups, and the groups behind the one that fails are not.
    """
    from opwright_build.verify.run.version_verdict import decode_verdict

    engine = subject.session.engine.over(LOCKED, lambda name: _line(locked, name))
    cells = judging.cells
    actions = _actions(subject, judging)
    engine.expect(actions.values())
    verdicts = {
        identity: decode_verdict(identity, data)
        for identity, action in actions.items()
        if (data := engine.look_up(action, VERDICT)) is not None
    }
    kinds = (kind for verdict in verdicts.values() for kind in verdict.kinds)
    kept = sum(kind.count for kind in kinds if cells.fits(kind.outcome))
    missing = [identity for identity in actions if identity not in verdicts]
    claim = None
    size = GROUP if cells.first else max(len(missing), 1)
    for start in range(0, len(missing), size):
        group = {identity: actions[identity] for identity in missing[start : start + size]}
        found, reused, used = _judge_group(subject, judging, engine, group)
        kept += reused
        claim = used or claim
        verdicts |= {verdict.identity: verdict for verdict in found}
        if cells.first and any(verdict.has_failed for verdict in found):
            break
    return JudgedVersions([verdicts[identity] for identity in actions if identity in verdicts], kept, claim)


def _judge_group(
    subject: Subject, judging: Judging, engine: Engine, group: Mapping[str, Action]
) -> tuple[list[Verdict], int, Claim | None]:
    """The verdicts on versions that have none, kept where they last; how many of their cells were known; and what
    references ran in."""
    from opwright_build.verify.cases.kept_answers import KeptAnswers
    from opwright_build.verify.run.instantiated import BodyFunctions
    from opwright_build.verify.run.kept_results import KeptResults, decode_results, encode_results
    from opwright_build.verify.run.spread import Spread
    from opwright_build.verify.run.version_verdict import encode_verdict, verdict_of

    cells = judging.cells
    parts = {name: _part(RESULTS_KIND, name, action.environment) for name, action in group.items()}
    (environment,) = {action.environment for action in group.values()}
    answers = KeptAnswers(lambda reference: engine.recall(_part(ANSWERS_KIND, reference, environment), ANSWERS))
    collected = collect(subject, judging.run_oracle, judging.sandbox, group, answers)
    for reference, data in answers.changed().items():
        engine.note(_part(ANSWERS_KIND, reference, environment), ANSWERS, data)
    before: dict[str, dict[str, Result]] = {}
    engine.expect_to_recall(parts.values())
    for identity, part in parts.items():
        for data in engine.recall(part, RESULTS):
            before.setdefault(identity, {}).update(decode_results(data))
    results = KeptResults({key: result for found in before.values() for key, result in found.items()})
    instantiated = BodyFunctions(subject.bundle, own=not subject.bundle.index.dependencies)
    spread = Spread(judging.runtimes) if cells.spread else None
    _require_agreement(subject, engine, instantiated, group, spread, cells)
    outcomes = _outcomes(subject, judging, collected, results, instantiated, spread)
    for identity, part in parts.items():
        if results.of(identity):  # of a part of the cells the others' results stay
            others = before.get(identity, {}) if cells.is_partial else {}
            engine.note(part, RESULTS, encode_results({**others, **results.of(identity)}))
    found = [verdict_of(version, outcomes.get(version.identity, ())) for version in collected.versions]
    for version, verdict in zip(collected.versions, found, strict=True):
        if verdict.is_lasting and not cells.is_partial:
            engine.keep(group[version.identity], VERDICT, encode_verdict(verdict), _reads(version))
    return found, results.reused, collected.sandbox


def _part(kind: str, name: str, environment: str) -> Action:
    """What of a version, or of a reference, may be of use again, although the whole is not."""
    return Action(kind, f"{kind} {name}", {}, {"of": name}, environment)


def _line(locked: Mapping[str, LockedCase], name: str) -> bytes | None:
    return str(locked[name]).encode() if name in locked else None


def _actions(subject: Subject, judging: Judging) -> dict[str, Action]:
    from opwright_build.verify.cases.collect import declared_anywhere
    from opwright_build.verify.run.version_verdict import entry_digest, machine_digest, spec_digest

    cluster = subject.session.cluster
    machine = machine_digest(judging.runtimes, "" if cluster is None else cluster.machine)
    environment = digest_fields([subject.session.environment, machine])
    declared = declared_anywhere(subject.loaded.versions)
    index = subject.bundle.index
    entries = {entry.identity: entry for entry in subject.entries}
    actions: dict[str, Action] = {}
    for version in subject.loaded.versions:
        entry = entries.get(version.identity)
        if entry is not None:
            types = declared[version.domain.name, version.name]
            params: dict[str, Json] = {
                "bodies": entry_digest(index, entry),
                "spec": spec_digest(version, types, subject.session.root),
                "oracle": judging.run_oracle,
            }
            if judging.cells.spread:
                params["spread"] = True
            label = f"verify {version.identity}"
            actions[version.identity] = Action(KIND, label, {}, params, environment)
    return actions


def _require_agreement(
    subject: Subject,
    engine: Engine,
    instantiated: BodyFunctions,
    group: Mapping[str, Action],
    spread: Spread | None,
    cells: Narrowing,
) -> None:
    """Compares the types of each body that is run with what onnx infers, once for bodies that stay as they are."""
    from opwright_build.verify.run.admits import admissions, require_agreement

    what = ("bodies", "spread")
    parts = {
        name: Action(
            AGREED_KIND,
            f"{AGREED_KIND} {name}",
            {},
            {key: action.params[key] for key in what if key in action.params},
            action.environment,
        )
        for name, action in group.items()
    }
    engine.expect_to_recall(parts.values())
    unknown = {name: part for name, part in parts.items() if not engine.recall(part, AGREED)}
    require_agreement(admissions(subject.bundle, instantiated, set(unknown), spread, cells.fits_opset))
    for part in unknown.values() if not cells.opsets else ():
        engine.note(part, AGREED, b"agreed")


def _outcomes(
    subject: Subject,
    judging: Judging,
    collected: CollectedCases,
    results: KeptResults,
    instantiated: BodyFunctions,
    spread: Spread | None,
) -> dict[str, list[Outcome]]:
    """By version, what becomes of the vectors that were collected now."""
    from opwright_build.verify.run.matrix import Known, verify_cases

    reporter, cells = subject.session.reporter, judging.cells
    cases = [case for case in collected.cases if cells.fits_types(case.bindings)]
    reporter.step(f"verifying {counted(len(cases), 'case')}")
    timings = subject.session.timings

    def tell(known: Known) -> None:
        for identity, seconds in known.seconds.items():
            timings.took(KIND, f"{KIND} {identity}", seconds)
        reporter.advance(Advance(Stage.VERIFY, known.done, known.total, known.failed))

    outcomes = verify_cases(
        subject.bundle,
        cases,
        runtimes=judging.runtimes,
        spread=spread,
        fits_opset=cells.fits_opset,
        workers=subject.session.workers,
        timeout=subject.session.vector_limit,
        progress=tell,
        instantiated=instantiated,
        kept=results,
    )
    found: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        found.setdefault(outcome.case.identity, []).append(outcome)
    return found


def _reads(version: CollectedVersion) -> list[Read]:
    """What was read for a version: digests of those very bytes, whatever the files hold by now."""
    sources = {f"file:{path}": data for path, data in version.files.items()}
    sources |= {f"{LOCKED}:{name}": None if line is None else line.encode() for name, line in version.suite.items()}
    return [Read(name, None if data is None else digest_bytes(data)) for name, data in sources.items()]
