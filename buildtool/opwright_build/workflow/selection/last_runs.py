"""What is remembered of the last build and of the last tests, for selectors and `ls`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from opwright_build.engine.action import pack_reads
from opwright_build.engine.content_digest import Json
from opwright_build.engine.mutual_actions import Result
from opwright_build.engine.state_file import StateFile
from opwright_build.engine.user_secret import user_seal
from opwright_build.workflow.opened.session import WORK, Session, folder_seal

BUILT = "built.json"  # which result of the library action the last whole build wrote
FAILURES = "failed.json"  # the versions that failed when they were last tested


def note_build(session: Session, result: Result, templates: Sequence[str]) -> None:
    """Remembers that the whole library has been written as the result of the library action says, and which of its
    versions are templates."""
    state = session.state(BUILT)
    wanted: dict[str, Json] = {"key": result.action.key, "trace": pack_reads(result.reads).digest}
    wanted["templates"] = list(templates)
    known = state.load()
    if {name: known.get(name) for name in wanted} != wanted:
        state.save(wanted)


def built_templates(root: Path) -> Collection[str] | None:
    """The versions that were templates when the whole library was built last; None where that is not known."""
    known = StateFile(root / WORK / BUILT, folder_seal(user_seal())).load().get("templates")
    return frozenset(map(str, known)) if isinstance(known, list) else None


def note_failures(session: Session, tested: Iterable[str], failed: Collection[str]) -> None:
    """Remembers which of the versions that were tested failed; what is known of others stays."""
    before = failed_versions(session)
    now = sorted((before - set(tested)) | set(failed))
    if now != sorted(before):
        session.state(FAILURES).save({"identities": list(now)})


def failed_versions(session: Session) -> frozenset[str]:
    return frozenset(map(str, session.state(FAILURES).load().get("identities", ())))
