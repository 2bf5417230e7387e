"""A call run by torch: outputs, whether they are random, and what float64 gives for the same arguments."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from tests.opinfo.archive import Vector
from tests.opinfo.torch_values import MOST_ELEMENTS, TYPES, stored, tensors, type_name, without_values

# Their memory is what it was before, which no seed decides.
_UNINITIALISED = ("aten::empty", "aten::new_empty")
_SEEDS = 12
_LESS_EXACT = {torch.float16, torch.bfloat16, torch.float32}


@dataclass(frozen=True, slots=True)
class Call:
    """A call of an overload, on tensors that nothing else writes to."""

    operator: str
    args: list[Any]
    kwargs: dict[str, Any]
    provenance: str


class Refused(Exception):
    """torch does not take the call, or its outputs are too large."""


def evaluated(call: Call, name: str) -> Vector:
    """The call with its outputs. Refused where torch refuses it; Unstorable where an output has no stored form."""
    operator = overload(call.operator)
    results = _results(operator, call, 0)
    if any(tensor.numel() > MOST_ELEMENTS for tensor in tensors(results)):
        raise Refused("an output is too large")
    args, kwargs = [stored(value) for value in call.args], {key: stored(item) for key, item in call.kwargs.items()}
    outputs = [stored(value) for value in results]
    if call.operator.startswith(_UNINITIALISED) or _random(operator, call, results):
        return Vector(name, args, kwargs, [without_values(value) for value in results], call.provenance, random=True)
    return Vector(name, args, kwargs, outputs, call.provenance, _truth(operator, call, results))


def overload(name: str) -> Any:
    namespace, _, rest = name.partition("::")
    base, _, variant = rest.partition(".")
    return getattr(getattr(getattr(torch.ops, namespace), base), variant or "default")


def _results(operator: Any, call: Call, seed: int) -> list[Any]:
    """Its results as a list of one entry for each return of the schema."""
    torch.manual_seed(seed)
    args, kwargs = copy.deepcopy((call.args, call.kwargs)) if operator._schema.is_mutable else (call.args, call.kwargs)
    try:
        with torch.no_grad():
            results = operator(*args, **kwargs)
    except Exception as error:  # whatever an operator refuses with
        raise Refused(str(error)) from None
    return [*results] if len(operator._schema.returns) != 1 else [results]


def _random(operator: Any, call: Call, results: list[Any]) -> bool:
    seeds = _SEEDS if torch.Tag.nondeterministic_seeded in operator.tags else 2
    return any(not _equal(results, _results(operator, call, seed)) for seed in range(1, seeds))


def _equal(left: Any, right: Any) -> bool:
    pairs = [(_comparable(a), _comparable(b)) for a, b in zip(tensors(left), tensors(right), strict=True)]
    return all(a.shape == b.shape and np.array_equal(a.numpy(), b.numpy(), equal_nan=True) for a, b in pairs)


def _comparable(value: torch.Tensor) -> torch.Tensor:
    """In a type that numpy has."""
    return (value.float() if value.dtype == torch.bfloat16 else value).detach().resolve_conj().resolve_neg()


def _truth(operator: Any, call: Call, results: list[Any]) -> list[Any] | None:
    """What float64 gives; empty where the outputs are equal to it, None where that says nothing of them."""
    made = [*tensors(results)]
    if not any(tensor.dtype in _LESS_EXACT for tensor in made):
        return None
    usual = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)  # of numbers, of integers' quotients
    try:
        exact = _results(operator, Call(call.operator, _upcast(call.args), _upcast(call.kwargs), ""), 0)
    except Refused:
        return None
    finally:
        torch.set_default_dtype(usual)
    wanted = [(tensor.shape, torch.float64 if tensor.dtype in _LESS_EXACT else tensor.dtype) for tensor in made]
    if [(tensor.shape, tensor.dtype) for tensor in tensors(exact)] != wanted:
        return None
    same = _equal([a.to(dtype) for a, (_, dtype) in zip(made, wanted, strict=True)], exact)
    return [] if same else [stored(value) for value in exact]


def _upcast(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.double() if value.dtype in _LESS_EXACT else value
    if isinstance(value, torch.dtype):
        return torch.float64 if value in _LESS_EXACT else value
    if isinstance(value, list):
        return [_upcast(item) for item in value]
    if isinstance(value, dict):
        return {key: _upcast(item) for key, item in value.items()}
    return value


def element_types(call: Call) -> str:
    """Those of its tensors, each once: `bool-float`; of a call without tensors that which it names, or `none`."""
    found = [type_name(tensor) for tensor in tensors([call.args, call.kwargs])]
    named = [value for value in (*call.args, *call.kwargs.values()) if isinstance(value, torch.dtype)]
    return "-".join(dict.fromkeys(found or [TYPES.get(value, "complex") for value in named])) or "none"
