"""Writing a model to a file and its large tensors to another one."""

from __future__ import annotations

from pathlib import Path

from opwright.builder.recorded_model import make_model
from opwright.builder.recorder import Recorder
from opwright.graphs.external_data import aligned, elements, write_elements
from opwright.graphs.model_file import write_model
from opwright.model_options import ModelOptions


def save_model(recorder: Recorder, path: Path, name: str, least: int) -> None:
    """See `GraphBuilder.save`. The tensors are written first: a model is never without them."""
    kept = {key: item for key, item in recorder.kept.items() if item.array is not None and item.length >= least}
    kept = {key: item for key, item in kept.items() if item.element.name != "string"}
    offsets = aligned([item.length for item in kept.values()])
    external = {key: (name, offset) for key, offset in zip(kept, offsets, strict=True)}
    model = make_model(recorder, ModelOptions(places=True), external)
    if kept:
        try:
            parts = (elements(item.array, item.element.code) for item in kept.values())
            write_elements(zip(offsets, parts, strict=True), path.with_name(name))
        except OSError as error:
            text = f"cannot write {path.with_name(name)}"
            recorder.low.error("OW572", text, None, reason=error.strerror or str(error))
    write_model(model, path, path)
