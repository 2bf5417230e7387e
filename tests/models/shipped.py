"""Models that packages bring: the test data of onnx and onnxruntime, and packages whose models people use."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
from onnx import ModelProto, numpy_helper

from tests.downlevel.real_models import feeds as usual_feeds
from tests.models.model import Feeds, GivenModel, drawn, generator_of
from tests.node_cases import node_cases

DATA = Path(onnx.__file__).parent / "backend/test/data"
DATASETS = Path(onnxruntime.__file__).parent / "datasets"
# Node tests with what the models of the other sources have not: sequences, optionals, nested graphs, detection, audio.
NODE_TESTS = {
    "affine_grid_3d",
    "ai_onnx_ml_label_encoder_string_int",
    "ai_onnx_ml_tree_ensemble_set_membership",
    "attention_4d_gqa_with_past_and_present",
    "center_crop_pad_crop_and_pad",
    "dft_inverse",
    "gathernd_example_int32_batch_dim1",
    "gelu_tanh_2",
    "gridsample_bicubic",
    "group_normalization_example",
    "identity_sequence",
    "if",
    "if_seq",
    "layer_normalization_4d_axis1",
    "loop11",
    "loop13_seq",
    "loop16_seq_none",
    "lstm_with_peepholes",
    "nonmaxsuppression_suppress_by_IOU_and_scores",
    "qlinearmatmul_2D_int8_float32",
    "regex_full_match_email_domain",
    "resize_upsample_sizes_cubic",
    "rms_normalization_4d_axis2",
    "rotary_embedding",
    "scan9_multi_state",
    "scan9_sum",
    "scan_sum",
    "sequence_insert_at_front",
    "sequence_map_add_2_sequences",
    "sequence_map_extract_shapes",
    "split_to_sequence_2",
    "stft_with_window",
    "string_split_basic",
}


def models(seed: int) -> Iterator[GivenModel]:
    for path in sorted((DATA / "light").glob("*.onnx")):
        model = onnx.load(path)
        yield GivenModel("onnx light", path.stem, model, (drawn(model, generator_of(seed, path.stem)),))
    for folder in ("simple", "pytorch-operator", "pytorch-converted"):
        for path in sorted((DATA / folder).glob("*/model.onnx")):
            model = onnx.load(path)
            if folder == "simple" or len(model.graph.node) > 2:
                data = sorted(path.parent.glob("test_data_set_*"))
                yield GivenModel(f"onnx {folder}", path.parent.name, model, tuple(stored(model, item) for item in data))
    for case in node_cases():
        if case.name.removeprefix("test_") in NODE_TESTS:
            names = [value.name for value in case.model.graph.input]
            sets = tuple(dict(zip(names, inputs, strict=True)) for inputs, _ in case.data_sets)
            yield GivenModel("onnx node", case.name, case.model, sets)
    for path in sorted(DATASETS.glob("*.onnx")):
        model = onnx.load(path)
        yield GivenModel("onnxruntime", path.stem, model, (drawn(model, generator_of(seed, path.stem), {"": 3}),))


def of_packages(folder: Path) -> Iterator[GivenModel]:
    """The models of packages that lie in a folder."""
    for path in sorted(folder.rglob("*.onnx")):
        model = onnx.load(path)
        name = f"{path.relative_to(folder).parts[0]}_{path.stem}"
        yield GivenModel("packages", name, model, (usual_feeds(model),))


def stored(model: ModelProto, folder: Path) -> Feeds:
    """The inputs that lie next to a model."""
    found: Feeds = {}
    for index, value in enumerate(model.graph.input):
        path = folder / f"input_{index}.pb"
        if path.exists():
            found[value.name] = read(path.read_bytes(), value.type)
    return found


def read(data: bytes, kind: onnx.TypeProto) -> Any:
    if kind.HasField("sequence_type"):
        return numpy_helper.to_list(onnx.SequenceProto.FromString(data))
    return np.asarray(numpy_helper.to_array(onnx.TensorProto.FromString(data)))
