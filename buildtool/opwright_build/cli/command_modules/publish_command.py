"""`opwright publish`."""

from __future__ import annotations

import argparse
from pathlib import Path

from opwright_build.cli.reporters import reporter_for
from opwright_build.cli.shared_arguments import (
    START,
    add_cache,
    add_json,
    add_packages,
    add_path,
    add_sarif,
    work_options,
)
from opwright_build.workflow.publishing import Publishing, publish


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_path(parser)
    add_packages(parser)
    help_ = "build it again in another folder, and compare"
    parser.add_argument("--verify", action="store_true", help=help_)
    help_ = "sign SHA256SUMS with this key of Ed25519, in PEM"
    parser.add_argument("--sign", metavar="KEY", type=Path, help=help_)
    help_ = "write an OCI image layout of the release, too"
    parser.add_argument("--oci", action="store_true", help=help_)
    add_json(parser)
    add_cache(parser)
    add_sarif(parser)


def run(options: argparse.Namespace) -> int:
    wanted = Publishing(options.sign, options.oci, options.verify)
    return publish(options.path, reporter_for("publish", options), work_options(options), wanted, START)
