"""Writing a model to a file and its large tensors to another one."""

from __future__ import annotations

from pathlib import Path, PurePath

from opwright.builder.recorded_model import make_model
from opwright.builder.recorder import Recorder
from opwright.graphs.external_data import aligned, elements, write_elements
from opwright.graphs.inline_weights import write_pieces
from opwright.graphs.model_file import model_pieces, refuse_place_of_weights, write_model
from opwright.graphs.whole_files import written_together
from opwright.lang.lower.state.poison import Poisoned
from opwright.model_options import ModelOptions


def save_model(recorder: Recorder, path: Path, name: str, least: int) -> None:
    """See `GraphBuilder.save`. The tensors take their place first: a model is never without them."""
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
    refuse_place_of_weights(model, path, path)
    pieces = model_pieces(model, f"{path}")
    try:
        with written_together(target, path) as (tensors, stream):
            write_elements(zip(offsets, parts, strict=True), tensors)
            write_pieces(pieces, stream, path)
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL
        reason = getattr(error, "strerror", None) or str(error)
        text = f"cannot write {path} with its tensors in {name!r}"
        raise recorder.low.fatal("OW572", text, None, reason) from None


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
