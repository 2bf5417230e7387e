"""`opwright cache stats | verify | gc`: what the caches hold, whether it can be used, and what may go."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

from opwright.diagnostics.diagnostic import Diagnostic
from opwright.diagnostics.exits import Exit

from opwright_build.engine.log import ActionLog
from opwright_build.engine.shared_store import SharedStore
from opwright_build.engine.state_file import StateFile
from opwright_build.engine.store import LocalStore
from opwright_build.engine.tree import StoredFile, Tree
from opwright_build.engine.upkeep import (
    Condition,
    Holding,
    Kind,
    Limits,
    Tally,
    choose,
    discard_all,
    examine_all,
    survey,
)
from opwright_build.engine.user_secret import UserSeal, user_seal
from opwright_build.report.reporter import Reporter, in_reading_order
from opwright_build.report.tables import counted, text_table
from opwright_build.spec.library_root import find_library
from opwright_build.workflow.opened.session import (
    LOG,
    WORK,
    Options,
    cache_folder,
    folder_seal,
    is_url,
    open_shared,
)
from opwright_build.workflow.opened.status import UsageError
from opwright_build.workflow.opened.task import reporting


class Question(Enum):
    """What is asked of a cache."""

    STATS = "stats"
    VERIFY = "verify"
    GC = "gc"


AGE = 30 * 86_400.0  # of results that go where no limit is asked for
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 7 * 86_400}
_SIZES = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
_WORDS = {Kind.RESULT: "results", Kind.OUTPUT: "large outputs", Kind.LEFTOVER: "left of writes", Kind.OTHER: "others"}
_BAD = (Condition.DAMAGED, Condition.INCOMPLETE, Condition.UNREADABLE)


@dataclass(frozen=True, slots=True)
class Upkeep:
    """What to do: with `shared`, in the cache that several share; `remove` is for `verify`, `limits` are for `gc`."""

    question: Question
    shared: bool = False
    remove: bool = False
    limits: Limits = field(default_factory=Limits)
    dry_run: bool = False


def parse_age(text: str) -> float:
    """Seconds, of `90s`, `15m`, `12h`, `30d`, `2w`. ValueError for anything else."""
    found = re.fullmatch(r"(\d{1,9})([smhdw])", text)
    if found is None:
        raise ValueError("an age is a number and s, m, h, d or w, such as 30d")
    return float(int(found[1]) * _UNITS[found[2]])


def parse_size(text: str) -> int:
    """Bytes, of `500M`, `2G`, `1000`. ValueError for anything else."""
    found = re.fullmatch(r"(\d{1,12})([kmgt]?)(?:i?b)?", text.lower())
    if found is None:
        raise ValueError("a size is a number of bytes, or of K, M, G or T, such as 2G")
    return int(found[1]) * _SIZES[found[2]]


def upkeep_asked_for(
    question: Question, shared: bool, remove: bool, max_age: str, max_size: str, dry_run: bool
) -> Upkeep:
    """What a command line asks for. ValueError where it makes no sense. Without limits, `gc` has one of age."""
    if remove and question is not Question.VERIFY:
        raise ValueError("--remove is an option of `cache verify`")
    if (max_age or max_size or dry_run) and question is not Question.GC:
        raise ValueError("--max-age, --max-size and --dry-run are options of `cache gc`")
    age = parse_age(max_age) if max_age else None if max_size else AGE
    return Upkeep(question, shared, remove, Limits(age, parse_size(max_size) if max_size else None), dry_run)


def keep_up(path: Path, reporter: Reporter, options: Options, upkeep: Upkeep, started: float) -> int:
    """Answers the question about the cache of the library around `path`, or the one that the options name. It takes no
    lock: builds that run meanwhile go on."""

    def task() -> int:
        store, place, in_use = _opened(path, options, upkeep)
        changes = upkeep.question is Question.GC or upkeep.remove
        if changes and not upkeep.dry_run and upkeep.shared and not _writes(store):
            raise UsageError([_READ_ONLY])
        match upkeep.question:
            case Question.STATS:
                text, fields, findings = _stats(store)
            case Question.VERIFY:
                text, fields, findings = _verify(store, reporter, upkeep.remove)
            case Question.GC:
                text, fields, findings = _collect(store, reporter, upkeep, in_use)
        reporter.findings(in_reading_order(findings), lambda file: None)
        status = Exit.FINDINGS if findings else Exit.GOOD
        counts = {"exit": int(status), "errors": len(findings), "warnings": 0}
        fields |= {"place": place, "seconds": round(time.perf_counter() - started, 3)}
        reporter.summary(f"{place}\n{text}", {**_EMPTY, **fields, **counts})
        return status

    try:
        return reporting(reporter, task)
    finally:
        reporter.close()


def _opened(path: Path, options: Options, upkeep: Upkeep) -> tuple[LocalStore | SharedStore, str, frozenset[str]]:
    """The store, what to call it, and the files of results that the last runs of the library took."""
    if upkeep.shared:
        shared = open_shared(options)
        if shared is None:
            raise UsageError([_NO_SHARED])
        return shared, "the shared cache", frozenset()
    user = user_seal()
    if options.cache is not None and not is_url(options.cache):
        folder = Path(options.cache)
        return LocalStore(folder, user.seal), str(options.cache), frozenset()
    root = find_library(path)
    Tree(root).require_folder(f"{WORK}/cache")
    store = LocalStore(cache_folder(options, root), user.seal)
    return store, f"{WORK}/cache", _in_use(store, root, user)


def _in_use(store: LocalStore, root: Path, user: UserSeal) -> frozenset[str]:
    """The files of the results that the log of the library names: what its last builds and tests took or made."""
    Tree(root).require_file(f"{WORK}/{LOG}")
    log = ActionLog(StateFile(root / WORK / LOG, folder_seal(user)), {})
    return frozenset(store.record_path(key, trace) for key, trace in log.results())


def _writes(store: LocalStore | SharedStore) -> bool:
    return isinstance(store, LocalStore) or store.writes


_Answer = tuple[str, dict[str, Any], list[Diagnostic]]


def _stats(store: Holding) -> _Answer:
    tallies = survey(store)
    now = time.time()
    rows = [_row(_WORDS[kind], tally, now) for kind, tally in tallies.items() if tally.files]
    text = text_table(["", "files", "size", "unused for", "at most"], rows, right=(1, 2, 3, 4)) if rows else "empty"
    return text, {"kinds": {kind.value: _fields(tally, now) for kind, tally in tallies.items()}}, []


def _row(word: str, tally: Tally, now: float) -> list[str]:
    ages = [_age_text(now - when) for when in (tally.newest, tally.oldest) if when is not None]
    return [word, f"{tally.files:,}", size_text(tally.bytes), *ages]


def _fields(tally: Tally, now: float) -> dict[str, Any]:
    ages = [None if when is None else round(max(now - when, 0.0), 3) for when in (tally.newest, tally.oldest)]
    return {"files": tally.files, "bytes": tally.bytes, "youngest": ages[0], "oldest": ages[1]}


def _verify(store: Holding, reporter: Reporter, remove: bool) -> _Answer:
    bad: list[StoredFile] = []

    def tell(file: StoredFile, condition: Condition) -> None:
        if condition is not Condition.GOOD:
            reporter.event("entry", {"path": file.path, "size": file.size, "condition": condition.value})
        if condition in _BAD:
            bad.append(file)

    reporter.step("reading every result")
    found = examine_all(store, tell)
    removed = discard_all(store, bad) if remove else []
    told = [f"{found[condition]:,} {condition.value}" for condition in Condition if found[condition]]
    fields = {"conditions": {condition.value: found[condition] for condition in Condition}, **_removed(removed)}
    text = ", ".join(told) or "empty"
    if remove:
        text += f"\nremoved {counted(len(removed), 'file')}"
    return text, fields, [_damaged(bad, found)] if bad and not remove else []


def _collect(store: Holding, reporter: Reporter, upkeep: Upkeep, in_use: frozenset[str]) -> _Answer:
    reporter.step("looking for what nobody uses")
    chosen = choose(store, upkeep.limits, time.time(), in_use)
    removed = list(chosen) if upkeep.dry_run else discard_all(store, chosen)
    for file in removed:
        reporter.event("removed", {"path": file.path, "size": file.size})
    freed = size_text(sum(file.size for file in removed))
    would = "would remove" if upkeep.dry_run else "removed"
    tallies = survey(store)
    now = time.time()
    stays = sum(tally.bytes for kind, tally in tallies.items() if kind is not Kind.OTHER)
    kinds = {"kinds": {kind.value: _fields(tally, now) for kind, tally in tallies.items()}}
    return (
        f"{would} {counted(len(removed), 'file')}, {freed}; {size_text(stays)} are there",
        kinds | _removed(removed),
        [],
    )


def _removed(files: Sequence[StoredFile]) -> dict[str, Any]:
    return {"removed": {"files": len(files), "bytes": sum(file.size for file in files)}}


def size_text(size: int) -> str:
    """`12 bytes`, `3.4 MB`."""
    if size < 1000:
        return counted(size, "byte")
    amount, units = float(size), ("kB", "MB", "GB", "TB")
    for unit in units:
        amount /= 1000
        if amount < 999.95 or unit == units[-1]:
            return f"{amount:.1f} {unit}"
    raise AssertionError("the last unit takes all")


def _age_text(seconds: float) -> str:
    for unit, word in ((86_400, "d"), (3600, "h"), (60, "min")):
        if seconds >= unit:
            return f"{seconds / unit:.0f} {word}"
    return f"{max(seconds, 0):.0f} s"


def _damaged(bad: Sequence[StoredFile], found: Counter[Condition]) -> Diagnostic:
    kinds = ", ".join(f"{found[condition]} {condition.value}" for condition in _BAD if found[condition])
    return Diagnostic(
        code="OW923",
        message=f"{counted(len(bad), 'entry', 'entries')} of the cache cannot be used: {kinds}",
        reason="builds take them for missing, and make them again",
        help="`opwright cache verify --remove` removes them, `--json` names them; if it happens often, check the disk",
    )


_EMPTY: dict[str, Any] = {"kinds": {}, "conditions": {}, "removed": {"files": 0, "bytes": 0}}
_READ_ONLY = Diagnostic(
    code="OW924",
    message="nothing can be removed from the shared cache, which is only read here",
    reason="who has no key to sign with adds no results to it, and removes none",
    help="do it where OPWRIGHT_CACHE_SIGNING_KEY is set and OPWRIGHT_SHARED_CACHE_MODE is not",
)
_NO_SHARED = Diagnostic(
    code="OW924",
    message="there is no shared cache",
    help="name it with OPWRIGHT_SHARED_CACHE or --cache URL, or leave --shared out",
)
