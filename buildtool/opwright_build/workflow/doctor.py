"""`opwright doctor`: what this machine has of what the commands need, and how to get the rest."""

from __future__ import annotations

import locale
import os
import platform
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from opwright.diagnostics.diagnostic import DiagnosticError
from opwright.diagnostics.exits import Exit
from opwright.version import VERSION

from opwright_build.spec.library_root import existing, library_around
from opwright_build.workflow.opened.task import reporting

if TYPE_CHECKING:
    from opwright_build.report.console import Console
    from opwright_build.report.reporter import Reporter

# Distributions by the extra that brings them; empty for what opwright itself requires.
_PACKAGES = {
    "onnx": "",
    "numpy": "",
    "mpmath": "",
    "packaging": "build",
    "pydantic": "build",
    "pyyaml": "build",
    "jinja2": "build",
    "onnxruntime": "run",
}
_LOCALE = "en_US.UTF-8"  # what StringNormalizer takes where nothing is said
_LEAST_ROOM = 1 << 30


@dataclass(frozen=True, slots=True)
class Found:
    """One thing that was looked at. `state` is `good`, `note` for what some commands do without, or `missing`."""

    what: str
    state: str
    text: str
    help: str = ""


def doctor(path: Path, console: Console, reporter: Reporter, json: bool) -> int:
    """Prints what was found; exit status 1 where something is missing that a command needs."""
    return reporting(reporter, lambda: _tell(list(look(existing(path))), console, json))


def _tell(found: Sequence[Found], console: Console, json: bool) -> int:
    if json:
        from json import dumps

        for item in found:
            console.result(dumps({"schema": "opwright.doctor/1", **asdict(item)}))
    else:
        width = max(len(item.what) for item in found)
        for item in found:
            mark = {"good": "  ", "note": "- ", "missing": "! "}[item.state]
            console.result(f"{mark}{item.what.ljust(width)}  {item.text}")
            if item.help:
                console.result(f"  {' ' * width}  help: {item.help}")
    return Exit.FINDINGS if any(item.state == "missing" for item in found) else Exit.GOOD


def look(path: Path) -> Iterator[Found]:
    """Everything that was looked at, in the order in which it is needed."""
    yield Found("opwright", "good", VERSION)
    yield Found("python", "good", f"{platform.python_version()} at {sys.executable}")
    yield Found("system", "good", f"{platform.system()} {platform.release()} {platform.machine()}, {_processors()}")
    yield from _packages(_PACKAGES.items())
    installed = {name for name in _PACKAGES if _version(name)}
    if {"onnx", "numpy"} <= installed:
        yield from _runtimes()
        yield from _sandbox()
    yield _locale()
    yield from _library(path)
    yield _git()


def _processors() -> str:
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return f"{count} processor{'s' if count != 1 else ''}"


def _packages(packages: Iterable[tuple[str, str]]) -> Iterator[Found]:
    for name, extra in packages:
        release = _version(name)
        if release:
            yield Found(name, "good", release)
        elif extra == "run":
            help_ = "pip install 'opwright[run]', or any other build of onnxruntime"
            yield Found(name, "note", "not installed: bodies are verified on onnx's reference alone", help_)
        else:
            source = f"opwright[{extra}]" if extra else "opwright"
            yield Found(name, "missing", "not installed", f"pip install '{source}'")


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return _version("onnxruntime-gpu") if name == "onnxruntime" else ""


def _runtimes() -> Iterator[Found]:
    from onnx.defs import onnx_opset_version

    from opwright_build.verify.facts.refusals import Refusal
    from opwright_build.verify.run.runtimes import available, newest_accepted

    newest = onnx_opset_version()
    for runtime in available():
        accepted = newest_accepted(runtime, 1, newest)
        text = f"release {runtime.release}, opsets up to {accepted}"
        if isinstance(accepted, Refusal):
            yield Found(runtime.name, "note", f"release {runtime.release} takes no opset: {accepted.reason}")
        elif accepted < newest:
            yield Found(runtime.name, "good", f"{text}; onnx has {newest}")
        else:
            yield Found(runtime.name, "good", text)


def _sandbox() -> Iterator[Found]:
    from opwright_build.sandbox.levels import Claim
    from opwright_build.verify.cases.oracle import Limits, Oracle
    from opwright_build.verify.run.worker_sandbox import claim as workers_claim

    def found(what: str, claim: Claim, best: int) -> Found:
        text = f"level {claim.cage.level}: {claim.cage.name}"
        if claim.cage.level >= best:
            return Found(what, "good", text)
        why = "; ".join(f"{name}: {reason}" for name, reason in claim.declined)
        help_ = (
            "allow user namespaces, Landlock and seccomp to this process; docs/verification.md says what each is for"
        )
        return Found(what, "note", f"{text} ({why})", help_)

    with Oracle(Limits()) as oracle:
        yield found("sandbox of references", oracle.claim, 2)
    yield found("sandbox of runtimes", workers_claim(), 1)


def _locale() -> Found:
    before = locale.setlocale(locale.LC_CTYPE)
    try:
        locale.setlocale(locale.LC_CTYPE, _LOCALE)
    except locale.Error:
        help_ = f"on Debian and Ubuntu: apt-get install locales && locale-gen {_LOCALE}"
        return Found("locale", "note", f"no {_LOCALE}, which StringNormalizer of onnxruntime needs", help_)
    else:
        return Found("locale", "good", _LOCALE)
    finally:
        locale.setlocale(locale.LC_CTYPE, before)


def _library(path: Path) -> Iterator[Found]:
    from opwright_build.engine.user_secret import user_seal
    from opwright_build.workflow.opened.session import WORK

    try:
        seal = user_seal()
    except DiagnosticError as error:
        first = error.diagnostics[0]
        yield Found("secret", "missing", first.message, first.help)
    else:
        reasons = "; ".join(item.message for item in seal.warnings)
        yield Found("secret", "good" if seal.seal is not None else "note", reasons or "results can be kept")
    try:
        root = library_around(existing(path))
    except DiagnosticError as error:
        first = error.diagnostics[0]
        yield Found("library", "missing", first.message, first.help)
        return
    if root is None:
        yield Found("library", "note", "none around this folder", "opwright new library acme-ops")
        return
    yield Found("library", "good", str(root))
    cache = root / WORK / "cache"
    place = next(folder for folder in (cache, *cache.parents) if folder.exists())
    if not os.access(place, os.W_OK):
        yield Found("cache", "missing", f"{place} cannot be written to", "name another one with --cache FOLDER")
        return
    room = shutil.disk_usage(place).free
    text = f"{cache}, {room / 1e9:,.1f} GB free"
    yield Found("cache", "good" if room >= _LEAST_ROOM else "note", text, "" if room >= _LEAST_ROOM else "make room")


def _git() -> Found:
    found = shutil.which("git")
    help_ = "" if found else "install git for --changed-since, state:modified and `diff --against git:REV`"
    return Found("git", "good" if found else "note", found or "not found", help_)
