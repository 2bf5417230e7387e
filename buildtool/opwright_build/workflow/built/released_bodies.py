"""What bodies compute that are not those released: both are run on all vectors, as far as that is not known already."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from opwright.diagnostics.diagnostic import Diagnostic

from opwright_build.engine.action import Action, Read
from opwright_build.engine.content_digest import Json, digest_bytes, digest_fields
from opwright_build.engine.dataclass_bytes import encode_value
from opwright_build.report.tables import counted
from opwright_build.workflow.built.lock_comparison import ReadFile, read_locks_of

if TYPE_CHECKING:
    from opwright.bundle.format import Bundle

    from opwright_build.spec.model import LoadedLibrary
    from opwright_build.verify.case_model import CollectedVersion
    from opwright_build.verify.run.runtimes import Runtime
    from opwright_build.versions.numeric import NumericVerdict
    from opwright_build.versions.promise import Promise, Promised
    from opwright_build.versions.release_lock import Locks
    from opwright_build.workflow.opened.session import Session

    State = tuple[Promised, Bundle]  # of a library: what it promises, and the bodies

KIND = "compare"
VERDICT = "numeric.json"  # the output


@dataclass(frozen=True, slots=True)
class Judged:
    """What bodies compute that are not those released."""

    verdicts: Mapping[str, NumericVerdict]
    findings: tuple[Diagnostic, ...]


def judge_differing(
    session: Session, loaded: LoadedLibrary, bundle: Bundle, differing: Sequence[str], read: ReadFile
) -> Judged:
    """Runs released bodies and those of now on all vectors, as far as that is not known already. `loaded` has all
    versions of those functions; no other is looked at, but for what they call."""
    from opwright_build.versions.bundles import bundle_of
    from opwright_build.versions.promise import promised_by
    from opwright_build.versions.release_findings import SpecPlaces, of_bodies
    from opwright_build.versions.release_lock import read_text, text_path

    locks, _ = read_locks_of(differing, read, [domain.name for domain in loaded.domains])
    released = locks.promised
    if released is None:
        return Judged({}, ())
    found: list[Diagnostic] = []

    def bodies_of(promise: Promise) -> Mapping[str, bytes]:
        path = text_path(promise.entry)
        data = read(path)
        if data is None:
            found.append(_no_text(path, locks, promise.identity))
            return {}
        bodies, findings = read_text(data, promise)
        found.extend(findings)
        return bodies

    before = bundle_of(released, differing, bodies_of, bundle)
    functions = {(version.domain.name, version.name): None for version in loaded.versions}
    of_functions = [entry for function in functions for entry in bundle.index.table.versions_of(*function)]
    current = promised_by(replace(bundle.index, functions=of_functions))
    verdicts = judge_pairs(session, loaded, (released, before), (current, bundle), differing)
    findings = of_bodies(verdicts, released, current, SpecPlaces(loaded, read, locks.place))
    return Judged(verdicts, (*found, *findings))


def judge_pairs(
    session: Session,
    loaded: LoadedLibrary,
    old: State,
    new: State,
    identities: Iterable[str],
) -> dict[str, NumericVerdict]:
    """What the bodies of these versions compute in both states; `loaded` has the vectors, and is the state `new`."""
    from opwright_build.verify.run.runtimes import available

    runtimes = available()
    actions = _actions(session, loaded, old, new, [name for name in identities if name in new[0].promises], runtimes)
    known = {identity: session.engine.look_up(action, VERDICT) for identity, action in actions.items()}
    verdicts = {identity: _decode(data) for identity, data in known.items() if data is not None}
    missing = [identity for identity in actions if identity not in verdicts]
    for version, verdict in _judge(session, loaded, old, new, missing, runtimes):
        verdicts[version.identity] = verdict
        data = json.dumps({**asdict(verdict), "within": verdict.within.value}, sort_keys=True).encode()
        session.engine.keep(actions[version.identity], VERDICT, data, _reads(version))
    return {identity: verdicts[identity] for identity in actions}


def _actions(
    session: Session,
    loaded: LoadedLibrary,
    old: State,
    new: State,
    wanted: Iterable[str],
    runtimes: Sequence[Runtime],
) -> dict[str, Action]:
    """What each of these comparisons rests on, by identity."""
    from opwright_build.verify.cases.collect import declared_anywhere
    from opwright_build.verify.run.version_verdict import entry_digest, machine_digest, spec_digest
    from opwright_build.versions.bundles import at_hand

    environment = digest_fields([session.environment, machine_digest(runtimes)])
    declared = declared_anywhere(loaded.versions)
    versions = {version.identity: version for version in loaded.versions}
    actions: dict[str, Action] = {}
    for identity in wanted:
        version, before = versions[identity], old[0].promises[identity].entry
        params: dict[str, Json] = {
            "old": digest_bytes(encode_value(before)),
            "at hand": at_hand(old[1], before),
            "new": entry_digest(new[1].index, new[0].promises[identity].entry),
            "spec": spec_digest(version, declared[version.domain.name, version.name], loaded.library.root),
        }
        actions[identity] = Action(KIND, f"compare {identity}", {}, params, environment)
    return actions


def _judge(
    session: Session,
    loaded: LoadedLibrary,
    old: State,
    new: State,
    missing: Sequence[str],
    runtimes: Sequence[Runtime],
) -> Iterator[tuple[CollectedVersion, NumericVerdict]]:
    """The verdicts that are not known, made together; with each the vectors that were run."""
    if not missing:
        return
    from opwright_build.verify.cases.collect import collect_cases
    from opwright_build.versions.numeric import Compared, judge_versions_numerically

    session.reporter.step(f"running the bodies of {counted(len(missing), 'version')} beside those before")
    table = new[1].index.table
    looked_up = ((identity, table.find_identity(identity)) for identity in missing)
    interfaces = {identity: interface for identity, interface in looked_up if interface is not None}
    collected = collect_cases(loaded.versions, interfaces, loaded.library.root, run_oracle=False, only=set(missing))
    of_versions = {item.identity: item for item in collected.versions}
    subjects = [
        Compared(old[0].promises[identity], new[0].promises[identity], old[1], new[1], of_versions[identity].cases)
        for identity in missing
    ]
    verdicts = judge_versions_numerically(subjects, runtimes=runtimes, workers=session.jobs)
    yield from ((of_versions[identity], verdict) for identity, verdict in verdicts.items())


def _decode(data: bytes) -> NumericVerdict:
    from opwright_build.versions.numeric import NumericVerdict, Within

    value = json.loads(data)
    texts = {name: tuple(value[name]) for name in ("unjudged", "missing", "drawn")}
    return NumericVerdict(**{**value, **texts, "within": Within(value["within"])})


def _reads(version: CollectedVersion) -> list[Read]:
    """The files that the vectors came from: digests of those very bytes."""
    files = version.files.items()
    return [Read(f"file:{path}", None if data is None else digest_bytes(data)) for path, data in files]


def _no_text(path: str, locks: Locks, identity: str) -> Diagnostic:
    return Diagnostic(
        "OW610",
        f"{path} is missing",
        locks.place(identity),
        reason="it holds the bodies that were released, which those of now are compared with",
        help="take it from version control again",
    )
