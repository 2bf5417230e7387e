"""The log of actions: what each one last ran on, so that `explain` can say why it ran."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from opwright_build.engine.action import Action, Done, Failed, PackedReads, Read, Record, Unsupported, pack_reads
from opwright_build.engine.content_digest import Json, canonical_json, digest_bytes
from opwright_build.engine.sources import CODE, NotYetError, Sources, as_file, digest_now
from opwright_build.engine.state_file import StateFile

FORMAT = 3


class ActionLog:
    """One entry for each label, kept in a file of the working folder. Read on the first question only.

    The file has a line for each: few of them are decoded, and few are written anew. Behind a second tab stands what the
    action read. The first line has the environments, by digest, which most entries share.
    """

    def __init__(self, file: StateFile, environment: Mapping[str, str]) -> None:
        self._file = file
        self.environment = dict(environment)
        self._loaded: dict[bytes, bytes] | None = None
        self._environments: dict[str, Any] = {}
        self._changed = False

    def _entries(self) -> dict[bytes, bytes]:
        if self._loaded is None:
            head, *lines = self._file.load_body().split(b"\n")
            value = json.loads(head) if head else {}
            if not isinstance(value, dict) or value.get("format") != FORMAT:
                value, lines = {}, []
            self._environments = value.get("environments", {})
            self._environments[_digest_of(self.environment)] = self.environment
            self._loaded = {label: entry for label, _, entry in (line.partition(b"\t") for line in lines)}
        return self._loaded

    def labels(self) -> list[str]:
        return sorted(map(json.loads, self._entries()))

    def results(self) -> list[tuple[str, str]]:
        """The key and the trace of the result that each action last had."""
        entries = (json.loads(line.partition(b"\t")[0]) for line in self._entries().values())
        return [(str(entry["key"]), str(entry["trace"])) for entry in entries]

    def previous(self, label: str) -> dict[str, Any] | None:
        """What is known of the last run of the action with that label."""
        known = self._entries().get(_line_label(label))
        if known is None:
            return None
        line, _, reads = known.partition(b"\t")
        entry: dict[str, Any] = json.loads(line)
        environment = self._environments.get(entry["environment"], {})
        return {**entry, "reads": PackedReads(reads), "environment": environment}

    def ran(self, action: Action, record: Record, why: tuple[str, ...], seconds: float = 0.0) -> None:
        self._set(action, record, {"why": list(why), "seconds": round(seconds, 4)})

    def found(self, action: Action, record: Record) -> None:
        """Taken from the cache. The story of its last run stays while it is the same action that was found."""
        if self._loaded is None and self._file.exists():
            return  # nothing ran yet, so nothing will be explained anew: the null build reads no log
        known = self._entries().get(_line_label(action.label), b"")
        if not all(f'"{digest}"'.encode("ascii") in known for digest in (action.key, record.trace)):
            self._set(action, record, {"why": []})

    def save(self) -> None:
        """Writes what was learnt. The log only explains, so failures to write it are ignored."""
        if not self._changed:
            return
        lines = [label + b"\t" + entry for label, entry in sorted(self._entries().items())]
        used = {digest: parts for digest, parts in self._environments.items() if _names(lines, digest)}
        head = canonical_json({"format": FORMAT, "environments": used})
        with contextlib.suppress(OSError):
            self._file.save_body(b"\n".join((head, *lines)))
        self._changed = False

    def _set(self, action: Action, record: Record, story: Mapping[str, Json]) -> None:
        entry: dict[str, Json] = {
            "kind": action.kind,
            "key": action.key,
            "inputs": dict(action.inputs),
            "params": dict(action.params),
            "environment": _digest_of(self.environment),
            "trace": record.trace,
            "outcome": _outcome_word(record),
        }
        line = b"\t".join((canonical_json({**entry, **story}), _of_files(record.reads).data))
        self._entries()[_line_label(action.label)] = line
        self._changed = True


def _line_label(label: str) -> bytes:
    return json.dumps(label).encode("ascii")


def _of_files(reads: Sequence[Read]) -> PackedReads:
    """Reads with files as the one thing that they are, whatever counts of them."""
    packed = pack_reads(reads)
    if b'["%b:' % CODE.encode("ascii") not in packed.data:
        return packed
    return pack_reads([Read(as_file(name), digest) for name, digest in reads])


def _names(lines: Iterable[bytes], environment: str) -> bool:
    text = f'"environment":"{environment}"'.encode("ascii")
    return any(text in line for line in lines)


def _digest_of(environment: Mapping[str, str]) -> str:
    return digest_bytes(canonical_json(environment))


def reasons(
    action: Action,
    previous: dict[str, Any] | None,
    log: ActionLog,
    sources: Sources,
    reads: Sequence[Read] = (),
) -> tuple[str, ...]:
    """Why an action that was not in the cache had to run: what differs from its last run. `reads` are those of now as
    far as they are known: they hold."""
    if previous is None:
        return ("it has not run here before",)
    found: list[str] = []
    found += _differences("", previous["environment"], log.environment)
    found += _differences("parameter ", previous["params"], dict(action.params))
    found += _differences("input ", previous["inputs"], dict(action.inputs))
    for name, digest in previous["reads"].without(_of_files(reads)):
        try:
            now = digest_now(sources, name)
        except NotYetError:
            continue  # it waits for another action, whose result this one may not ask for any more
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
