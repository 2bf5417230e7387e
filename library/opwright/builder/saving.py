"""Writing a model to a file and its large tensors to another one."""

from __future__ import annotations

from pathlib import Path, PurePath

from opwright.builder.recorded_model import make_model
from opwright.builder.recorder import Recorder
from opwright.graphs.external_data import aligned, elements, put_back_on_failure, write_elements
from opwright.graphs.model_file import write_model
from opwright.lang.lower.poison import Poisoned
from opwright.model_options import ModelOptions


def save_model(recorder: Recorder, path: Path, name: str, least: int) -> None:
    """See `GraphBuilder.save`. The tensors are written first: a model is never without them."""
    kept = {key: item for key, item in recorder.kept.items() if item.array is not None and item.length >= max(least, 1)}
    kept = {key: item for key, item in kept.items() if item.element.name != "string"}
    if kept:
        _check_name(recorder, path, name)
    model = make_model(recorder, ModelOptions(places=True), kept, name)
    moved = [kept[item.name] for item in model.graph.initializer if item.name in kept]
    if not moved:
        write_model(model, path, path)
        return
    target = path.with_name(name)
    offsets = aligned([item.length for item in moved])
    parts = (elements(item.array, item.element.code) for item in moved)
    try:
        with put_back_on_failure(target):
            write_elements(zip(offsets, parts, strict=True), target)
            write_model(model, path, path)
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL
        raise _unwritten(recorder, target, getattr(error, "strerror", None) or str(error)) from None


def _check_name(recorder: Recorder, path: Path, name: str) -> None:
    """Refuses a name of the file of tensors that is none of the model's folder, or is that of another file there."""
    if PurePath(name).name != name or name in ("", ".", ".."):
        text = f"cannot write the tensors to {name!r}"
        raise recorder.low.fatal("OW572", text, None, "it is no name of a file next to the model", "write a plain name")
    if name == path.name or any(PurePath(item.location) == PurePath(name) for item in recorder.kept.values()):
        what = "it is the model itself" if name == path.name else "other tensors of the model stand there"
        raise _unwritten(recorder, path.with_name(name), what, "give the tensors a file of their own: `external=...`")


def _unwritten(recorder: Recorder, path: Path, reason: str, help: str = "") -> Poisoned:
    return recorder.low.fatal("OW572", f"cannot write {path}", None, reason, help)
