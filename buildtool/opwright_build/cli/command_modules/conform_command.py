"""`opwright conform`."""

from __future__ import annotations

import argparse
from pathlib import Path

from opwright_build.cli.reporters import text_reporter
from opwright_build.cli.shared_arguments import (
    START,
    add_cache,
    add_corpus,
    add_jobs,
    add_packages,
    add_sandbox,
    add_selection,
    add_vector_limit,
    work_options,
)
from opwright_build.workflow.conforming import conform_backend
from opwright_build.workflow.corpus import CorpusOptions


def add_arguments(parser: argparse.ArgumentParser) -> None:
    help_ = "an exported folder, or a folder of the library; by default the current one"
    parser.add_argument("path", metavar="PATH", nargs="?", type=Path, default=Path(), help=help_)
    help_ = "an onnx.backend.base.Backend: `module:Class`, or a module with its functions (onnxruntime.backend)"
    parser.add_argument("--backend", metavar="MODULE:CLASS", required=True, help=help_)
    parser.add_argument("--device", metavar="NAME", default="CPU", help="the device, as `prepare` takes it")
    help_ = "a variable of the environment, set before the backend is imported; may be repeated"
    parser.add_argument("--env", metavar="NAME=VALUE", action="append", type=_variable, default=[], help=help_)
    add_corpus(parser, "fail unless so many cases pass; by default one")
    add_vector_limit(parser)
    add_jobs(parser)
    add_sandbox(parser)
    add_cache(parser)
    add_packages(parser)
    add_selection(parser)


def run(options: argparse.Namespace) -> int:
    from opwright_build.verify.conformance.backends import Backend

    least = 1 if options.min_count is None else options.min_count
    corpus = CorpusOptions(options.opset, options.expanded, options.require_sandbox, least)
    backend = Backend(options.backend, options.device, tuple(options.env))
    return conform_backend(options.path, text_reporter(), work_options(options), corpus, backend, START)


def _variable(text: str) -> tuple[str, str]:
    name, given, value = text.partition("=")
    if not given or not name or "\0" in text:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    return name, value
