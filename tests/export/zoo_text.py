"""Texts and speech: transformers of both kinds, mixtures of experts, an encoder of speech. Weights are random."""

from __future__ import annotations

from typing import Any

import torch
import transformers
from torch import nn

from tests.export.zoo import Flat, Model, generator, tokens

_SMALL = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 48,
    "vocab_size": 99,
}


def _bert() -> nn.Module:
    config = transformers.BertConfig(**_SMALL, max_position_embeddings=40)
    return Flat(transformers.BertModel(config), lambda found: (found.last_hidden_state, found.pooler_output))


def _gpt2() -> nn.Module:
    config = transformers.GPT2Config(vocab_size=99, n_positions=40, n_embd=32, n_layer=2, n_head=4, use_cache=False)
    return Flat(transformers.GPT2LMHeadModel(config), _logits)


def _llama() -> nn.Module:
    config = transformers.LlamaConfig(**_SMALL, num_key_value_heads=2, max_position_embeddings=40, use_cache=False)
    return Flat(transformers.LlamaForCausalLM(config), _logits)


def _mixtral() -> nn.Module:
    config = transformers.MixtralConfig(
        **_SMALL,
        num_key_value_heads=2,
        num_local_experts=4,
        num_experts_per_tok=2,
        max_position_embeddings=40,
        use_cache=False,
    )
    return Flat(transformers.MixtralForCausalLM(config), _logits)


def _t5() -> nn.Module:
    config = transformers.T5Config(
        vocab_size=99, d_model=32, d_kv=8, d_ff=48, num_layers=2, num_heads=4, use_cache=False
    )
    return Flat(transformers.T5EncoderModel(config), lambda found: found.last_hidden_state)


def _whisper() -> nn.Module:
    config = transformers.WhisperConfig(
        d_model=32,
        encoder_layers=2,
        encoder_attention_heads=4,
        encoder_ffn_dim=48,
        num_mel_bins=16,
        max_source_positions=30,
    )
    model: Any = transformers.WhisperModel(config)
    return Flat(model.encoder, lambda found: found.last_hidden_state)


def _logits(found: Any) -> Any:
    return found.logits


_LENGTH = ({1: "length"},)
MODELS = (
    Model("bert", _bert, tokens(99, 7), _LENGTH),
    Model("gpt2", _gpt2, tokens(99, 7), _LENGTH),
    Model("llama", _llama, tokens(99, 7), _LENGTH),
    Model("mixtral", _mixtral, tokens(99, 7), _LENGTH),
    Model("t5", _t5, tokens(99, 7), _LENGTH),
    Model("whisper", _whisper, lambda n: (torch.randn(n, 16, 60, generator=generator(n)),), ({0: "batch"},)),
)
