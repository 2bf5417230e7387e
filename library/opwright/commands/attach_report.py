"""What `opwright attach` tells, of the plan and of what was done, for people and for programs."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from time import monotonic
from typing import Protocol

from opwright.commands.command_output import counted, exit_status, show_findings, written_id
from opwright.commands.json_lines import JsonLines
from opwright.commands.model_jobs import Job, run_jobs, tell
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError
from opwright.link.apply import Attached
from opwright.link.attachment import AttachPlan, PlannedFunction, PlannedNode

LINES = JsonLines("opwright.attach/1")
_DIGITS = 12  # of a digest, that people see
_MOST_NAMED = 5  # of those that need a function


class Report(Protocol):
    """What a run tells of its models."""

    def run(self, jobs: Sequence[Job], work: Callable[[Job], int]) -> int: ...
    def tell_plan(self, job: Job, plan: AttachPlan) -> None: ...
    def tell_done(self, job: Job, done: Attached, ir_version: int) -> None: ...


class TextReport:
    """Results on stdout, findings on stderr."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._shows_plan = options.dry_run or options.explain
        self._explain = options.explain
        self._inline = options.inline

    def run(self, jobs: Sequence[Job], work: Callable[[Job], int]) -> int:
        return run_jobs(jobs, work)

    def tell_plan(self, job: Job, plan: AttachPlan) -> None:
        if self._shows_plan:
            lines = plan_text(plan, explain=self._explain)
            job.tell(lines if job.alone else [f"{job.file}:", *lines])

    def tell_done(self, job: Job, done: Attached, ir_version: int) -> None:
        show_findings(done.diagnostics)
        job.tell(self._lines(job, done, ir_version))

    def _lines(self, job: Job, done: Attached, ir_version: int) -> Iterator[str]:
        if not self._shows_plan:
            for identity, count in done.served:
                yield f"{identity}: {counted(count, 'node')}"
        added = "inlined" if self._inline else f"{counted(len(done.functions), 'function')} added"
        total = sum(count for _, count in done.served)
        now = done.model.ir_version
        changes = f", IR version {ir_version} -> {now}" if now != ir_version else ""
        what = f"wrote {job.output}" if job.output is not None else "nothing is written"
        yield f"{what}: {counted(total, 'node')} served, {added}{changes}"


class JsonReport:
    """One object a line, all of it where results go."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._output = options.output
        self._inline = options.inline
        self._found: list[Diagnostic] = []
        self._started = monotonic()

    def run(self, jobs: Sequence[Job], work: Callable[[Job], int]) -> int:
        try:
            status = run_jobs(jobs, work, self._tell_findings)
        except DiagnosticError as error:
            self._tell_findings(error.diagnostics)
            status = exit_status(error.diagnostics)
        seconds = round(monotonic() - self._started, 3)
        tell([LINES.summary(status, self._found, seconds=seconds)], self._output)
        return status

    def tell_plan(self, job: Job, plan: AttachPlan) -> None:
        job.tell(plan_lines(plan, job.file))

    def tell_done(self, job: Job, done: Attached, ir_version: int) -> None:
        self._tell_findings(done.diagnostics)
        line = LINES.line(
            event="model",
            model=job.file,
            output=None if job.output is None else job.output.as_posix(),
            ir_version=done.model.ir_version,
            served=sum(count for _, count in done.served),
            functions=len(done.functions),
            inlined=self._inline,
        )
        job.tell([line])

    def _tell_findings(self, diagnostics: Sequence[Diagnostic]) -> None:
        self._found.extend(diagnostics)
        tell(LINES.findings(diagnostics), self._output)


def plan_text(plan: AttachPlan, *, explain: bool) -> Iterator[str]:
    """A row for each node that is served, with its reasons where they are asked for, then for each function."""
    rows = [("node", "calls", "version", "variant", "body", "library"), *map(_row, plan.nodes)]
    for line, node in zip(_aligned(rows), (None, *plan.nodes), strict=True):
        if plan.nodes:
            yield line
        if node is not None and explain:
            yield from (f"    {reason}" for reason in node.why)
    for function in plan.functions:
        yield _function_text(plan, function, explain=explain)
    imports = ", ".join(f"{domain or 'ai.onnx'} {version}" for domain, version in plan.imports.items())
    yield f"opset {plan.opset}, IR version {plan.ir_version}" + (f", imports {imports}" if imports else "")


def plan_lines(plan: AttachPlan, file: str) -> Iterator[str]:
    """The same as events."""
    for node in plan.nodes:
        yield LINES.line(
            event="node",
            model=file,
            place=node.place,
            operator=node.operator,
            replaces=node.replaces,
            function=written_id(node.function.name),
            **_described(node.function),
            since_version=node.since_version,
            why=node.why,
        )
    for function in plan.functions:
        yield LINES.line(
            event="function",
            model=file,
            function=written_id(function.name),
            **_described(function),
            is_new=function.is_new,
            hidden_by=function.hidden_by,
            needed_by=function.needed_by,
        )
    for conflict in plan.conflicts:
        sides = [{"where": side.where, "needs": side.needs} for side in conflict.sides]
        found = conflict.finding
        yield LINES.line(event="conflict", model=file, code=found.code, text=found.message, sides=sides)


def _described(function: PlannedFunction) -> dict[str, object]:
    return {
        "identity": function.identity,
        "variant": function.variant,
        "body": function.body,
        "first_opset": function.first_opset,
        "last_opset": function.last_opset,
        "library": function.library,
        "release": function.release,
    }


def _row(node: PlannedNode) -> tuple[str, ...]:
    function = node.function
    library = f"{function.library} {function.release}".strip()
    return (
        node.place,
        written_id(function.name),
        str(node.since_version),
        function.variant or "-",
        f"{_short(function.body)} ({function.first_opset} to {function.last_opset})",
        library,
    )


def _function_text(plan: AttachPlan, function: PlannedFunction, *, explain: bool) -> str:
    what = "is there already" if not function.is_new else "inline" if plan.inline else "is added"
    text = f"{written_id(function.name)} {what}: {function.identity}, {_short(function.body)}"
    if not explain:
        return f"{text}, needed by {counted(len(function.needed_by), 'node or function')}"
    named = function.needed_by[:_MOST_NAMED]
    others = len(function.needed_by) - len(named)
    return f"{text}, needed by {', '.join(named) or 'nothing'}" + (f" and {counted(others, 'other')}" if others else "")


def _short(digest: str) -> str:
    kind, _, digits = digest.partition(":")
    return f"{kind}:{digits[:_DIGITS]}"


def _aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
