"""`opwright new`."""

from __future__ import annotations

import argparse
from pathlib import Path

from opwright_build.cli.reporters import text_reporter
from opwright_build.spec.scaffold import Settings
from opwright_build.workflow.new import Beginning, new


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("kind", metavar="KIND", help="what to begin: `library`, `function` or `version`")
    parser.add_argument("name", metavar="NAME", help="for example acme-ops, or com.acme/Swish")
    help_ = "the folder to begin in; by default the current one"
    parser.add_argument("--path", metavar="PATH", type=Path, default=Path(), help=help_)
    parser.add_argument("--like", metavar="X", default="", help="a function begins as a copy of this one")
    help_ = "a function begins as this source has it"
    parser.add_argument("--from-onnxscript", metavar="FILE", type=Path, help=help_)
    help_ = "a function begins as a function or nodes of a model"
    parser.add_argument("--from", dest="model", metavar="MODEL:WHAT", default="", help=help_)
    help_ = "a function begins as one for this operator of PyTorch, such as aten::relu"
    parser.add_argument("--implements", metavar="OPERATOR", default="", help=help_)
    parser.add_argument("--vectors", metavar="FILE", type=Path, help="calls of the operator, as an archive of numpy")
    parser.add_argument("--domain", metavar="DOMAIN", default="", help="the domain of a library; com.acme for acme-ops")
    parser.add_argument("--license", metavar="SPDX", default="", help="the license of a library")
    parser.add_argument("--url", metavar="URL", default="", help="the repository of a library")


def run(options: argparse.Namespace) -> int:
    settings = Settings(options.domain, options.license, options.url)
    beginning = Beginning(options.like, options.from_onnxscript, options.model, options.implements, options.vectors)
    return new(options.kind, options.name, options.path, beginning, settings, text_reporter())
