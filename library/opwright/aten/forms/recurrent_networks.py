"""Recurrent networks: what their list of weights `params` tells."""

from __future__ import annotations

from typing import Any

from opwright.aten.forms.call_shape import CallShape, NoForm
from opwright.aten.forms.list_items import item_at


def hidden_size(value: Any, call: CallShape) -> int:
    """The size of the state: the last size of the second of the weights `params`. Refused where it is not known."""
    sizes = call.sizes_of(item_at(call.values["params"], 1))
    if not sizes or sizes[-1] is None:
        raise NoForm("the sizes of the weights are not known")
    return sizes[-1]


def weights_each(value: Any, call: CallShape) -> int:
    """The number of the weights `params` that each layer has for each direction: 4 for 16 weights of 2 layers in both
    directions. Dropout between layers in training and projections (`proj_size`) are refused."""
    values = call.values
    if values["train"] and values["dropout"] and values["num_layers"] > 1:
        raise NoForm("elements are dropped between the layers")
    parts = int(values["num_layers"]) * (2 if values["bidirectional"] else 1)
    if parts < 1:
        raise NoForm("there are no layers")
    each = len(values["params"]) // parts
    if each != (4 if values["has_biases"] else 2):
        raise NoForm("the hidden states are projected (`proj_size`), and ONNX's operator has no projection")
    return each
