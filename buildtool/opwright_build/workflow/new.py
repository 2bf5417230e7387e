"""`opwright new`: a function that builds and passes at once."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from opwright.diagnostics.exits import Exit

from opwright_build.report.reporter import Reporter
from opwright_build.spec.scaffold import FunctionSource, Settings, new_function, new_library, new_version
from opwright_build.workflow.opened.editor_schemas import write_editor_schemas
from opwright_build.workflow.opened.foreign_module import foreign_module
from opwright_build.workflow.opened.status import usage_error
from opwright_build.workflow.opened.task import reporting

KINDS = ("library", "function", "version")
_TO_DO = ("OW131", "OW137")  # notes without which a new function is not built


@dataclass(frozen=True, slots=True)
class Beginning:
    """What a function begins as: a copy of another one of the library, a function of a source that is written for the
    package onnxscript, a part of a model (`model.onnx:WHAT`), or what an operator of PyTorch is called with, for which
    there may be an archive of calls; nothing of these where all are empty."""

    like: str = ""
    onnxscript: Path | None = None
    model: str = ""
    operator: str = ""
    calls: Path | None = None


def new(kind: str, name: str, path: Path, beginning: Beginning, settings: Settings, reporter: Reporter) -> int:
    """Writes a new thing of that kind below `path` and tells which files there are now. `beginning` is a function's,
    `settings` are a library's."""

    def task() -> int:
        if kind not in KINDS:
            message = f"`opwright new` begins a {' or '.join(KINDS)}, no {kind}"
            raise usage_error(message, help="opwright new function com.acme/Swish")
        if (beginning != Beginning() and kind != "function") or (settings != Settings() and kind != "library"):
            message = f"a new {kind} takes no such option"
            help_ = "--like, --from and --implements are for a function, the others for a library"
            raise usage_error(message, help=help_)
        if sum(map(bool, (beginning.like, beginning.onnxscript, beginning.model, beginning.operator))) > 1:
            message = "a function begins as one thing"
            help_ = "give --like, --from-onnxscript, --from or --implements"
            raise usage_error(message, help=help_)
        if beginning.calls is not None and not beginning.operator:
            message = "--vectors are calls of an operator, and none is named"
            raise usage_error(message, help="name it: --implements aten::relu")
        match kind:
            case "library":
                made = new_library(name, path, settings, lambda module: foreign_module(module, path) is not None)
            case "version":
                made = new_version(name, path)
            case _:
                made = new_function(name, path, beginning.like, _source(name, beginning))
        write_editor_schemas(made.root)
        reporter.findings(made.hints, lambda file: None)
        found_above = kind != "library" and made.root != Path(os.path.abspath(path))
        lines = [f"in the library {made.root}"] if found_above else []
        lines += [f"wrote {os.path.relpath(made.root / file)}" for file in made.created]
        lines += [f"kept {os.path.relpath(made.root / file)}" for file in made.kept]
        follow = f"opwright new function {made.domain}/Name" if kind == "library" else "opwright build"
        if any(hint.code in _TO_DO for hint in made.hints):
            follow = "what the note says, then opwright build"
        reporter.summary("\n".join([*lines, f"next: {follow}"]), {})
        return Exit.GOOD

    return reporting(reporter, task)


def _source(name: str, beginning: Beginning) -> FunctionSource | None:
    """Where the files come from, read before anything is written. onnx is imported for models alone."""
    if beginning.onnxscript is not None:
        from opwright_build.workflow.new_specs.onnxscript_source import read_onnxscript

        return read_onnxscript(beginning.onnxscript, name.rpartition("/")[2])
    if beginning.model:
        from opwright_build.workflow.new_specs.model_part import part_of

        return part_of(beginning.model)
    if beginning.operator:
        from opwright_build.workflow.new_specs.operator_source import operator_source

        return operator_source(beginning.operator, beginning.calls)
    return None
