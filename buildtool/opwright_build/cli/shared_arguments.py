"""Arguments that several commands have: what each is called, and what it means, is said once."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from opwright_build.engine.action_pool import LIMIT
from opwright_build.workflow.opened.asked import Asked
from opwright_build.workflow.opened.limits import VECTOR_LIMIT
from opwright_build.workflow.opened.session import Options

START = time.perf_counter()


def add_path(parser: argparse.ArgumentParser) -> None:
    help_ = "a folder of the library; by default the current one"
    parser.add_argument("path", metavar="PATH", nargs="?", type=Path, default=Path(), help=help_)


def add_name(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="X", help="name, domain/Name or domain::Name@version")


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="JSON, one object a line (schemas in docs/schemas)")


def add_indexes(parser: argparse.ArgumentParser) -> None:
    help_ = "an index: an address or a folder; may be repeated; by default those of OPWRIGHT_INDEXES"
    parser.add_argument("--index", dest="indexes", metavar="URL|FOLDER", action="append", default=[], help=help_)


def add_cache(parser: argparse.ArgumentParser) -> None:
    help_ = "the cache's folder, by default .opwright/cache; or a shared cache's URL"
    parser.add_argument("--cache", metavar="FOLDER|URL", help=help_)


def add_sarif(parser: argparse.ArgumentParser) -> None:
    help_ = "write the findings as SARIF 2.1.0 as well"
    parser.add_argument("--sarif", metavar="FILE", type=Path, help=help_)


def add_packages(parser: argparse.ArgumentParser) -> None:
    help_ = "only this package of the library; may be repeated"
    parser.add_argument("-p", "--package", dest="packages", metavar="NAME", action="append", default=[], help=help_)


def add_selection(parser: argparse.ArgumentParser) -> None:
    help_ = "only these functions: a name with globs, domain:, tag:, state:modified, +X, X+; may be repeated"
    parser.add_argument("-s", "--select", "--function", metavar="X", action="append", default=[], help=help_)
    help_ = "only what differs from this revision of git"
    parser.add_argument("--changed-since", metavar="REV", action="append", default=[], help=help_)


def add_manner(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-q", "--quiet", action="store_true", help="only findings, and the last line")
    parser.add_argument("-v", "--verbose", action="store_true", help="also what ran, and why")


def add_rehash(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rehash", action="store_true", help="read every file again; trust no dates and sizes")


def add_rerun(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rerun", action="store_true", help="run every action again and compare with the cache")


def add_sandbox(parser: argparse.ArgumentParser) -> None:
    help_ = "run no Python of a spec in a sandbox below this level: 1 or 2"
    parser.add_argument("--require-sandbox", metavar="LEVEL", type=int, choices=(0, 1, 2), default=0, help=help_)


def add_corpus(parser: argparse.ArgumentParser, min_count: str) -> None:
    help_ = "the bodies of this opset of ai.onnx; by default each body at its lowest"
    parser.add_argument("--opset", metavar="N", type=int, help=help_)
    help_ = "the nodes of bodies in the place of calls, for consumers that know no functions of models"
    parser.add_argument("--expanded", action="store_true", help=help_)
    parser.add_argument("--min-count", metavar="N", type=_at_least(0, int), help=min_count)


def add_jobs(parser: argparse.ArgumentParser) -> None:
    help_ = "processes that work; by default one a processor; 1: none but this"
    parser.add_argument("-j", "--jobs", metavar="N", type=_at_least(1, int), help=help_)
    help_ = "how long one function may take to compile in its process"
    parser.add_argument("--action-limit", metavar="SECONDS", type=_at_least(1.0, float), default=LIMIT, help=help_)


def add_vector_limit(parser: argparse.ArgumentParser) -> None:
    help_ = "how long a runtime may take for a vector"
    seconds = _at_least(0.1, float)
    parser.add_argument("--vector-limit", metavar="SECONDS", type=seconds, default=VECTOR_LIMIT, help=help_)


def add_executor(parser: argparse.ArgumentParser) -> None:
    help_ = "a cluster that works in place of processes: dask:tls://host:port"
    parser.add_argument("--executor", metavar="ADDRESS", default="", help=help_)


def add_watch(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--watch", action="store_true", help="again after each change of specs/, until Ctrl-C")


def add_timings(parser: argparse.ArgumentParser) -> None:
    help_ = "say where the time went: steps, kinds of actions, the slowest ones"
    parser.add_argument("--timings", action="store_true", help=help_)


def add_check(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--check", action="store_true", help="write nothing; say what is out of date")


def work_options(options: argparse.Namespace, names: Sequence[str] = ()) -> Options:
    """How to work, by those of the arguments that a command has. `names` are functions that it selects besides."""
    given = vars(options)
    asked = Asked(
        (*names, *given.get("select", ())), tuple(given.get("changed_since", ())), bool(given.get("failed", False))
    )
    return Options(
        given.get("cache"),
        bool(given.get("rehash", False)),
        bool(given.get("rerun", False)),
        tuple(given.get("packages", ())),
        asked,
        given.get("jobs"),
        given.get("action_limit", LIMIT),
        given.get("vector_limit", VECTOR_LIMIT),
        bool(given.get("timings", False)),
        given.get("executor", ""),
    )


def _at_least(least: float, kind: Callable[[str], float]) -> Callable[[str], float]:
    """A number that is not below `least`."""

    def number(text: str) -> float:
        try:
            value = kind(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None
        if not value >= least:
            raise argparse.ArgumentTypeError(f"{text} is below {least:g}")
        return value

    return number
