"""The log of actions: what each one last ran on, so that `explain` can say why it ran."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from opwright_build.engine.action import Action, Done, Failed, Record, Unsupported
from opwright_build.engine.content_digest import canonical_json
from opwright_build.engine.sources import Sources, digest_now
from opwright_build.engine.tree import read_regular, write_whole

FORMAT = 1


class ActionLog:
    """One entry for each label, kept in a file of the working folder. Read on the first question only."""

    def __init__(self, path: Path, environment: Mapping[str, str]) -> None:
        self._path = path
        self.environment = dict(environment)
        self._loaded: dict[str, Any] | None = None
        self._changed = False

    def _entries(self) -> dict[str, Any]:
        if self._loaded is None:
            self._loaded = _load(self._path)
        return self._loaded

    def labels(self) -> list[str]:
        return sorted(self._entries())

    def previous(self, label: str) -> dict[str, Any] | None:
        """What is known of the last run of the action with that label."""
        return self._entries().get(label)

    def ran(self, action: Action, record: Record, why: tuple[str, ...]) -> None:
        self._entries()[action.label] = {**self._entry(action, record), "why": list(why)}
        self._changed = True

    def found(self, action: Action, record: Record) -> None:
        """Taken from the cache. The story of its last run stays while it is the same action that was found."""
        if self._loaded is None and self._path.exists():
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
            write_whole(self._path, canonical_json({"format": FORMAT, "actions": self._entries()}))
        self._changed = False

    def _entry(self, action: Action, record: Record) -> dict[str, Any]:
        return {
            "kind": action.kind,
            "key": action.key,
            "inputs": dict(action.inputs),
            "params": dict(action.params),
            "environment": self.environment,
            "trace": record.trace,
            "reads": [[read.name, read.digest] for read in record.reads],
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


def _load(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(read_regular(path))
        if value["format"] != FORMAT:
            return {}
        return {label: entry for label, entry in value["actions"].items() if _is_entry(entry)}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def _is_entry(entry: Any) -> bool:
    """Whether an entry has the form of those that are written here; a file of a checkout may hold anything."""
    try:
        texts = [entry["kind"], entry["key"], entry["trace"], entry["outcome"], *entry["why"]]
        texts += [*entry["inputs"].values(), *entry["environment"].values()]
        reads = all(isinstance(name, str) and isinstance(digest, str | None) for name, digest in entry["reads"])
        return reads and isinstance(entry["params"], dict) and all(isinstance(text, str) for text in texts)
    except (KeyError, TypeError, ValueError, AttributeError):
        return False
