"""Writing a model to a file and its large tensors to another one."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from opwright.builder.model import make_model
from opwright.builder.recorder import Recorder
from opwright.builder.tensors import Kept
from opwright.link.model_file import write_model

_ALIGNED = 4096  # so that runtimes can map the file


def save_model(recorder: Recorder, path: Path, name: str, least: int) -> None:
    """See `GraphBuilder.save`. The tensors are written first: a model is never without them."""
    kept = {key: item for key, item in recorder.kept.items() if item.array is not None and item.length >= least}
    kept = {key: item for key, item in kept.items() if item.element.name != "string"}
    offsets: dict[str, tuple[str, int]] = {}
    end = 0
    for key, item in kept.items():
        start = -(-end // _ALIGNED) * _ALIGNED
        offsets[key] = name, start
        end = start + item.length
    model = make_model(recorder, offsets, None, "opwright", True, None)
    if kept:
        try:
            _write(kept, offsets, path.with_name(name))
        except OSError as error:
            text = f"cannot write {path.with_name(name)}"
            recorder.low.error("OW572", text, None, reason=error.strerror or str(error))
    write_model(model, path, path)


def _write(kept: Mapping[str, Kept], offsets: Mapping[str, tuple[str, int]], path: Path) -> None:
    """The elements of tensors, each at its offset: whole or not at all."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        with partial.open("wb") as stream:
            for key, item in kept.items():
                stream.seek(offsets[key][1])
                stream.write(_elements(item))
            stream.flush()
            os.fsync(stream.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def _elements(kept: Kept) -> memoryview | bytes:
    """The bytes of a tensor as ONNX stores them: those of the array itself where it is laid out so."""
    array = kept.array
    assert array is not None
    if kept.element.bits < 8 or sys.byteorder == "big" or not array.flags.c_contiguous:
        return kept.raw()
    return array.reshape(-1).view(np.uint8).data
