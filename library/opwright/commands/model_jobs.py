"""The models that a command line names, and where the new ones go: the same for every command on models.

A model is a file, `-` for standard input, or each `.onnx` file below a folder. A new one is written with `-o FILE`, `-`
for standard output, below `--out-dir DIR` under its name relative to the folder that was named, or `--in-place`. No
file that a command reads is written to otherwise. Where there are several models, one that fails is told and the others
go on.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from onnx import ModelProto

from opwright.commands.command_output import show_findings
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError
from opwright.diagnostics.exits import Exit
from opwright.graphs.data_files import ExternalData, Moved, remove_moved, weights_beside
from opwright.graphs.inline_weights import MOST_BYTES, write_pieces
from opwright.graphs.model_file import external_files, model_pieces, parse_model, read_model, write_model
from opwright.standard_output import is_closed

STREAM = Path("-")
_PIECE = 1 << 20
_EXTERNAL_DATA = """what becomes of weights in other files when the new model goes to another folder: copy them there
(the default), move them, or reference them where they are, which must be below the new model's folder"""
_MODELS = "a .onnx file, a folder of them, or - for standard input; may be several"


@dataclass(frozen=True, slots=True)
class Job:
    """One model, and the file of the new one: None where none is written, or the command names it.

    `alone`: the command line names this model and no other, nor a folder. `below` is the folder in which folders are
    made for the new file. `external` says what becomes of weights in other files where that is another folder; `moved`
    are those that are in both and are to be removed from the old one.
    """

    source: Path
    output: Path | None = None
    alone: bool = True
    below: Path | None = None
    external: ExternalData = ExternalData.COPY
    moved: list[Moved] = field(default_factory=list, compare=False)

    @property
    def file(self) -> str:
        """What messages call the model."""
        return "<stdin>" if self.source == STREAM else self.source.as_posix()

    def read(self, *, leave_weights: bool = True) -> ModelProto:
        """The model; weights in other files stay there, and large ones in the file too where the model is to be written
        by this job. Raises DiagnosticError (OW550, OW551)."""
        if self.source == STREAM:
            return _read_stream(self.file)
        return read_model(self.source, leave_weights=leave_weights)

    def write(self, model: ModelProto, output: Path) -> None:
        """Writes the new model whole or not at all. Raises DiagnosticError: OW550 and OW571 when its weights would not
        be found, or something be overwritten, OW572 when it cannot be written."""
        if STREAM in (self.source, output):
            _refuse_weights(model, self)
        try:
            if output == STREAM:
                write_pieces(model_pieces(model, "to standard output"), sys.stdout.buffer, self.source)
                sys.stdout.buffer.flush()
                return
            if self.below is not None:
                output.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            reason = error.strerror or str(error)
            raise DiagnosticError([Diagnostic("OW572", f"cannot write {output}", reason=reason)]) from None
        source = output if self.source == STREAM else self.source
        with weights_beside(model, source, output, self.external) as moved:
            write_model(model, output, source)
        self.moved.extend(moved)

    def tell(self, lines: Iterable[str]) -> None:
        tell(lines, self.output)


def tell(lines: Iterable[str], output: Path | None) -> None:
    """Prints lines: results, or what was done where those are in `output`; to stderr where stdout is the model."""
    stream = sys.stderr if output == STREAM else sys.stdout
    heard = output is None or not is_closed(stream)
    for line in lines:
        if heard:
            print(line, file=stream)


def file_or_stream(word: str) -> Path:
    """What a word of the command line names: `-` is a stream, and `./-` the file of that name."""
    path = Path(word)
    return path.absolute() if path == STREAM and word != "-" else path


def add_inputs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("models", nargs="+", type=file_or_stream, metavar="MODEL", help=_MODELS)


def add_outputs(parser: argparse.ArgumentParser, default: str = "", *, required: bool = True) -> None:
    """The options of a command that writes models; `default` tells where without them, if that can be. Where they are
    not `required`, `require_output` asks for them."""
    single = "the new model; - for standard output"
    group = parser.add_mutually_exclusive_group(required=required and not default)
    group.add_argument(
        "-o",
        "--output",
        type=file_or_stream,
        metavar="FILE",
        help=f"{single}, by default {default}" if default else single,
    )
    group.add_argument("--out-dir", type=Path, metavar="DIR", help="the folder of the new models, each under its name")
    group.add_argument("--in-place", action="store_true", help="write each new model over the one given")
    choices = [item.value for item in ExternalData]
    parser.add_argument("--external-data", choices=choices, default=ExternalData.COPY.value, help=_EXTERNAL_DATA)


def require_output(options: argparse.Namespace) -> None:
    """Raises ArgumentError where `add_outputs` has not required an output, and there is none."""
    if options.output is None and options.out_dir is None and not options.in_place:
        raise argparse.ArgumentError(None, "one of the arguments -o/--output --out-dir --in-place is required")


def jobs_to_read(options: argparse.Namespace) -> list[Job]:
    """What `add_inputs` has taken. Raises ArgumentError, and DiagnosticError (OW550) for a folder without models."""
    found = _named(options.models)
    return [Job(source, None, _is_alone(options.models)) for source, _ in found]


def jobs_to_write(options: argparse.Namespace, also_read: Iterable[str] = ()) -> list[Job]:
    """What `add_inputs` and `add_outputs` have taken; `also_read` are other files that the command reads.

    Raises ArgumentError where outputs are missing, meet, or would replace what is read, and DiagnosticError (OW550) for
    a folder without models.
    """
    alone = _is_alone(options.models)
    if not alone and options.out_dir is None and not options.in_place:
        raise argparse.ArgumentError(None, "several models, or a folder, need --out-dir or --in-place")
    if STREAM in options.models and options.output is None:
        raise argparse.ArgumentError(None, "a model from standard input needs -o; `-o -` is standard output")
    if options.output == STREAM and sys.stdout.isatty():
        raise argparse.ArgumentError(None, "standard output is a terminal, and a model is no text: redirect it")
    found = _named(options.models, options.out_dir)
    if options.in_place:
        files: dict[str, Path] = {}
        for source, _ in found:
            files.setdefault(os.path.realpath(source), source)
        # A link is followed, for the file that it names is the one to be written over.
        paths = [source if real == os.path.abspath(source) else Path(real) for real, source in files.items()]
        return [Job(path, path, alone) for path in paths]
    external = ExternalData(options.external_data)
    if options.out_dir is not None:
        jobs = [Job(source, options.out_dir / name, alone, options.out_dir, external) for source, name in found]
    else:
        jobs = [Job(source, options.output, alone, None, external) for source, _ in found]
    _refuse_overwriting(jobs, [*(job.source for job in jobs), *map(Path, also_read)])
    return jobs


def run_jobs(
    jobs: Sequence[Job],
    work: Callable[[Job], int],
    failed: Callable[[Sequence[Diagnostic]], None] = show_findings,
) -> int:
    """Does the work on each model; the exit status. Raises DiagnosticError where the only one fails, or where what was
    moved cannot be removed from its old place, where it stays when any model has failed."""
    status = _run_jobs(jobs, work, failed)
    if status == Exit.GOOD:
        remove_moved(item for job in jobs for item in job.moved)
    return status


def _run_jobs(jobs: Sequence[Job], work: Callable[[Job], int], failed: Callable[[Sequence[Diagnostic]], None]) -> int:
    if jobs[0].alone:
        return work(jobs[0])
    status = int(Exit.GOOD)
    for job in jobs:
        try:
            done = work(job)
        except DiagnosticError as error:
            failed(error.diagnostics)
            done = Exit.FINDINGS
        status = max(status, done)
    return status


def _is_alone(models: Sequence[Path]) -> bool:
    return len(models) == 1 and not _is_folder(models[0])


def _is_folder(path: Path) -> bool:
    return path != STREAM and path.is_dir()


def _named(models: Sequence[Path], out_dir: Path | None = None) -> list[tuple[Path, Path]]:
    """Each model with its name in a folder of outputs, in the order of the command line."""
    if STREAM in models and len(models) > 1:
        raise argparse.ArgumentError(None, "standard input is one model: name no other")
    found: dict[tuple[Path, Path], None] = {}
    for path in models:
        if _is_folder(path):
            below = dict.fromkeys((item, item.relative_to(path)) for item in _below(path, out_dir))
            if not below:
                reason = "models are found by their suffix"
                raise DiagnosticError([Diagnostic("OW550", f"there is no .onnx file below {path}", reason=reason)])
            found |= below
        else:
            found[path, Path(path.name)] = None
    return list(found)


def _below(folder: Path, out_dir: Path | None) -> Iterator[Path]:
    """The models below a folder, sorted; not those of a folder of outputs that lies in it."""
    outputs = None if out_dir is None else Path(os.path.realpath(out_dir))
    lies_in_it = outputs is not None and Path(os.path.realpath(folder)) in outputs.parents
    for path in sorted(folder.rglob("*.onnx")):
        if path.is_file() and not (lies_in_it and outputs in Path(os.path.realpath(path)).parents):
            yield path


def _refuse_overwriting(jobs: Sequence[Job], read: Sequence[Path]) -> None:
    given = {_identity(path) for path in read if path != STREAM}
    outputs: dict[object, Job] = {}
    for job in jobs:
        if job.output is None or job.output == STREAM:
            continue
        if _identity(job.output) in given:
            raise argparse.ArgumentError(None, f"{job.output} is read by this command: write --in-place, or elsewhere")
        other = outputs.setdefault(_identity(job.output), job)
        if other is not job:
            raise argparse.ArgumentError(None, f"{other.source} and {job.source} would both be {job.output}")


def _identity(path: Path) -> object:
    """Equal for two paths of one file."""
    try:
        status = path.stat()
    except OSError:
        return os.path.abspath(path)
    return status.st_dev, status.st_ino


def _read_stream(file: str) -> ModelProto:
    pieces, length = list[bytes](), 0
    try:
        while length <= MOST_BYTES and (piece := sys.stdin.buffer.read(_PIECE)):
            pieces.append(piece)
            length += len(piece)
    except OSError as error:
        reason = error.strerror or str(error)
        raise DiagnosticError([Diagnostic("OW550", "cannot read standard input", reason=reason)]) from None
    return parse_model(b"".join(pieces), file)


def _refuse_weights(model: ModelProto, job: Job) -> None:
    """A stream has no folder that files could lie in."""
    elsewhere = external_files(model)
    if elsewhere:
        text = f"the weights of {job.file} lie in other files, and would not be found"
        reason = f"they are found relative to the model's folder, and a stream has none: {', '.join(elsewhere)}"
        help_text = "name the model's file, and write the new one next to it"
        raise DiagnosticError([Diagnostic("OW571", text, reason=reason, help=help_text)])
