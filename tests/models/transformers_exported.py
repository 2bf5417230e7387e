"""Networks of the transformers package, small and with drawn weights, exported by both exporters of torch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
import transformers as t
from torch import Tensor, nn

from tests.models.model import Feeds, GivenModel, array, generator_of
from tests.models.torch_exported import exported

TEXT = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 37, "vocab_size": 99}
IMAGE = {"image_size": 32, "patch_size": 8, "num_channels": 3}


@dataclass(frozen=True, slots=True)
class Case:
    """`inputs`: dtype and sizes by the name of the network's argument; integers are below 99."""

    family: str
    name: str
    config: Any
    inputs: dict[str, tuple[type, list[int]]]
    opset: int = 18
    exporters: tuple[str, ...] = ("dynamo", "script")


TOKENS: dict[str, tuple[type, list[int]]] = {"input_ids": (np.int64, [2, 7]), "attention_mask": (np.int64, [2, 7])}
PIXELS: dict[str, tuple[type, list[int]]] = {"pixel_values": (np.float32, [2, 3, 32, 32])}
SMALL = {
    "d_model": 32,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
}
CASES = (
    Case("text", "bert", t.BertConfig(**TEXT), TOKENS),
    Case("text", "distilbert", t.DistilBertConfig(dim=32, n_layers=2, n_heads=4, hidden_dim=37, vocab_size=99), TOKENS),
    Case("text", "gpt2", t.GPT2Config(n_embd=32, n_layer=2, n_head=4, vocab_size=99, use_cache=False), TOKENS, 20),
    Case("text", "llama", t.LlamaConfig(**TEXT, use_cache=False), TOKENS, 23),
    Case(
        "text",
        "t5",
        t.T5Config(d_model=32, d_kv=8, d_ff=37, num_layers=2, num_heads=4, vocab_size=99, use_cache=False),
        {**TOKENS, "decoder_input_ids": (np.int64, [2, 5])},
    ),
    Case("text", "deberta", t.DebertaV2Config(**TEXT, relative_attention=True, pos_att_type=["p2c", "c2p"]), TOKENS),
    Case(
        "vision",
        "vit",
        t.ViTConfig(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=37, **IMAGE),
        PIXELS,
        20,
    ),
    Case("vision", "convnext", t.ConvNextConfig(hidden_sizes=[8, 16, 24, 32], depths=[1, 1, 2, 1]), PIXELS),
    Case("vision", "mobilenet", t.MobileNetV2Config(image_size=32, depth_multiplier=0.25), PIXELS),
    Case(
        "vision",
        "swin",
        t.SwinConfig(image_size=32, patch_size=4, embed_dim=16, depths=[1, 2], num_heads=[2, 2], window_size=4),
        PIXELS,
    ),
    Case(
        "vision",
        "segformer",
        t.SegformerConfig(hidden_sizes=[8, 16, 24, 32], depths=[1, 1, 1, 1], num_attention_heads=[1, 2, 2, 4]),
        {"pixel_values": (np.float32, [1, 3, 64, 64])},
    ),
    Case(
        "audio",
        "wav2vec",
        t.Wav2Vec2Config(
            hidden_size=32,
            num_hidden_layers=2,
            num_attention_heads=4,
            intermediate_size=37,
            conv_dim=[16, 16],
            conv_stride=[5, 2],
            conv_kernel=[10, 3],
            num_conv_pos_embeddings=16,
            num_conv_pos_embedding_groups=2,
        ),
        {"input_values": (np.float32, [2, 400])},
    ),
    Case(
        "audio",
        "whisper",
        t.WhisperConfig(
            **SMALL,
            vocab_size=99,
            num_mel_bins=8,
            max_source_positions=20,
            max_target_positions=20,
            encoder_ffn_dim=37,
            decoder_ffn_dim=37,
            use_cache=False,
            pad_token_id=0,
            bos_token_id=1,
            eos_token_id=2,
            decoder_start_token_id=1,
        ),
        {"input_features": (np.float32, [1, 8, 40]), "decoder_input_ids": (np.int64, [1, 6])},
        exporters=("dynamo",),
    ),
)


class Bare(nn.Module):
    """The network, taking its inputs by place and giving its first results."""

    def __init__(self, inner: nn.Module, names: list[str]) -> None:
        super().__init__()
        self.inner = inner
        self.names = names

    def forward(self, *given: Tensor) -> Any:
        found = self.inner(**dict(zip(self.names, given, strict=True)))
        return tuple(value for value in found.values() if isinstance(value, Tensor))


def models(seed: int) -> Iterator[GivenModel]:
    for case in CASES:
        for exporter in case.exporters:
            name = f"transformers_{case.name}_{exporter}"
            feeds = draw(case, generator_of(seed, name))
            torch.manual_seed(0)
            network = t.AutoModel.from_config(case.config, attn_implementation="eager").eval()
            args = tuple(torch.from_numpy(value) for value in feeds.values())
            options = {"dynamo": exporter == "dynamo", "opset_version": case.opset if exporter == "dynamo" else 17}
            model = exported(Bare(network, list(feeds)), args, input_names=list(feeds), **options)
            yield GivenModel(case.family, name, model, (feeds,))


def draw(case: Case, random: np.random.Generator) -> Feeds:
    found: Feeds = {name: array(random, dtype, sizes, 90) for name, (dtype, sizes) in case.inputs.items()}
    if "attention_mask" in found:
        found["attention_mask"][:] = 1
    return found
