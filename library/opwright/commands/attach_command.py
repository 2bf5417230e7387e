"""`opwright attach`."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

from opwright.bundle.read import find_bundle
from opwright.commands.command_output import counted, show_findings
from opwright.commands.model_jobs import Job, add_inputs, add_outputs, jobs_to_write, run_jobs
from opwright.diagnostics.exits import Exit
from opwright.link.apply import Attached, attach_libraries
from opwright.link.profile import Profile

DESCRIPTION = """Writes the model with the functions that its nodes of the libraries' domains need, for the model's own
opset. The result is judged by onnx.checker and, where it is installed, loaded on onnxruntime."""
_LIBRARY = "a .onnxlib file or an installed library; may be repeated"
_SHA256 = "the digest that the library's file must have; one for each --library, in their order"
_PROFILE = """how variants are told apart: by name (portable, the default), or by overload (IR 10, onnxruntime 1.27 and
later; other tools ignore overloads)"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_inputs(parser)
    parser.add_argument("--library", action="append", required=True, metavar="X", help=_LIBRARY)
    parser.add_argument("--sha256", action="append", default=[], type=_digest, metavar="HEX", help=_SHA256)
    parser.add_argument("--replace", action="store_true", help="serve the standard's own operators too")
    parser.add_argument("--inline", action="store_true", help="put nodes in place of functions")
    parser.add_argument("--profile", choices=[item.value for item in Profile], default="portable", help=_PROFILE)
    parser.add_argument("--portable", dest="profile", action="store_const", const="portable", help=argparse.SUPPRESS)
    add_outputs(parser)


def run(options: argparse.Namespace) -> int:
    if options.sha256 and len(options.sha256) != len(options.library):
        message = f"{counted(len(options.library), '--library')} and {len(options.sha256)} --sha256"
        raise argparse.ArgumentError(None, message)
    jobs = jobs_to_write(options, options.library)
    libraries = [
        find_bundle(name, options.beside, digest)
        for name, digest in zip(options.library, options.sha256 or [""] * len(options.library), strict=True)
    ]

    def attach_to(job: Job) -> int:
        assert job.output is not None
        model = job.read()
        done = attach_libraries(
            model,
            libraries,
            replace=options.replace,
            inline=options.inline,
            profile=Profile(options.profile),
            file=job.file,
        )
        job.write(done.model, job.output)
        show_findings(done.diagnostics)
        job.tell(_lines(done, job.output, options.inline, model.ir_version))
        return Exit.GOOD

    return run_jobs(jobs, attach_to)


def _digest(text: str) -> str:
    """A sha256 as it is written on the command line."""
    if not re.fullmatch(r"[0-9a-fA-F]{64}", text):
        raise argparse.ArgumentTypeError(f"{text[:80]!r} is no sha256: 64 hexadecimal digits")
    return text.lower()


def _lines(done: Attached, output: Path, inlined: bool, ir_version: int) -> Iterator[str]:
    for identity, count in done.served:
        yield f"{identity}: {counted(count, 'node')}"
    added = "inlined" if inlined else f"{counted(len(done.functions), 'function')} added"
    total = sum(count for _, count in done.served)
    changes = f", IR version {ir_version} -> {done.model.ir_version}" if done.model.ir_version != ir_version else ""
    yield f"wrote {output}: {counted(total, 'node')} served, {added}{changes}"
