"""The log of actions: what each one last ran on, so that `explain` can say why it ran."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any

from opwright_build.engine.action import Action, Done, Failed, Record, Unsupported
from opwright_build.engine.sources import Sources, as_file, digest_now
from opwright_build.engine.state_file import StateFile


class ActionLog:
    """One entry for each label, kept in a file of the working folder. Read on the first question only."""

    def __init__(self, file: StateFile, environment: Mapping[str, str]) -> None:
        self._file = file
        self.environment = dict(environment)
        self._loaded: dict[str, Any] | None = None
        self._changed = False

    def _entries(self) -> dict[str, Any]:
        if self._loaded is None:
            entries: dict[str, Any] = self._file.load().get("actions", {})
            self._loaded = entries
            return entries
        return self._loaded

    def labels(self) -> list[str]:
        return sorted(self._entries())

    def previous(self, label: str) -> dict[str, Any] | None:
        """What is known of the last run of the action with that label."""
        return self._entries().get(label)

    def ran(self, action: Action, record: Record, why: tuple[str, ...], seconds: float = 0.0) -> None:
        story: dict[str, Any] = {"why": list(why), "seconds": round(seconds, 4)}
        self._entries()[action.label] = {**self._entry(action, record), **story}
        self._changed = True

    def found(self, action: Action, record: Record) -> None:
        """Taken from the cache. The story of its last run stays while it is the same action that was found."""
        if self._loaded is None and self._file.exists():
            return  # nothing ran yet, so nothing will be explained anew: the null build reads no log
        known = self._entries().get(action.label)
        if known is None or known["key"] != action.key or known["trace"] != record.trace:
            self._entries()[action.label] = {**self._entry(action, record), "why": []}
            self._changed = True

    def save(self) -> None:
        """Writes what was learnt. The log only explains, so failures to write it are ignored."""
        if not self._changed:
            return
        with contextlib.suppress(OSError):
            self._file.save({"actions": self._entries()})
        self._changed = False

    def _entry(self, action: Action, record: Record) -> dict[str, Any]:
        return {
            "kind": action.kind,
            "key": action.key,
            "inputs": dict(action.inputs),
            "params": dict(action.params),
            "environment": self.environment,
            "trace": record.trace,
            "reads": [[as_file(read.name), read.digest] for read in record.reads],
            "outcome": _outcome_word(record),
        }


def reasons(action: Action, previous: dict[str, Any] | None, log: ActionLog, sources: Sources) -> tuple[str, ...]:
    """Why an action that was not in the cache had to run: what differs from its last run."""
    if previous is None:
        return ("it has not run here before",)
    found: list[str] = []
    found += _differences("", previous["environment"], log.environment)
    found += _differences("parameter ", previous["params"], dict(action.params))
    found += _differences("input ", previous["inputs"], dict(action.inputs))
    for name, digest in previous["reads"]:
        now = digest_now(sources, name)
        if now != digest:
            found.append(f"{name} {_change(digest, now)}")
    return tuple(found) or ("nothing it rests on has changed, but its result was not in the cache",)


def _differences(what: str, before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    names = sorted({*before, *now})
    return [
        f"{what}{name} {_change(before.get(name), now.get(name))}"
        for name in names
        if before.get(name) != now.get(name)
    ]


def _change(before: object, now: object) -> str:
    if before is None:
        return "is new"
    return "is gone" if now is None else "changed"


def _outcome_word(record: Record) -> str:
    match record.outcome:
        case Done():
            return "done"
        case Failed():
            return "failed"
        case Unsupported():
            return "unsupported"
