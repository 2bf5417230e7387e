"""`opwright export`: the library as a plain ONNX model that every tool reads."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from opwright_build.report.reporter import Reporter
from opwright_build.report.tables import counted
from opwright_build.workflow.built.library import build_library, read_packages
from opwright_build.workflow.opened.session import Options, Session
from opwright_build.workflow.opened.status import usage_error
from opwright_build.workflow.opened.task import NOTHING, finish, on_library
from opwright_build.workflow.opened.writing import write_below, write_file


def export(
    path: Path, reporter: Reporter, options: Options, opsets: Sequence[int], output: Path | None, started: float
) -> int:
    """Writes the functions of the library around `path`, a model for each opset and package; by default to dist/."""

    def task(session: Session) -> int:
        library = build_library(session)
        if not library.good:
            return finish(session, started, library.diagnostics, "", {})
        if library.is_empty:
            return finish(session, started, library.diagnostics, NOTHING, {})
        from opwright_build.package.library_model import export_model

        bundles = read_packages(session, library)
        if output is not None and len(bundles) > 1:
            message = f"{len(bundles)} packages do not fit into one file"
            names = " or ".join(f"-p {bundle.index.library}" for bundle in bundles)
            raise usage_error(message, help=f"choose one with {names}, or leave out --output")
        if output is not None and len(opsets) > 1:
            message = f"models of {len(opsets)} opsets do not fit into one file"
            raise usage_error(message, help="leave out --output, or all but one --opset")
        models = []
        for bundle in bundles:
            first, last = bundle.index.opsets
            for opset in opsets:
                if not first <= opset <= last:
                    message = f"{bundle.index.library} is built for opsets {first} to {last}, not {opset}"
                    raise usage_error(message, help="choose one of them with --opset")
                name = f"{bundle.index.library}-{bundle.index.version}-opset{opset}.onnx"
                model = export_model(bundle, opset)
                if not model.functions:
                    message = f"no function of {bundle.index.library} has a body for opset {opset}"
                    raise usage_error(message, help="choose another one with --opset")
                models.append((name, opset, model))
        lines = []
        for name, opset, model in models:
            data = model.SerializeToString(deterministic=True)
            target = session.root / "dist" / name if output is None else output
            if output is None:
                write_below(session.tree, f"dist/{name}", data)
            else:
                write_file(output, data)
            functions = counted(len(model.functions), "function")
            lines.append(f"wrote {os.path.relpath(target)} ({functions} at opset {opset})")
        return finish(session, started, library.diagnostics, "\n".join(lines), {})

    return on_library(path, reporter, replace(options, reads_only=output is not None), task)
