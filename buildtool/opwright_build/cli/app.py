"""The commands as people type them. Each one only gathers its arguments and hands them to a task of `workflow`."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer
from opwright.diagnostics.exits import Exit

from opwright_build.cli.repeated import Option, repeated_option
from opwright_build.engine.action_pool import LIMIT
from opwright_build.report.console import Console, open_console
from opwright_build.report.reporter import JsonReporter, Manner, Reporter, TextReporter
from opwright_build.workflow.limits import VECTOR_LIMIT
from opwright_build.workflow.selection.asked import Asked

START = time.perf_counter()

app = typer.Typer(
    name="opwright",
    help="Write ONNX functions in Python and ship them as verified, typed libraries.",
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="`opwright help` lists all commands: attach, inspect, detach, polyfill and decompile for models, and clean, "
    "completion, doctor and fmt.",
)

PathArgument = Annotated[
    Path, typer.Argument(metavar="[PATH]", help="A folder of the library; by default the current one.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="JSON, one object a line (schemas in docs/schemas).")]
CacheOption = Annotated[
    str | None,
    typer.Option(
        "--cache", metavar="FOLDER|URL", help="The cache's folder, by default .opwright/cache; or a shared cache's URL."
    ),
]
SarifOption = Annotated[
    Path | None, typer.Option("--sarif", metavar="FILE", help="Write the findings as SARIF 2.1.0 as well.")
]
PackageOption = Annotated[
    list[str] | None,
    typer.Option("-p", "--package", metavar="NAME", help="Only this package of the library; may be repeated."),
]
SelectOption = Annotated[
    list[str] | None,
    typer.Option(
        "-s",
        "--select",
        "--function",
        metavar="X",
        help="Only these functions: a name with globs, domain:, tag:, state:modified, +X, X+; may be repeated.",
    ),
]
SinceOption = Annotated[
    list[str] | None,
    typer.Option("--changed-since", metavar="REV", help="Only what differs from this revision of git."),
]
QuietOption = Annotated[bool, typer.Option("-q", "--quiet", help="Only findings, and the last line.")]
VerboseOption = Annotated[bool, typer.Option("-v", "--verbose", help="Also what ran, and why.")]
RehashOption = Annotated[bool, typer.Option("--rehash", help="Read every file again; trust no dates and sizes.")]
RerunOption = Annotated[bool, typer.Option("--rerun", help="Run every action again and compare with the cache.")]
SandboxOption = Annotated[
    int,
    typer.Option(
        "--require-sandbox",
        metavar="LEVEL",
        min=0,
        max=2,
        help="Run no Python of a spec in a sandbox below this level: 1 or 2.",
    ),
]


JobsOption = Annotated[
    int | None,
    typer.Option(
        "-j", "--jobs", metavar="N", min=1, help="Processes that work; by default one a processor. 1: none but this."
    ),
]
LimitOption = Annotated[
    float,
    typer.Option(
        "--action-limit", metavar="SECONDS", min=1.0, help="How long one function may take to compile in its process."
    ),
]

ExecutorOption = Annotated[
    str,
    typer.Option(
        "--executor", metavar="ADDRESS", help="A cluster that works in place of processes: dask:tls://host:port."
    ),
]
VectorLimitOption = Annotated[
    float,
    typer.Option("--vector-limit", metavar="SECONDS", min=0.1, help="How long a runtime may take for a vector."),
]
TimingsOption = Annotated[
    bool, typer.Option("--timings", help="Say where the time went: steps, kinds of actions, the slowest ones.")
]
WatchOption = Annotated[bool, typer.Option("--watch", help="Again after each change of specs/, until Ctrl-C.")]


class Within(Enum):
    """How far values may lie apart."""

    EXACT = "exact"
    TOLERANCE = "tolerance"


class Form(Enum):
    """How `diff` prints."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"


NameArgument = Annotated[str, typer.Argument(metavar="X", help="Name, domain/Name or domain::Name@version.")]
HERE = Path()


def run(words: Sequence[str]) -> int:
    """Runs one command line and gives its exit status. Usage errors are told by typer and give 2."""
    command = typer.main.get_command(app)
    repeated = repeated_option(_options_of(command, words[0]), words[1:]) if words else ""
    if repeated:
        print(f"opwright {words[0]}: {repeated} takes one value and is given several", file=sys.stderr)
        return Exit.USAGE
    try:
        command(args=list(words), prog_name="opwright")
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else Exit.USAGE
    return Exit.GOOD


def _options_of(group: object, name: str) -> list[Option]:
    """The options of the command of that name, as far as there is one."""
    commands = getattr(group, "commands", {})
    parameters = commands[name].params if name in commands else ()
    return [
        Option((*item.opts, *item.secondary_opts), not item.is_flag, item.multiple)
        for item in parameters
        if item.param_type_name == "option"
    ]


def _console() -> Console:
    return open_console(sys.stdout, sys.stderr, os.environ)


def _reporter(
    command: str,
    json: bool,
    findings_aside: bool = False,
    sarif: Path | None = None,
    quiet: bool = False,
    verbose: bool = False,
) -> Reporter:
    console = _console()
    manner = Manner.QUIET if quiet else Manner.VERBOSE if verbose else Manner.NORMAL
    reporter: Reporter = JsonReporter(console, command) if json else TextReporter(console, findings_aside, manner)
    if sarif is None:
        return reporter
    from opwright_build.report.findings_file import SarifReporter
    from opwright_build.workflow.writing import write_file

    return SarifReporter(reporter, command, lambda data: write_file(sarif, data))


def _asked(select: list[str] | None, since: list[str] | None, failed: bool = False) -> Asked:
    return Asked(tuple(select or ()), tuple(since or ()), failed)


def _leave(task: Callable[[], int]) -> None:
    """Ends the command with the task's status. typer would make 1 of Ctrl-C."""
    try:
        status = task()
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        status = Exit.INTERRUPTED
    raise typer.Exit(int(status))


def _leave_once_or_watching(path: Path, once: Callable[[float], int], again: bool) -> None:
    """Ends the command with the status of the task, which is given when it began; or runs it again and again."""
    if not again:
        _leave(lambda: once(START))
    from opwright_build.workflow.task import reporting
    from opwright_build.workflow.watching import watch

    def task() -> int:
        return watch(path, lambda: once(time.perf_counter()), _console().progress)

    _leave(lambda: reporting(_reporter("watch", json=False), task))


def _print_version(wanted: bool) -> None:
    if wanted:
        from opwright.version import VERSION

        print(f"opwright {VERSION}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[bool, typer.Option("--version", callback=_print_version, is_eager=True)] = False,
) -> None:
    """Write ONNX functions in Python and ship them as verified, typed libraries."""


@app.command()
def build(
    path: PathArgument = HERE,
    packages: PackageOption = None,
    json: JsonOption = False,
    cache: CacheOption = None,
    rehash: RehashOption = False,
    rerun: RerunOption = False,
    jobs: JobsOption = None,
    limit: LimitOption = LIMIT,
    executor: ExecutorOption = "",
    keep_going: Annotated[
        bool, typer.Option("--keep-going", help="Write the packages that are right, though others have errors.")
    ] = False,
    dry: Annotated[bool, typer.Option("--dry-run", help="Say what would run, and why; run and write nothing.")] = False,
    again: WatchOption = False,
    timings: TimingsOption = False,
    sarif: SarifOption = None,
    select: SelectOption = None,
    since: SinceOption = None,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Compile the library and write its bundle, wheel and typed stubs."""
    from opwright_build.workflow.build import build
    from opwright_build.workflow.session import Options

    asked = _asked(select, since)
    options = Options(
        cache, rehash, rerun, tuple(packages or ()), asked, jobs, limit, timings=timings, executor=executor
    )

    def once(started: float) -> int:
        reporter = _reporter("build", json, sarif=sarif, quiet=quiet, verbose=verbose)
        if dry:
            from opwright_build.workflow.dry_run import dry_run

            return dry_run(path, reporter, options, started)
        return build(path, reporter, options, started, keep_going)

    _leave_once_or_watching(path, once, again)


@app.command()
def lint(
    path: PathArgument = HERE,
    fix: Annotated[bool, typer.Option("--fix", help="Write what findings are sure of, such as misspelt keys.")] = False,
    dry: Annotated[bool, typer.Option("--dry-run", help="With --fix: show what would change; write nothing.")] = False,
    packages: PackageOption = None,
    json: JsonOption = False,
    cache: CacheOption = None,
    sarif: SarifOption = None,
    select: SelectOption = None,
    since: SinceOption = None,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Find mistakes; write nothing."""
    from opwright_build.workflow.lint import lint, lint_and_fix
    from opwright_build.workflow.session import Options

    options = Options(cache, packages=tuple(packages or ()), asked=_asked(select, since))
    reporter = _reporter("lint", json, sarif=sarif, quiet=quiet, verbose=verbose)
    if fix:
        _leave(lambda: lint_and_fix(path, reporter, options, START, dry))
    if dry:
        raise typer.BadParameter("--dry-run goes with --fix; lint alone writes nothing")
    _leave(lambda: lint(path, reporter, options, START))


@app.command()
def new(
    kind: Annotated[str, typer.Argument(metavar="KIND", help="What to begin: `library`, `function` or `version`.")],
    name: Annotated[str, typer.Argument(metavar="NAME", help="For example acme-ops, or com.acme/Swish.")],
    path: Annotated[Path, typer.Option("--path", help="The folder to begin in; by default the current one.")] = HERE,
    like: Annotated[str, typer.Option("--like", metavar="X", help="A function begins as a copy of this one.")] = "",
    onnxscript: Annotated[
        Path | None, typer.Option("--from-onnxscript", metavar="FILE", help="A function begins as this source has it.")
    ] = None,
    model: Annotated[
        str, typer.Option("--from", metavar="MODEL:WHAT", help="A function begins as a function or nodes of a model.")
    ] = "",
    domain: Annotated[str, typer.Option("--domain", help="The domain of a library; com.acme for acme-ops.")] = "",
    license: Annotated[str, typer.Option("--license", metavar="SPDX", help="The license of a library.")] = "",
    url: Annotated[str, typer.Option("--url", help="The repository of a library.")] = "",
) -> None:
    """Begin a library, a function (with a library around it where there is none) or a version of one."""
    from opwright_build.spec.scaffold import Settings
    from opwright_build.workflow.new import Beginning, new

    settings = Settings(domain, license, url)
    beginning = Beginning(like, onnxscript, model)
    _leave(lambda: new(kind, name, path, beginning, settings, _reporter("new", json=False)))


@app.command()
def ls(
    path: PathArgument = HERE,
    packages: PackageOption = None,
    json: JsonOption = False,
    select: SelectOption = None,
    since: SinceOption = None,
) -> None:
    """List the versions of all functions with their element types."""
    from opwright_build.workflow.listing import list_versions
    from opwright_build.workflow.session import Options

    reporter = _reporter("ls", json=False, findings_aside=True)
    options = Options(packages=tuple(packages or ()), asked=_asked(select, since))
    _leave(lambda: list_versions(path, _console(), reporter, json, options))


@app.command()
def show(
    name: NameArgument,
    path: PathArgument = HERE,
    select: SelectOption = None,
    packages: PackageOption = None,
    json: JsonOption = False,
    cache: CacheOption = None,
    since: SinceOption = None,
) -> None:
    """Show everything that is known of a function: what its YAML and its Python say, together."""
    from opwright_build.workflow.session import Options
    from opwright_build.workflow.show import show

    reporter = _reporter("show", json=False, findings_aside=True)
    options = Options(cache, packages=tuple(packages or ()), asked=_asked([name, *(select or ())], since))
    _leave(lambda: show(path, _console(), reporter, options, json))


@app.command()
def opsets(
    path: PathArgument = HERE,
    packages: PackageOption = None,
    json: JsonOption = False,
    cache: CacheOption = None,
    select: SelectOption = None,
    since: SinceOption = None,
) -> None:
    """Show which body serves which opset, and what prevents the others."""
    from opwright_build.workflow.opsets import show_opsets
    from opwright_build.workflow.session import Options

    reporter = _reporter("opsets", json=False, findings_aside=True)
    options = Options(cache, packages=tuple(packages or ()), asked=_asked(select, since))
    _leave(lambda: show_opsets(path, _console(), reporter, options, json))


@app.command("test")
def run_tests(
    path: PathArgument = HERE,
    json: JsonOption = False,
    junit: Annotated[Path | None, typer.Option("--junit", metavar="FILE", help="Write JUnit XML as well.")] = None,
    select: SelectOption = None,
    since: SinceOption = None,
    failed: Annotated[
        bool, typer.Option("--lf", "--last-failed", help="Only what failed when it was last tested.")
    ] = False,
    types: Annotated[
        list[str] | None, typer.Option("--type", metavar="T", help="Only cells of this element type.")
    ] = None,
    opset: Annotated[
        list[str] | None, typer.Option("--opset", metavar="N", help="Only cells at this opset, or 18-21.")
    ] = None,
    runtime: Annotated[
        list[str] | None, typer.Option("--runtime", metavar="R", help="Only this runtime, as in onnxruntime/*.")
    ] = None,
    first: Annotated[bool, typer.Option("-x", "--exitfirst", help="Stop at the first failure.")] = False,
    packages: PackageOption = None,
    table: Annotated[bool, typer.Option("--table", help="Print how each function and type ended.")] = False,
    mutants: Annotated[bool, typer.Option("--mutants", help="Also see which mutants the vectors let live.")] = False,
    update_gaps: Annotated[
        bool, typer.Option("--update-gaps", help="Write what the runtimes at hand refuse to specs/runtime-gaps.yaml.")
    ] = False,
    no_oracle: Annotated[bool, typer.Option("--no-oracle", help="Run no Python of a spec.")] = False,
    sandbox: SandboxOption = 0,
    rerun: RerunOption = False,
    jobs: JobsOption = None,
    limit: LimitOption = LIMIT,
    vector_limit: VectorLimitOption = VECTOR_LIMIT,
    executor: ExecutorOption = "",
    again: WatchOption = False,
    timings: TimingsOption = False,
    cache: CacheOption = None,
    sarif: SarifOption = None,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Verify every body on its vectors, on every runtime at hand."""
    from opwright_build.workflow.narrowing import Narrowing
    from opwright_build.workflow.selection.language import parse_opsets
    from opwright_build.workflow.session import Options
    from opwright_build.workflow.task import reporting
    from opwright_build.workflow.verify import Scope, verify

    asked = _asked(select, since, failed)
    options = Options(cache, False, rerun, tuple(packages or ()), asked, jobs, limit, vector_limit, timings, executor)

    def task(reporter: Reporter, started: float) -> int:
        ranges = tuple(parse_opsets(text) for text in opset or ())
        cells = Narrowing(tuple(types or ()), ranges, tuple(runtime or ()), first)
        scope = Scope(cells, mutants, update_gaps, not no_oracle, table or verbose, junit, sandbox)
        return verify(path, reporter, options, scope, started)

    def once(started: float) -> int:
        reporter = _reporter("test", json, sarif=sarif, quiet=quiet, verbose=verbose)
        return reporting(reporter, lambda: task(reporter, started))

    _leave_once_or_watching(path, once, again)


@app.command()
def vectors(
    words: Annotated[
        list[str] | None, typer.Argument(metavar="[PATH] | show X...", help="A folder; or the functions to show.")
    ] = None,
    update: Annotated[bool, typer.Option("--update", help="Rewrite specs/vectors.lock.")] = False,
    json: JsonOption = False,
    cache: CacheOption = None,
    sarif: SarifOption = None,
    select: SelectOption = None,
    since: SinceOption = None,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Compare the standard's vectors with specs/vectors.lock; `vectors show X` prints those of X."""
    from opwright_build.workflow.session import Options
    from opwright_build.workflow.vectors import show_vectors, vectors

    named = list(words or ())
    if named[:1] == ["show"]:
        showing = Options(cache, asked=_asked([*named[1:], *(select or ())], since))
        reporter = _reporter("vectors", json=False, findings_aside=True)
        _leave(lambda: show_vectors(HERE, _console(), reporter, showing))
    if len(named) > 1:
        raise typer.BadParameter("one folder, or `show` and names")
    path = Path(named[0]) if named else HERE

    _leave(
        lambda: vectors(
            path,
            _reporter("vectors", json, sarif=sarif, quiet=quiet, verbose=verbose),
            Options(cache, asked=_asked(select, since)),
            update,
            START,
        )
    )


@app.command()
def export(
    opset: Annotated[
        list[int], typer.Option("--opset", metavar="N", help="The default domain's version; may be repeated.")
    ],
    path: PathArgument = HERE,
    packages: PackageOption = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", metavar="FILE", help="By default in dist/.")] = None,
    cache: CacheOption = None,
    select: SelectOption = None,
    since: SinceOption = None,
) -> None:
    """Write the library as a plain ONNX model: its functions for one opset and an empty graph."""
    from opwright_build.workflow.export import export
    from opwright_build.workflow.session import Options

    options = Options(cache, packages=tuple(packages or ()), asked=_asked(select, since))
    _leave(lambda: export(path, _reporter("export", json=False), options, opset, output, START))


@app.command()
def propose(
    name: NameArgument,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FOLDER", help="A new or empty folder.")],
    path: PathArgument = HERE,
    sandbox: SandboxOption = 0,
    cache: CacheOption = None,
) -> None:
    """Make what a proposal to the ONNX standard has to bring: schema, tests, documents, and a checklist."""
    from opwright_build.workflow.propose import propose
    from opwright_build.workflow.session import Options

    _leave(lambda: propose(name, path, output, _reporter("propose", json=False), Options(cache), sandbox, START))


@app.command()
def update(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="Only these dependencies; by default all of them.")
    ] = None,
    path: Annotated[Path, typer.Option("--path", help="A folder of the library; by default the current one.")] = HERE,
    json: JsonOption = False,
    cache: CacheOption = None,
) -> None:
    """Lock the libraries that this one depends on to what is found now: rewrite specs/dependencies.lock."""
    from opwright_build.workflow.session import Options
    from opwright_build.workflow.update import update

    _leave(lambda: update(names or (), path, _reporter("update", json), Options(cache), START))


@app.command()
def stubs(
    path: PathArgument = HERE,
    packages: PackageOption = None,
    check: Annotated[bool, typer.Option("--check", help="Write nothing; say what is out of date.")] = False,
    json: JsonOption = False,
    cache: CacheOption = None,
    sarif: SarifOption = None,
    select: SelectOption = None,
    since: SinceOption = None,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Write the library's typed package, or check that it is up to date."""
    from opwright_build.workflow.session import Options
    from opwright_build.workflow.stubs import stubs

    options = Options(cache, packages=tuple(packages or ()), asked=_asked(select, since))
    _leave(
        lambda: stubs(path, _reporter("stubs", json, sarif=sarif, quiet=quiet, verbose=verbose), options, check, START)
    )


@app.command()
def docs(
    path: PathArgument = HERE,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FOLDER", help="By default docs/reference of the library.")
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Write nothing; say what is out of date.")] = False,
    cache: CacheOption = None,
) -> None:
    """Write a page of Markdown for each function, or check that they are up to date."""
    from opwright_build.workflow.reference import reference
    from opwright_build.workflow.session import Options

    _leave(lambda: reference(path, _reporter("docs", json=False), Options(cache), output, check, START))


@app.command()
def cache(
    question: Annotated[str, typer.Argument(metavar="stats|verify|gc", help="What to do.")],
    path: PathArgument = HERE,
    shared: Annotated[bool, typer.Option("--shared", help="The shared cache, in place of this machine's.")] = False,
    remove: Annotated[bool, typer.Option("--remove", help="verify: remove what cannot be used.")] = False,
    max_age: Annotated[
        str, typer.Option("--max-age", metavar="AGE", help="gc: unused for longer; by default 30d.")
    ] = "",
    max_size: Annotated[str, typer.Option("--max-size", metavar="SIZE", help="gc: keep at most this, as 2G.")] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="gc: only say what would go.")] = False,
    json: JsonOption = False,
    cache: CacheOption = None,
) -> None:
    """Say what the cache holds, check every entry of it, or remove what is unused for long."""
    from opwright_build.workflow.cache import Question, keep_up, upkeep_asked_for
    from opwright_build.workflow.session import Options

    try:
        upkeep = upkeep_asked_for(Question(question), shared, remove, max_age, max_size, dry_run)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    _leave(lambda: keep_up(path, _reporter("cache", json), Options(cache), upkeep, START))


@app.command()
def explain(
    subject: Annotated[str, typer.Argument(metavar="CODE|ACTION", help="OW201, or an action such as `package`.")],
    path: PathArgument = HERE,
) -> None:
    """Explain a diagnostic code, or why an action of the last build ran."""
    from opwright_build.workflow.explain import explain

    _leave(lambda: explain(subject, path, _console(), _reporter("explain", json=False, findings_aside=True)))


@app.command()
def lock(
    path: PathArgument = HERE,
    check: Annotated[bool, typer.Option("--check", help="Fail where a release would be refused.")] = False,
    accept: Annotated[
        list[str] | None,
        typer.Option("--accept", metavar="X", help="Accept the new body of a version; may be repeated."),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Accept every new body.")] = False,
    within: Annotated[
        Within, typer.Option("--within", help="How far values may be from those released.")
    ] = Within.TOLERANCE,
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why; it is kept in the lock.")] = "",
    unjudged: Annotated[bool, typer.Option("--unjudged", help="Accept bodies that no vector runs, too.")] = False,
    packages: PackageOption = None,
    json: JsonOption = False,
    cache: CacheOption = None,
    sarif: SarifOption = None,
) -> None:
    """Show what was released and whether the library keeps it, or accept new bodies."""
    from opwright_build.workflow.locking import Accepting, lock
    from opwright_build.workflow.session import Options

    accepting = Accepting(tuple(accept or ()), everything, within.value, reason, unjudged)
    options = Options(cache, packages=tuple(packages or ()))
    _leave(lambda: lock(path, _reporter("lock", json, sarif=sarif), options, accepting, check, START))


@app.command()
def diff(
    path: PathArgument = HERE,
    against: Annotated[
        str,
        typer.Option("--against", metavar="STATE", help="lock, git:REVISION, FILE.onnxlib or an installed library."),
    ] = "lock",
    form: Annotated[Form, typer.Option("--format", help="How to print what differs.")] = Form.TEXT,
    notes: Annotated[Path | None, typer.Option("--notes", metavar="FILE", help="Write release notes as well.")] = None,
    packages: PackageOption = None,
    cache: CacheOption = None,
) -> None:
    """Compare the library with another state of it: models, types, sources and values."""
    from opwright_build.workflow.differing import diff
    from opwright_build.workflow.session import Options

    options = Options(cache, packages=tuple(packages or ()))
    _leave(lambda: diff(path, against, notes, _diff_reporter(form), options, START))


def _diff_reporter(form: Form) -> Reporter:
    if form is not Form.SARIF:
        return _reporter("diff", json=form is Form.JSON)
    from opwright_build.report.findings_file import SarifReporter
    from opwright_build.report.quiet import QuietReporter

    console = _console()
    return SarifReporter(QuietReporter(), "diff", lambda data: console.result(data.decode().rstrip("\n")))


@app.command()
def release(
    version: Annotated[str, typer.Argument(metavar="VERSION", help="Three numbers, for example 1.2.0.")],
    path: PathArgument = HERE,
    packages: PackageOption = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be written; write nothing.")] = False,
    json: JsonOption = False,
    cache: CacheOption = None,
    sarif: SarifOption = None,
) -> None:
    """Release the library: lock what it promises, write notes and artefacts."""
    from opwright_build.workflow.releasing import release
    from opwright_build.workflow.session import Options

    options = Options(cache, packages=tuple(packages or ()))
    _leave(lambda: release(path, _reporter("release", json, sarif=sarif), options, version, dry_run, START))


@app.command()
def graph(
    path: PathArgument = HERE,
    form: Annotated[str, typer.Option("--format", metavar="F", help="mermaid, svg, dot or json.")] = "mermaid",
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write it to this file.")
    ] = None,
    select: SelectOption = None,
    since: SinceOption = None,
    cache: CacheOption = None,
) -> None:
    """Draw which functions call which."""
    from opwright_build.workflow.graph import graph
    from opwright_build.workflow.session import Options

    reporter = _reporter("graph", json=False, findings_aside=True)
    options = Options(cache, asked=_asked(select, since))
    _leave(lambda: graph(path, _console(), reporter, options, form, output))


@app.command()
def why(
    caller: Annotated[str, typer.Argument(metavar="A", help="The function that calls.")],
    callee: Annotated[str, typer.Argument(metavar="B", help="The function that is called.")],
    path: PathArgument = HERE,
    cache: CacheOption = None,
) -> None:
    """Show the path of calls by which one function comes to another."""
    from opwright_build.workflow.graph import why
    from opwright_build.workflow.session import Options

    reporter = _reporter("why", json=False, findings_aside=True)
    _leave(lambda: why(caller, callee, path, _console(), reporter, Options(cache)))
