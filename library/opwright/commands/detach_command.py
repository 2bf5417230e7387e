"""`opwright detach`."""

from __future__ import annotations

import argparse

from opwright.commands.command_output import counted, show_findings, written_id
from opwright.commands.model_jobs import Job, add_inputs, add_outputs, jobs_to_write, run_jobs
from opwright.diagnostics.exits import Exit
from opwright.link.detach import detach_libraries

DESCRIPTION = """Writes the model as it was before libraries were attached to it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_inputs(parser)
    add_outputs(parser)


def run(options: argparse.Namespace) -> int:
    return run_jobs(jobs_to_write(options), _detach)


def _detach(job: Job) -> int:
    assert job.output is not None
    done = detach_libraries(job.read(), file=job.file)
    job.write(done.model, job.output)
    show_findings(done.diagnostics)
    job.tell(f"removed {written_id(identity)}" for identity in done.functions)
    job.tell([f"wrote {job.output}: {counted(done.restored, 'node')} restored"])
    return Exit.GOOD
