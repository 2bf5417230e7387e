"""The standard's own vectors: the cases of the ONNX backend test suite whose only node is one of our operators.

The wheel of onnx holds no node vectors as data. They are Python: each module of `onnx.backend.test.case.node` makes the
cases of one operator or a few when it is imported, and each of its exporting functions runs right after
`np.random.seed(0)`, so that no module's data depend on another's. `load_model_tests(kind="node")` imports them all, in
about five seconds; only the modules that name a wanted operator are imported here, in about 0.2.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import defs, helper, numpy_helper
from opwright.elements import BY_CODE
from opwright.opsets.domains import normal_domain

from opwright_build.verify.case_model import Array, Items, Value
from opwright_build.verify.dtypes import array_digest_parts, digest
from opwright_build.verify.items import items_of, sequence_mark, tensors_of, value_digest_parts

_PACKAGE = "onnx.backend.test.case.node"
_EXPANDED = re.compile(r"_expanded(_ver\d+)?$")


@dataclass(frozen=True, slots=True)
class SuiteCase:
    """One direct case: `domain` as specs write it (`ai.onnx`), `since_version` the operator's at the case's opset.

    `inputs` and `outputs` are the node's, None where it leaves one out. `obstacle` says, where it is not empty, why
    the case cannot be used here (it then holds no values).
    """

    name: str
    domain: str
    operator: str
    since_version: int
    attributes: Mapping[str, Any]
    inputs: tuple[Value | None, ...]
    outputs: tuple[Value | None, ...]
    rtol: float
    atol: float
    obstacle: str = ""


def extract(operators: Iterable[str]) -> tuple[SuiteCase, ...]:
    """Every direct case of those operators, sorted by name. Imports modules of onnx, and none of a spec."""
    wanted = frozenset(operators)
    cases: list[SuiteCase] = []
    for test in _import_cases(find_modules(wanted)):
        if len(test.model.graph.node) == 1 and not _EXPANDED.search(test.name):
            node = test.model.graph.node[0]
            if node.op_type in wanted:
                cases.append(_from_test(test, node))
    return tuple(sorted(cases, key=lambda case: case.name))


def find_modules(operators: Iterable[str]) -> tuple[str, ...]:
    """The modules below the suite's package whose text has the name of one of the operators as a word, sorted.

    A case cannot be made without it; some of these modules merely mention it. A test compares what this finds with the
    full load, for every operator of the suite.
    """
    names = "|".join(re.escape(name) for name in sorted(frozenset(operators)))
    if not names:
        return ()
    named = re.compile(rf"\b({names})\b".encode())
    folder = _folder()
    found: list[str] = []
    for path in folder.rglob("*.py"):
        if path.name != "__init__.py" and named.search(path.read_bytes()):
            found.append(path.relative_to(folder).with_suffix("").as_posix().replace("/", "."))
    return tuple(sorted(found))


def newest_version(domain: str, operator: str) -> int:
    """The newest since_version that the installed onnx knows; 0 when it knows no such operator."""
    try:
        return defs.get_schema(operator, domain=normal_domain(domain)).since_version
    except defs.SchemaError:
        return 0


def suite_digest(case: SuiteCase) -> str:
    """sha256 over what a case asks, and over all of its answer that does not depend on the processor.

    The suite computes its answers with numpy when it is loaded, and numpy's `exp`, `log` and sums differ in the last
    bits with the vector instructions at hand (for 9 of the 104 cases of the plain function-ops, on x86 alone). So of
    floating-point outputs this covers the type, the shape and where they are not finite; the lock's sketches cover the
    values.
    """
    parts = [b"suite-case/1", case.domain.encode(), case.operator.encode(), str(case.since_version).encode()]
    parts.append(repr((case.rtol, case.atol, case.obstacle)).encode())
    for name in sorted(case.attributes):
        parts += [b"attribute", name.encode(), attribute_bytes(case.attributes[name])]
    for value in case.inputs:
        parts += [b"input"] if value is None else [b"input", *value_digest_parts(value)]
    for value in case.outputs:
        parts.append(b"output")
        if isinstance(value, Items):
            parts.append(sequence_mark(value.kind, len(value.arrays)))
        for array in tensors_of(value):
            parts += array_digest_parts(_outline(array) if is_floating(array) else array)
            parts.append(array.dtype.name.encode())
    return digest(parts)


def floating_outputs(case: SuiteCase) -> list[Array]:
    """The tensors among a case's outputs whose values the lock's sketches cover, items of sequences among them."""
    return [array for value in case.outputs for array in tensors_of(value) if is_floating(array)]


def is_floating(array: Array) -> bool:
    """Whether the elements are floating-point numbers, those of ml_dtypes included."""
    return array.dtype.kind == "f" or (array.dtype.kind == "V" and "float" in array.dtype.name)


def attribute_bytes(value: Any) -> bytes:
    """An attribute's value, canonically; a graph or tensor by its deterministic serialisation."""
    if hasattr(value, "SerializeToString"):
        return bytes(value.SerializeToString(deterministic=True))
    return repr(value).encode()


def _outline(array: Array) -> Array:
    """0 where a value is finite, else 1 for infinity, 2 for minus infinity, 3 for nan."""
    values = array.astype(np.float64)
    infinite = np.where(values > 0, 1, 2)
    return np.where(np.isfinite(values), 0, np.where(np.isnan(values), 3, infinite)).astype(np.uint8)


def _folder() -> Path:
    package = import_module(_PACKAGE)
    return Path(package.__path__[0])


def _import_cases(modules: Sequence[str]) -> Sequence[Any]:
    package = import_module(_PACKAGE)
    state = np.random.get_state()  # the exporting functions seed numpy's global generator
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            for module in modules:
                import_module(f"{_PACKAGE}.{module}")
    finally:
        np.random.set_state(state)
    cases: Sequence[Any] = package._NodeTestCases
    return cases


def _from_test(test: Any, node: onnx.NodeProto) -> SuiteCase:
    opset = next(
        entry.version for entry in test.model.opset_import if (entry.domain or "ai.onnx") == (node.domain or "ai.onnx")
    )
    inputs, outputs = test.data_sets[0]
    graph = test.model.graph
    try:
        given, results = _spread(node.input, inputs, graph.input), _spread(node.output, outputs, graph.output)
        obstacle = ""
    except _NoValueError as error:
        given, results, obstacle = (), (), str(error)
    return SuiteCase(
        name=test.name,
        domain=node.domain or "ai.onnx",
        operator=node.op_type,
        since_version=defs.get_schema(node.op_type, opset, node.domain).since_version,
        attributes={item.name: attribute_value(item) for item in node.attribute},
        inputs=given,
        outputs=results,
        rtol=float(test.rtol),
        atol=float(test.atol),
        obstacle=obstacle,
    )


def attribute_value(attribute: onnx.AttributeProto) -> Any:
    """As plain Python: int, float, str, tuples of them; protos stay protos."""
    value = helper.get_attribute_value(attribute)
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, Iterable) and not isinstance(value, str):
        return tuple(item.decode() if isinstance(item, bytes) else item for item in value)
    return value


class _NoValueError(Exception):
    """A value of the suite that is neither a tensor nor a sequence of tensors."""


def _spread(
    names: Sequence[str], values: Sequence[Any], declared: Sequence[onnx.ValueInfoProto]
) -> tuple[Value | None, ...]:
    """The values in the node's positions: the suite lists those that are present, one after the other, as the graph
    declares them."""
    present = iter(zip(values, declared, strict=True))
    return tuple(_as_value(*next(present)) if name else None for name in names)


def _as_value(value: Any, declared: onnx.ValueInfoProto) -> Value:
    if isinstance(value, dict):
        raise _NoValueError("a value is a map, not a tensor")
    if value is None:
        raise _NoValueError("a value is an empty optional, not a tensor")
    if not isinstance(value, list):
        return _as_array(value)
    kind = BY_CODE.get(declared.type.sequence_type.elem_type.tensor_type.elem_type)
    if kind is None or any(item is None or isinstance(item, list | dict) for item in value):
        raise _NoValueError("a value is a sequence of something else than tensors")
    try:
        return items_of([_as_array(item) for item in value], kind.name)
    except ValueError as error:
        raise _NoValueError(f"a value is a sequence, but {error}") from None


def _as_array(value: Any) -> Array:
    if isinstance(value, onnx.TensorProto):
        return numpy_helper.to_array(value)
    array = np.asarray(value)
    return array.astype(object) if array.dtype.kind in "US" else array
