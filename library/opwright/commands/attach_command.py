"""`opwright attach`."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from functools import partial

from opwright.bundle.format import Bundle
from opwright.bundle.read import find_bundle
from opwright.commands.attach_report import JsonReport, Report, TextReport
from opwright.commands.command_output import counted
from opwright.commands.model_jobs import (
    Job,
    add_inputs,
    add_outputs,
    jobs_to_read,
    jobs_to_write,
    require_output,
)
from opwright.diagnostics.exits import Exit
from opwright.link.apply import execute
from opwright.link.attachment import plan_libraries
from opwright.variants import Profile

DESCRIPTION = """Writes the model with the functions that its nodes of the libraries' domains need, for the model's own
opset. The result is judged by onnx.checker and, where it is installed, loaded on onnxruntime."""
_LIBRARY = "a .onnxlib file or an installed library; may be repeated"
_SHA256 = "the digest that the library's file must have; one for each --library, in their order"
_PROFILE = """how variants are told apart: by name (portable, the default), or by overload (IR 10, onnxruntime 1.27 and
later; other tools ignore overloads)"""
_LATE_TYPES = "bodies that follow the types of their inputs, for a model that is converted (to float16) afterwards"
_DRY_RUN = "show which node gets which function and body, and write nothing; the exit status is that of the run"
_EXPLAIN = "show that, with the reasons, and write the model"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_inputs(parser)
    parser.add_argument("--library", action="append", required=True, metavar="X", help=_LIBRARY)
    parser.add_argument("--sha256", action="append", default=[], type=_digest, metavar="HEX", help=_SHA256)
    parser.add_argument("--replace", action="store_true", help="serve the standard's own operators too")
    parser.add_argument("--inline", action="store_true", help="put nodes in place of functions")
    parser.add_argument("--profile", choices=[item.value for item in Profile], default="portable", help=_PROFILE)
    parser.add_argument("--portable", dest="profile", action="store_const", const="portable", help=argparse.SUPPRESS)
    parser.add_argument("--late-types", action="store_true", help=_LATE_TYPES)
    parser.add_argument("--dry-run", action="store_true", help=_DRY_RUN)
    parser.add_argument("--explain", action="store_true", help=_EXPLAIN)
    parser.add_argument("--format", choices=("text", "json"), default="text", help="json: one object a line")
    add_outputs(parser, required=False)


def run(options: argparse.Namespace) -> int:
    if options.sha256 and len(options.sha256) != len(options.library):
        message = f"{counted(len(options.sha256), 'digest')} (--sha256) for {len(options.library)} --library"
        raise argparse.ArgumentError(None, message)
    if not options.dry_run:
        require_output(options)
    jobs = jobs_to_read(options) if options.dry_run else jobs_to_write(options, options.library)
    libraries = [
        find_bundle(name, options.beside, digest)
        for name, digest in zip(options.library, options.sha256 or [""] * len(options.library), strict=True)
    ]
    report: Report = JsonReport(options) if options.format == "json" else TextReport(options)
    return report.run(jobs, partial(_attach, libraries=libraries, options=options, report=report))


def _attach(job: Job, libraries: Sequence[Bundle], options: argparse.Namespace, report: Report) -> int:
    model = job.read()
    plan = plan_libraries(
        model,
        libraries,
        replace=options.replace,
        inline=options.inline,
        profile=Profile(options.profile),
        late_types=options.late_types,
        file=job.file,
    )
    report.tell_plan(job, plan)
    done = execute(plan, job.file)
    if job.output is not None:
        job.write(done.model, job.output)
    report.tell_done(job, done, model.ir_version)
    return Exit.GOOD


def _digest(text: str) -> str:
    """A sha256 as it is written on the command line."""
    if not re.fullmatch(r"[0-9a-fA-F]{64}", text):
        raise argparse.ArgumentTypeError(f"{text[:80]!r} is no sha256: 64 hexadecimal digits")
    return text.lower()
