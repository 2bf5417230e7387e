"""Models of generated programs, to make the round trip as the node tests do: with the function called, and inlined."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from onnx import ModelProto, ValueInfoProto, helper
from onnx.inliner import inline_local_functions

from tests.decompiler.roundtrip import run_ort, run_reference
from tests.differential.campaign import program_of
from tests.differential.compiling import compile_program
from tests.differential.judge import Sessions
from tests.differential.values import OutOfScope
from tests.lang.conftest_lang import model_of


@dataclass(frozen=True, slots=True)
class GeneratedCase:
    """As a node test: `data_sets` are pairs of inputs and outputs."""

    name: str
    model: ModelProto
    data_sets: list[tuple[list[Any], list[Any]]]


def generated_cases(seed: int, count: int) -> Iterator[GeneratedCase]:
    """Two models for each variant that the calls of `count` programs take; programs that are refused have none."""
    for index in range(count):
        program = program_of(seed, index)
        family = compile_program(program)
        if isinstance(family, tuple):
            continue
        sessions = Sessions(program, family, ())
        seen: set[int] = set()
        for case in program.cases:
            try:
                function = sessions.choose(case)
            except OutOfScope:
                continue
            if id(function) in seen:
                continue
            seen.add(id(function))
            read = {parameter.name for parameter in function.attributes}
            attributes = {name: value for name, value in case.attributes.items() if name in read}
            arrays = {item.name: case.arrays[item.name] for item in function.inputs if item.name in case.arrays}
            model = model_of(function, arrays, attributes)
            inputs = [arrays[item.name] for item in model.graph.input]
            results = _results(model, inputs)
            if results is None:
                continue
            for value, result in zip(model.graph.output, results, strict=True):
                _write_type(value, result, ranked=len(seen) % 2 == 1)
            name = f"program_{seed}_{index}_{len(seen)}"
            yield GeneratedCase(name, model, [(inputs, results)])
            yield GeneratedCase(f"{name}_inlined", inline_local_functions(model), [(inputs, results)])


def _results(model: ModelProto, inputs: list[Any]) -> list[Any] | None:
    for run in (run_ort, run_reference):
        try:
            return list(run(model, inputs))
        except Exception:  # a fault of the runtime, which the differential tests know
            continue
    return None


def _write_type(value: ValueInfoProto, result: Any, ranked: bool) -> None:
    """The type of an output, with its rank or, as in some models in the wild, without."""
    if isinstance(result, list):
        code = helper.np_dtype_to_tensor_dtype(np.asarray(result[0]).dtype) if result else 1
        value.type.sequence_type.elem_type.tensor_type.elem_type = code
        return
    array = np.asarray(result)
    value.type.tensor_type.elem_type = helper.np_dtype_to_tensor_dtype(array.dtype)
    if ranked:
        value.type.tensor_type.shape.SetInParent()
        for _ in range(array.ndim):
            value.type.tensor_type.shape.dim.add()
