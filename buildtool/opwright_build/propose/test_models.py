"""Node tests as the models and data sets that backends read: one folder a test, its expansion next to it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import onnx
from onnx import FunctionProto, ModelProto, NodeProto, TensorProto, ValueInfoProto, helper, numpy_helper
from opwright.elements import element
from opwright.link.instantiate import default_attribute

from opwright_build.propose.node_cases import NodeCase, make_node, variant_for
from opwright_build.propose.subject import BodySet, Proposal
from opwright_build.verify.case_model import Array
from opwright_build.verify.dtypes import element_of

_PRODUCER = "backend-test"  # what the standard's generator writes


@dataclass(frozen=True, slots=True)
class TestModel:
    """A test as backends run it; `expanded` where the operator is replaced by the nodes of its body."""

    __test__ = False  # pytest takes a class of this name for one of its own

    name: str
    model: ModelProto
    case: NodeCase
    expanded: bool

    def files(self) -> dict[str, bytes]:
        """The folder's files by path below it."""
        files = {"model.onnx": self.model.SerializeToString(deterministic=True)}
        values = [("input", item) for item in self.case.inputs if item is not None]
        counts = {"input": 0, "output": 0}
        for kind, (name, array) in [*values, *(("output", item) for item in self.case.outputs)]:
            tensor = to_tensor(array, name)
            files[f"test_data_set_0/{kind}_{counts[kind]}.pb"] = tensor.SerializeToString(deterministic=True)
            counts[kind] += 1
        return files


def make_models(proposal: Proposal, case: NodeCase) -> Iterator[TestModel]:
    """The test itself, and its expansion by each set of bodies that has a variant for it."""
    yield TestModel(case.name, _operator_model(proposal, case), case, expanded=False)
    for bodies in proposal.sets:
        test = expand(proposal, case, bodies)
        if test is not None:
            yield test


def to_tensor(array: Array, name: str) -> TensorProto:
    if array.dtype.kind == "O":
        texts = [str(item).encode() for item in array.flat]
        return TensorProto(name=name, data_type=TensorProto.STRING, dims=array.shape, string_data=texts)
    return numpy_helper.from_array(np.ascontiguousarray(array).reshape(array.shape), name)


def _operator_model(proposal: Proposal, case: NodeCase) -> ModelProto:
    """The model of the one node. A domain that no tool knows brings its function along."""
    node = make_node(proposal, case)
    entry, home = proposal.entry, proposal.home
    imports = {home.domain: entry.since_version}
    functions: list[FunctionProto] = []
    if not home.standard and proposal.first is not None:
        variant = variant_for(proposal, proposal.first, case.case)
        if variant is not None:
            functions = [as_local_function(proposal, node, variant.function)]
            imports |= {item.domain: item.version for item in variant.function.opset_import}
    return _model([node], case, case.name, imports, functions)


def as_local_function(proposal: Proposal, node: NodeProto, function: FunctionProto) -> FunctionProto:
    """The function with every input of the interface, and the call with every attribute that the function reads."""
    _write_defaults(proposal, node)
    whole = FunctionProto()
    whole.CopyFrom(function)
    del whole.input[:]
    whole.input.extend(item.name for item in proposal.entry.inputs)
    node.input.extend([""] * (len(whole.input) - len(node.input)))
    return whole


def expand(proposal: Proposal, case: NodeCase, bodies: BodySet) -> TestModel | None:
    """The test with the nodes of a body in the operator's place; None where no variant of the set serves it."""
    from onnx.backend.test.case.node import function_expand_helper

    variant = variant_for(proposal, bodies, case.case)
    if variant is None:
        return None
    function = variant.function
    node = make_node(proposal, case)
    _write_defaults(proposal, node)
    whole = as_local_function(proposal, NodeProto(), function)
    prefix = f"{node.op_type}_{case.name}_expanded_function_"
    nodes = function_expand_helper(node, whole, prefix)
    name = f"{case.name}_expanded"
    if proposal.home.counts_opsets and bodies.opset != proposal.entry.since_version:
        name += f"_ver{bodies.opset}"
    imports = {item.domain: item.version for item in function.opset_import}
    return TestModel(name, _model(nodes, case, name, imports, ()), case, expanded=True)


def _write_defaults(proposal: Proposal, node: NodeProto) -> None:
    given = {attribute.name for attribute in node.attribute}
    node.attribute.extend(
        default_attribute(attribute)
        for attribute in proposal.entry.attributes
        if attribute.name not in given and attribute.default is not None
    )


def _model(
    nodes: list[NodeProto],
    case: NodeCase,
    name: str,
    imports: dict[str, int],
    functions: list[FunctionProto] | tuple[()],
) -> ModelProto:
    inputs = [_value_info(*item) for item in case.inputs if item is not None]
    graph = helper.make_graph(nodes, name, inputs, [_value_info(*item) for item in case.outputs])
    opsets = [helper.make_opsetid(domain, version) for domain, version in imports.items()]
    lowest = helper.find_min_ir_version_for(opsets, ignore_unknown=True)
    if functions:
        lowest = max(lowest, 8)
    model = helper.make_model(graph, opset_imports=opsets, producer_name=_PRODUCER, functions=functions)
    model.ir_version = lowest
    return model


def _value_info(name: str, array: Array) -> ValueInfoProto:
    kind = element(element_of(array).name).code
    return onnx.helper.make_tensor_value_info(name, kind, array.shape)
