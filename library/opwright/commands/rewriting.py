"""What `polyfill` and `convert` do alike: each model is rewritten, written, and what was done to it is told."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import monotonic

from opwright.bundle.format import Bundle
from opwright.bundle.read import find_bundle
from opwright.commands.command_output import counted, exit_status, show_findings
from opwright.commands.json_lines import JsonLines
from opwright.commands.model_jobs import Job, jobs_to_write, run_jobs, tell
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError
from opwright.diagnostics.exits import Exit
from opwright.downlevel.rewrite import Rewritten, Treatment, polyfill_libraries
from opwright.downlevel.target import Target


@dataclass(frozen=True, slots=True)
class Rewriting:
    """A command that rewrites models.

    `lines` are what it prints as JSON; `node` gives what these say of the version that a node has become one of;
    `libraries` are those that it takes without `--library`.
    """

    lines: JsonLines
    target: Callable[[], Target]
    node: Callable[[Treatment], Mapping[str, object]]
    libraries: Sequence[str] = ()
    inline: bool = False


@dataclass(frozen=True, slots=True)
class _Written:
    """What was done to the model of a job, and the file that holds it now."""

    job: Job
    done: Rewritten
    output: Path


def run_rewriting(options: argparse.Namespace, how: Rewriting) -> int:
    """Rewrites the models that `options` name; the exit status."""
    started = monotonic()
    found: list[Diagnostic] = []
    written: list[_Written] = []
    print_lines = partial(tell, output=options.output)

    def show(diagnostics: Sequence[Diagnostic]) -> None:
        found.extend(diagnostics)
        if options.json:
            print_lines(how.lines.findings(diagnostics))
        else:
            show_findings(diagnostics)

    def rewrite(job: Job, libraries: Sequence[Bundle], target: Target) -> int:
        done = polyfill_libraries(job.read(), libraries, target, inline=how.inline, file=job.file)
        output = job.output or job.source.with_name(f"{job.source.stem}.opset{done.opset}.onnx")
        job.write(done.model, output)
        written.append(_Written(job, done, output))
        if options.json:
            print_lines(how.lines.line(event="node", model=job.file, **fields) for fields in _nodes(done, how))
        show(done.diagnostics)
        if options.json:
            print_lines([how.lines.line(event="model", model=job.file, **_account(written[-1]))])
        else:
            print_lines(_text_lines(written[-1]))
        return Exit.GOOD

    try:
        target = how.target()
        jobs = jobs_to_write(options, options.library)
        libraries = [find_bundle(name, options.beside) for name in options.library or how.libraries]
        status = run_jobs(jobs, partial(rewrite, libraries=libraries, target=target), show)
    except DiagnosticError as error:
        show(error.diagnostics)
        status = exit_status(error.diagnostics)
    if options.json:
        account = _account(written[0]) if written and written[0].job.alone else {}
        seconds = {"seconds": round(monotonic() - started, 3)}
        print_lines([how.lines.summary(status, found, **account, **seconds)])
    return status


def _nodes(done: Rewritten, how: Rewriting) -> Iterator[dict[str, object]]:
    """What is said of each node that is another one now."""
    for item in done.treatments:
        yield {
            "place": item.place,
            "operator": item.operator,
            "since_version": item.since_version,
            "function": item.identity,
            **how.node(item),
        }


def _text_lines(written: _Written) -> Iterator[str]:
    """What was done, operator by operator, then the file."""
    done = written.done
    counts: dict[str, int] = {}
    for item in done.treatments:
        what = f"{item.operator}@{item.since_version} {_how(item)}"
        counts[what] = counts.get(what, 0) + 1
    for what, count in counts.items():
        yield f"{what}: {counted(count, 'node')}"
    added = "functions inlined" if done.inlined else f"{counted(len(done.functions), 'function')} added"
    yield f"wrote {written.output}: opset {done.opset}, IR version {done.model.ir_version}, {added}"


def _how(item: Treatment) -> str:
    if item.identity:
        return "by the function"
    return f"as of version {item.version}" if item.became == item.operator else f"as {item.became}@{item.version}"


def _account(written: _Written) -> dict[str, object]:
    """The file of the new model, and what was done to it."""
    done = written.done
    functions = sum(1 for item in done.treatments if item.identity)
    return {
        "output": written.output.as_posix(),
        "opset": done.opset,
        "ir_version": done.model.ir_version,
        "served": functions,
        "restamped": len(done.treatments) - functions,
        "functions": len(done.functions),
        "inlined": done.inlined,
    }
