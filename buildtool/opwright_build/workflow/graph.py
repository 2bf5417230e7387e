"""`opwright graph` and `opwright why`: which functions call which, and by what path."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from opwright.diagnostics.diagnostic import Diagnostic

from opwright_build.report.call_graph import FORMATS
from opwright_build.report.console import Console
from opwright_build.report.reporter import Reporter
from opwright_build.report.tables import counted
from opwright_build.workflow.opened.asked import Asked
from opwright_build.workflow.opened.session import Options, Session
from opwright_build.workflow.opened.status import usage_error
from opwright_build.workflow.opened.task import on_library, only_findings
from opwright_build.workflow.opened.writing import write_file
from opwright_build.workflow.selection.chosen import Calls, Chosen, choose
from opwright_build.workflow.selection.knowledge import LibraryKnowledge

if TYPE_CHECKING:
    from opwright_build.spec.model import LoadedLibrary


def graph(path: Path, console: Console, reporter: Reporter, options: Options, form: str, output: Path | None) -> int:
    """Prints the calls between the versions that are selected, or writes them to a file."""

    def task(session: Session) -> int:
        if form not in FORMATS:
            message = f"a graph cannot be drawn as {form}"
            raise usage_error(message, help=f"--format takes {', '.join(FORMATS)}")
        loaded, knowledge = _known(session)
        chosen = _chosen(session.asked, loaded, knowledge)
        kept = set(chosen.identities)
        nodes = {
            identity: [callee for callee in knowledge.calls.get(identity, ()) if callee in kept]
            for identity in chosen.identities
        }
        text = FORMATS[form](nodes)
        if output is None:
            console.result(text.removesuffix("\n"))
        else:
            write_file(output, text.encode())
            calls = counted(sum(map(len, nodes.values())), "call")
            console.summary(f"wrote {output} ({counted(len(nodes), 'version')}, {calls})")
        return only_findings(session, loaded.diagnostics)

    return on_library(path, reporter, replace(options, reads_only=True), task)


def why(caller: str, callee: str, path: Path, console: Console, reporter: Reporter, options: Options) -> int:
    """Prints the shortest path of calls from each version that `caller` means to one that `callee` means."""

    def task(session: Session) -> int:
        loaded, knowledge = _known(session)
        starts = choose(Asked((caller,)), loaded, knowledge).identities
        goals = set(choose(Asked((callee,)), loaded, knowledge).identities)
        paths = [found for start in starts if (found := shortest_path(start, goals, knowledge.calls))]
        for found in paths:
            console.result("\n".join(f"{'  ' * depth}{identity}" for depth, identity in enumerate(found)))
        missing = [] if paths else [Diagnostic("OW534", f"{caller} does not call {callee}, neither directly nor not")]
        return only_findings(session, [*loaded.diagnostics, *missing])

    return on_library(path, reporter, replace(options, reads_only=True), task)


def shortest_path(start: str, goals: Iterable[str], calls: Calls) -> list[str]:
    """From `start` to the nearest of `goals`, both included, by one call at least; empty where no path leads there."""
    wanted = set(goals)
    before: dict[str, str] = {}
    pending = deque([start])
    while pending:
        current = pending.popleft()
        for callee in calls.get(current, ()):
            if callee in before:
                continue
            before[callee] = current
            if callee in wanted:
                return _traced(callee, start, before)
            pending.append(callee)
    return []


def _traced(goal: str, start: str, before: dict[str, str]) -> list[str]:
    path = [goal, before[goal]]
    while path[-1] != start:
        path.append(before[path[-1]])
    return path[::-1]


def _known(session: Session) -> tuple[LoadedLibrary, LibraryKnowledge]:
    from opwright_build.spec.load import load_library

    loaded = load_library(session.root)
    return loaded, LibraryKnowledge(session, loaded)


def _chosen(asked: Asked, loaded: LoadedLibrary, knowledge: LibraryKnowledge) -> Chosen:
    if asked:
        return choose(asked, loaded, knowledge)
    return Chosen(tuple(version.identity for version in loaded.versions), loaded.broken)
