"""Which kernels releases of onnxruntime lack for the standard's function-ops: models of one node, and who loads them.

`python -m tests.downlevel.kernel_probes FOLDER` writes the models; `load_probes.py` loads them on whatever onnxruntime
it is run with; `nox -s runtimes` does both for every release and writes library/opwright/downlevel/runtimes.json.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from onnx import ModelProto, NodeProto, ValueInfoProto, defs, helper
from opwright.downlevel.other_version import form_at
from opwright.elements import BY_CODE, BY_NAME
from opwright.link.propagate import Propagation, Visit
from opwright.link.schema_types import formals, schema_at
from opwright.opsets.steps import OLDEST

from tests.downlevel.standard_cases import TestCase, function_cases, imported, operator_of

FLOATS = ("float", "double", "float16", "bfloat16")
ANY_OPSET = 1  # in the models, to be replaced by the one at which they are loaded


@dataclass(frozen=True, slots=True)
class Probe:
    """A model of one node of an operator's version, with these element types of its variables."""

    operator: str
    since_version: int
    types: tuple[tuple[str, str], ...]
    model: bytes


def probes() -> list[Probe]:
    """One for each version in force since OLDEST, each form that a case has, and each type of each variable."""
    found: dict[tuple[object, ...], Probe] = {}
    for case in function_cases():
        domain, name = operator_of(case)
        tensors = all(value.type.HasField("tensor_type") for value in case.model.graph.input)
        if domain or not tensors or case.model.graph.initializer:
            continue
        for schema in _versions(name, imported(case.model)):
            node = _node_at(case, schema)
            for types in _combinations(case, schema, node) if node is not None else ():
                given = (*(bool(item) for item in node.input), len(node.output)) if node is not None else ()
                key = (name, schema.since_version, tuple(sorted(types.items())), given)
                model = _model(case, schema, node, types) if key not in found and node is not None else None
                if model is not None:
                    found[key] = Probe(name, schema.since_version, tuple(types.items()), model.SerializeToString())
    return list(found.values())


def _versions(name: str, version: int) -> Iterator[defs.OpSchema]:
    while (schema := schema_at(name, "", version)) is not None:
        yield schema
        if schema.since_version <= OLDEST:
            return
        version = schema.since_version - 1


def _node_at(case: TestCase, schema: defs.OpSchema) -> NodeProto | None:
    """The node of a case as an older version of its operator; None where it uses what that lacks, types aside."""
    visits: list[Visit] = []

    class Keeper:
        def visit(self, visit: Visit) -> None:
            visits.append(visit)

    Propagation(case.model, Keeper()).run()
    newest = schema_at(schema.name, "", imported(case.model))
    if newest is None or newest.since_version == schema.since_version:
        return case.model.graph.node[0]
    read = list(case.model.graph.node[0].output)
    form, reasons = form_at(visits[0], None, newest, schema.since_version, schema.since_version, read)
    if not form.is_one_node or any("not allowed" not in reason for reason in reasons):
        return None
    node = NodeProto(op_type=schema.name, input=form.names, output=case.model.graph.node[0].output)
    node.attribute.extend(form.attributes.values())
    return node


def _combinations(case: TestCase, schema: defs.OpSchema, node: NodeProto) -> Iterator[dict[str, str]]:
    """The types of the case, with each type for each variable in turn, and with all floats alike."""
    allowed = {item.type_param_str: _elements(item.allowed_type_strs) for item in schema.type_constraints}
    declared = {value.name: value.type.tensor_type.elem_type for value in case.model.graph.input}
    base: dict[str, str] = {}
    for formal, name in zip(formals(schema.inputs), node.input, strict=False):
        if name and formal.type_str in allowed:
            base.setdefault(formal.type_str, BY_CODE[declared[name]].name)
    for variable in base:
        for element in allowed[variable]:
            yield {**base, variable: element}
    for element in FLOATS:
        yield {key: element if value in FLOATS and element in allowed[key] else value for key, value in base.items()}


def _elements(types: list[str]) -> list[str]:
    return [text[len("tensor(") : -1] for text in types if text.startswith("tensor(")]


def _model(case: TestCase, schema: defs.OpSchema, node: NodeProto, types: Mapping[str, str]) -> ModelProto | None:
    declared = {value.name: value for value in (*case.model.graph.input, *case.model.graph.output)}
    inputs = [
        _typed(declared[name], types.get(formal.type_str, ""), True)
        for formal, name in zip(formals(schema.inputs), node.input, strict=False)
        if name
    ]
    outputs = [
        _typed(declared[name], types.get(formal.type_str, ""), False)
        for formal, name in zip(formals(schema.outputs), node.output, strict=False)
        if name in declared
    ]
    graph = helper.make_graph([node], "probe", inputs, outputs)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", ANY_OPSET)], ir_version=3)


def _typed(declared: ValueInfoProto, element: str, shaped: bool) -> ValueInfoProto:
    value = ValueInfoProto()
    value.CopyFrom(declared)
    if element:
        value.type.tensor_type.elem_type = BY_NAME[element].code
    if not shaped:
        value.type.tensor_type.ClearField("shape")
    return value


def write_probes(folder: Path) -> None:
    """Writes the models and `index.json`, which says what each is and at which opsets it means the same."""
    folder.mkdir(parents=True, exist_ok=True)
    index: list[dict[str, Any]] = []
    for number, probe in enumerate(probes()):
        name = f"{number}.onnx"
        (folder / name).write_bytes(probe.model)
        later = [version for version in _histories()[probe.operator] if version > probe.since_version]
        index.append(
            {
                "file": name,
                "operator": probe.operator,
                "since_version": probe.since_version,
                "types": dict(probe.types),
                "first": max(OLDEST, probe.since_version),
                "last": min(later, default=defs.onnx_opset_version() + 1) - 1,
            }
        )
    (folder / "index.json").write_text(json.dumps(index), encoding="utf-8")


@cache
def _histories() -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for schema in defs.get_all_schemas_with_history():
        if schema.domain == "":
            found.setdefault(schema.name, []).append(schema.since_version)
    return found


def merge(measured: list[dict[str, Any]]) -> str:
    """The text of runtimes.json from what `load_probes.py` printed for each release, oldest first."""
    releases: dict[str, list[str]] = {}
    for item in measured:
        for row in item["missing"]:
            releases.setdefault(json.dumps(row), []).append(item["release"])
    groups: dict[tuple[str, int, tuple[str, ...]], list[dict[str, str]]] = {}
    for text, found in releases.items():
        row = json.loads(text)
        groups.setdefault((row["operator"], row["since_version"], tuple(found)), []).append(row["types"])
    for types in groups.values():
        types.sort(key=json.dumps)  # onnx lists the types that a variable may have in another order each time
    runtimes = [{key: item[key] for key in ("release", "opset", "ir_version", "measured")} for item in measured]
    missing = [
        {"operator": name, "domain": "", "since_version": since, "releases": list(found), "types": types}
        for (name, since, found), types in sorted(groups.items(), key=lambda item: item[0])
    ]
    about = "What releases of onnxruntime load, measured with their wheels for Linux x86-64, CPU: nox -s runtimes."
    lines = ["{", f'  "about": {json.dumps(about)},', '  "onnxruntime": [']
    lines += [",\n".join(f"    {json.dumps(item)}" for item in runtimes), "  ],", '  "missing_kernels": [']
    lines += [",\n".join(f"    {json.dumps(item)}" for item in missing), "  ]", "}"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if sys.argv[1] == "--merge":
        print(merge([json.loads(Path(name).read_text(encoding="utf-8")) for name in sys.argv[2:]]), end="")
    else:
        write_probes(Path(sys.argv[1]))
