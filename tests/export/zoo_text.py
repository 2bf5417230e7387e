"""Texts and speech: transformers of both kinds, mixtures of experts, an encoder of speech. Weights are random."""

from __future__ import annotations

import math
from typing import Any

import torch
import transformers
from torch import nn
from torch.nn import functional as F

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
    return Flat(transformers.BertModel(config), _likeness)


def _gpt2() -> nn.Module:
    config = transformers.GPT2Config(vocab_size=99, n_positions=40, n_embd=32, n_layer=2, n_head=4, use_cache=False)
    model: Any = transformers.GPT2LMHeadModel(config)
    with torch.no_grad():
        model.transformer.wte.weight.mul_(6)  # else all words are as likely
    return Flat(model, _surprise)


def _llama() -> nn.Module:
    config = transformers.LlamaConfig(**_SMALL, num_key_value_heads=2, max_position_embeddings=40, use_cache=False)
    return Flat(transformers.LlamaForCausalLM(config), _nucleus)


def _mixtral() -> nn.Module:
    config = transformers.MixtralConfig(
        **_SMALL,
        num_key_value_heads=2,
        num_local_experts=4,
        num_experts_per_tok=2,
        max_position_embeddings=40,
        use_cache=False,
    )
    return _Experts(transformers.MixtralForCausalLM(config), _capped)


class _Experts(Flat):
    """Experts are computed as the package does for training where the numbers are double: torch groups no such ones."""

    def forward(self, x: torch.Tensor) -> Any:
        inner: Any = self.inner
        inner.set_experts_implementation("eager" if inner.dtype == torch.float64 else "grouped_mm")
        return super().forward(x)


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
        decoder_layers=1,
        decoder_attention_heads=4,
        num_mel_bins=16,
        max_source_positions=30,
    )
    model: Any = transformers.WhisperModel(config)
    return Flat(model.encoder, _rhythm)


def _likeness(found: Any) -> Any:
    """What a search by meaning takes: words, the text as one vector, and how near the words are to it."""
    words = found.last_hidden_state
    text = F.normalize(found.pooler_output + words.amax(1), dim=-1)
    near = F.cosine_similarity(words, text.unsqueeze(1), -1)
    return words, text, near, torch.logsumexp(near * 4, -1), torch.linalg.vector_norm(words - text.unsqueeze(1), dim=-1)


def _rhythm(found: Any) -> Any:
    """Features of speech: sounds, how they change, and how they do over a time."""
    sounds = found.last_hidden_state
    change = sounds - sounds.roll(1, 1)
    gates = F.glu(sounds, -1) + F.softplus(change[..., :16])
    return sounds, change.std(1), F.avg_pool1d(gates.transpose(1, 2), 3), change.flip(1).cumsum(1).floor()


def _capped(found: Any) -> Any:
    """Logits that none exceeds by much, and the greatest ones."""
    logits = (found.logits * 0.125).tanh() * 8
    return logits, logits.amax(-1)


def _surprise(found: Any) -> Any:
    """What the next word is expected to tell, among how many words that is a choice, how this changes from word to
    word, and by how much the likeliest is ahead."""
    told = found.logits.log_softmax(-1)
    two = told.topk(2, -1).values
    bits = -(told.exp() * told).sum(-1) / math.log(2)
    return bits, bits.exp2(), bits.diff(dim=-1), (two[..., 0] - two[..., 1]).sqrt().clamp(max=2.0)


def _nucleus(found: Any) -> Any:
    """How likely words are to come next, of those that make nine tenths together."""
    likely, which = found.logits[:, -1].softmax(-1).sort(-1, descending=True)
    beyond = likely.cumsum(-1) - likely > 0.9
    kept = likely.masked_fill(beyond, 0.0)
    chosen = torch.zeros_like(kept).scatter(-1, which, kept / kept.sum(-1, keepdim=True))
    surprise = torch.logaddexp(-likely.log2(), chosen.flip(-1)).tril().square()
    return chosen, beyond.logical_not().sum(-1), surprise, chosen.expm1().argmax(-1)


_LENGTH = ({1: "length"},)
MODELS = (
    Model("bert", _bert, tokens(99, 7), _LENGTH),
    Model("gpt2", _gpt2, tokens(99, 7), _LENGTH),
    Model(
        "llama",
        _llama,
        tokens(99, 7),
        _LENGTH,
        more=6,
        why="logaddexp of infinities; a sum of truth values that is cast to int64",
    ),
    Model("mixtral", _mixtral, tokens(99, 7), _LENGTH),
    Model("t5", _t5, tokens(99, 7), _LENGTH),
    Model("whisper", _whisper, lambda n: (torch.randn(n, 16, 60, generator=generator(n)),), ({0: "batch"},)),
)
