"""Calls of PyTorch's operators as nodes, without torch: what `opwright.torch` does for its exporter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import onnx_ir as ir
import pytest
from onnx import helper
from opwright import DiagnosticError
from opwright.bundle.format import AttributeEntry, Bundle, ImplementsEntry, InputEntry, OutputEntry
from opwright.elements import BY_CODE
from opwright.foreign.link import link
from opwright.foreign.operator_nodes import OperatorNodes, with_element_types
from opwright.foreign.operator_registry import Registry, make_registry

from tests.link.conftest import Body, LibraryBuilder, run_everywhere

_ADD = "(self, other, alpha) => (y) { t = Mul(other, alpha) y = Add(self, t) }"
_SUM = "<dim>(self) => (y) { a = Constant<value_ints: ints = @dim>() y = ReduceSum<keepdims = 0>(self, a) }"
_SIZE = "<dim>(self) => (y) { a = Shape(self) i = Constant<value_int: int = @dim>() y = Gather(a, i) }"
_TYPES = ("float", "double", "int64")


def _library(name: str, domain: str, deprecated: bool = False) -> Bundle:
    library = LibraryBuilder(name=name, domain=domain)
    alpha = InputEntry("alpha", "T", optional=True, rank=0)
    absent, present = (("alpha", "absent"),), (("alpha", "present"),)
    bodies = [
        Body("(self, other) => (y) { y = Add(self, other) }", variant=absent, admits=_TYPES),
        Body(_ADD, variant=present, admits=_TYPES),
    ]
    library.add("add", bodies, inputs=["self", "other", alpha], types=_TYPES)
    sum_ = [Body(_SUM, admits=_TYPES)]
    library.add("sum", sum_, inputs=["self"], attributes=[AttributeEntry("dim", "INTS", True)], types=_TYPES)
    size = InputEntry("size", "int64", rank=1)
    mul = [Body("(self, other) => (y) { y = Mul(self, other) }", admits=("float", "float16"))]
    library.add("mul", mul, inputs=["self", "other"], types=("float", "float16"))
    integers = OutputEntry("y", "int64")
    dtype = AttributeEntry("dtype", "INT", True)
    admits = ("bool", "int8", "int32", "float")
    convert = [Body("<dtype>(a) => (y) { y = Cast<to: int = @dtype>(a) }", admits=admits)]
    library.add("convert", convert, inputs=["a"], outputs=[integers], attributes=[dtype], types=admits)
    library.add("view", "(self, size) => (y) { y = Reshape(self, size) }", inputs=["self", size])
    dim = AttributeEntry("dim", "INT", True)
    library.add("sym_size", _SIZE, inputs=["self"], attributes=[dim], outputs=[OutputEntry("size", "int64")])
    implements = {
        "add": ImplementsEntry("aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"),
        "sum": ImplementsEntry(
            "aten::sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
            forms=(("dim", "all_axes"),),
            promotion=(("T", "summed"),),
            lifts=True,
        ),
        "convert": ImplementsEntry(
            "prims::convert_element_type(Tensor a, ScalarType dtype) -> Tensor", promotion=(("T", "a"),)
        ),
        "mul": ImplementsEntry(
            "aten::mul.Tensor(Tensor self, Tensor other) -> Tensor",
            promotion=(("T", "float"),),
        ),
        "sym_size": ImplementsEntry("aten::sym_size.int(Tensor self, int dim) -> SymInt"),
        "view": ImplementsEntry("aten::view(Tensor(a) self, SymInt[] size) -> Tensor(a)"),
    }
    made = library.bundle()
    functions = tuple(
        replace(item, implements=implements[item.name], deprecated=deprecated) for item in made.index.functions
    )
    return replace(made, index=replace(made.index, functions=functions))


@pytest.fixture
def known() -> Registry:
    return make_registry([_library("opwright-aten", "opwright.aten")])


class Recorded:
    """The nodes of calls on inputs of a graph."""

    def __init__(self, known: Registry) -> None:
        self.known = known
        self.nodes: list[ir.Node] = []
        self.inputs: list[ir.Value] = []

    def tensor(self, name: str, element: int, shape: Sequence[int | str]) -> ir.Value:
        value = ir.Value(name=name, type=ir.TensorType(ir.DataType(element)), shape=ir.Shape(shape))
        self.inputs.append(value)
        return value

    def call(self, operator: str, *args: Any, **kwargs: Any) -> ir.Value:
        found = self.known[operator]
        given, named = with_element_types(found.binding, args, kwargs)
        wanted = [BY_CODE[self.expected]]
        result: ir.Value = OperatorNodes(self.nodes.append, ir.Value).call(found, given, named, wanted)[0]
        return result

    def model(self, result: ir.Value) -> ir.Model:
        result.name = "result"
        imports = {"": 18, "opwright.aten": 1}
        graph = ir.Graph(self.inputs, [result], nodes=self.nodes, opset_imports=imports, name="g")
        return ir.Model(graph, ir_version=10)

    def run(self, result: ir.Value, **feeds: Any) -> np.ndarray[Any, Any]:
        made: ir.Model = link(self.model(result))
        proto = ir.to_proto(made)
        proto.graph.output[0].CopyFrom(helper.make_tensor_value_info("result", self.expected, self.shape))
        return run_everywhere(proto, **feeds)[0]

    expected = 1
    shape: tuple[str, ...] = ()


def test_numbers_and_tensors_of_rank_0_do_not_decide(known: Registry) -> None:
    made = Recorded(known)
    x = made.tensor("x", 1, [2])
    made.shape = ("n",)
    result = made.call("aten::add.Tensor", x, made.tensor("y", 7, [2]), alpha=2)
    assert [node.op_type for node in made.nodes] == ["Cast", "Constant", "add"]
    assert made.run(result, x=np.ones(2, np.float32), y=np.array([1, 2])).tolist() == [3, 5]


def test_a_default_is_left_out(known: Registry) -> None:
    made = Recorded(known)
    x = made.tensor("x", 1, [2])
    made.call("aten::add.Tensor", x, 3, alpha=1)
    assert [node.op_type for node in made.nodes] == ["Constant", "add"]
    constant = made.nodes[0].attributes["value"].value
    assert (constant.dtype, constant.numpy().tolist()) == (ir.DataType.FLOAT, 3.0)
    assert len(made.nodes[-1].inputs) == 2


def test_a_scalar_is_lifted_and_integers_are_summed_as_int64(known: Registry) -> None:
    made = Recorded(known)
    made.expected = 7
    x = made.tensor("x", 6, [])
    result = made.call("aten::sum.dim_IntList", x, [0])
    assert [node.op_type for node in made.nodes if node.op_type != "Constant"] == ["Cast", "Reshape", "sum"]
    assert made.run(result, x=np.array(3, np.int32)).tolist() == 3


@pytest.mark.parametrize("narrow", [9, 3])
@pytest.mark.parametrize("converted", [False, True])
def test_narrow_integers_are_summed_in_double(known: Registry, narrow: int, converted: bool) -> None:
    made = Recorded(known)
    made.expected = 7
    x = made.tensor("x", narrow, [2, 3])
    wide = made.call("prims::convert_element_type", x, ir.DataType.INT64) if converted else x
    wide.dtype, wide.shape = ir.DataType(7 if converted else narrow), x.shape
    result = made.call("aten::sum.dim_IntList", wide, None)
    names = [node.op_type for node in made.nodes]
    assert names == [*(["convert"] if converted else []), "Cast", "sum", "Cast"]
    assert made.nodes[-3].inputs[0] is x  # the conversion to int64 need not run
    assert made.nodes[-3].attributes["to"].value == 11
    array = np.array([[1, 0, 1], [1, 1, 0]], {9: bool, 3: np.int8}[narrow])
    assert made.run(result, x=array).tolist() == 4


def test_integers_that_were_converted_twice_are_those_they_were_first(known: Registry) -> None:
    made = Recorded(known)
    made.expected = 7
    x = made.tensor("x", 9, [2, 3])
    cast = ir.Node("", "Cast", [x], [ir.AttrInt64("to", 6)])
    made.nodes.append(cast)
    cast.outputs[0].dtype, cast.outputs[0].shape = ir.DataType.INT32, x.shape
    wide = made.call("prims::convert_element_type", cast.outputs[0], ir.DataType.INT64)
    wide.dtype, wide.shape = ir.DataType.INT64, x.shape
    result = made.call("aten::sum.dim_IntList", wide, None)
    assert [node.op_type for node in made.nodes] == ["Cast", "convert", "Cast", "sum", "Cast"]
    assert made.nodes[2].inputs[0] is x
    assert made.run(result, x=np.array([[1, 0, 1], [1, 1, 0]], bool)).tolist() == 4


@pytest.mark.parametrize(("narrow", "wide"), [(6, 7), (1, 7)])
def test_what_double_may_not_hold_is_summed_as_int64(known: Registry, narrow: int, wide: int) -> None:
    made = Recorded(known)
    made.expected = 7
    x = made.call("prims::convert_element_type", made.tensor("x", narrow, [2, 3]), ir.DataType(wide))
    x.dtype, x.shape = ir.DataType(wide), ir.Shape([2, 3])
    made.call("aten::sum.dim_IntList", x, None)
    assert [node.op_type for node in made.nodes] == ["convert", "sum"]


def test_the_type_that_is_asked_for_is_cast_to(known: Registry) -> None:
    made = Recorded(known)
    x = made.tensor("x", 6, [2, 3])
    made.expected = 11
    result = made.call("aten::sum.dim_IntList", x, None, dtype=ir.DataType.DOUBLE)
    assert made.nodes[0].attributes["to"].value == 11
    assert made.run(result, x=np.ones((2, 3), np.int32)).tolist() == 6.0


def test_a_result_in_float_is_cast_back(known: Registry) -> None:
    made = Recorded(known)
    x = made.tensor("x", 10, [2])
    made.expected, made.shape = 10, ("n",)
    result = made.call("aten::mul.Tensor", x, 1 << 20)
    assert [node.op_type for node in made.nodes] == ["Cast", "Constant", "mul", "Cast"]
    assert made.run(result, x=np.array([0, 2**-5], np.float16)).tolist() == [0, 2**15]


def test_numbers_of_python_are_float(known: Registry) -> None:
    made = Recorded(known)
    nodes = OperatorNodes(made.nodes.append, ir.Value)
    result = nodes.float_number(known["aten::view"], [made.tensor("x", 10, [1]), []], {})
    assert [node.op_type for node in made.nodes] == ["Constant", "view", "Cast"]
    assert result.dtype == ir.DataType.FLOAT
    with pytest.raises(DiagnosticError, match="OW686") as caught:
        nodes.float_number(known["aten::view"], [made.tensor("y", 11, [1]), []], {})
    assert caught.value.diagnostics[0].reason == "the exporter takes numbers as float, and this one is a double"


def test_no_type_is_minus_one_to_the_exporter(known: Registry) -> None:
    made = Recorded(known)
    made.call("aten::sum.dim_IntList", made.tensor("x", 1, [2]), [0], dtype=-1)
    assert [node.op_type for node in made.nodes] == ["sum"]


def test_sizes_that_are_computed_are_joined_with_numbers(known: Registry) -> None:
    made = Recorded(known)
    x, n = made.tensor("x", 1, ["n", 4]), made.tensor("n", 7, [])
    made.shape = ("a", "b", "c", "d")
    result = made.call("aten::view", x, [2, 1, n, -1])
    assert [node.op_type for node in made.nodes] == ["Constant", "Constant", "Reshape", "Constant", "Concat", "view"]
    assert made.run(result, x=np.zeros((3, 4), np.float32), n=np.array(3)).shape == (2, 1, 3, 2)


@pytest.mark.parametrize(
    ("dim", "ends"), [(0, {"start": 0, "end": 1}), (-2, {"start": -2, "end": -1}), (-1, {"start": -1})]
)
def test_sizes_of_tensors_are_joined_as_lists(known: Registry, dim: int, ends: dict[str, int]) -> None:
    made = Recorded(known)
    x = made.tensor("x", 1, ["n", "m"])
    made.expected, made.shape = 7, ()
    size = made.call("aten::sym_size.int", x, dim)
    size.dtype, size.shape = ir.DataType.INT64, ir.Shape([])
    made.expected, made.shape = 1, ("a", "b")
    result = made.call("aten::view", x, [-1, size])
    assert [node.op_type for node in made.nodes] == ["sym_size", "Constant", "Shape", "Concat", "view"]
    assert {name: item.value for name, item in made.nodes[2].attributes.items()} == ends
    found = made.run(result, x=np.zeros((3, 4), np.float32)).shape
    assert found == ((3, 4) if dim == -1 else (4, 3))


@pytest.mark.parametrize(
    ("operator", "args", "reason"),
    [
        ("aten::add.Tensor", ["x"], "`other` of aten::add.Tensor is not given"),
        ("aten::add.Tensor", ["x", "x", "x"], "takes 2 arguments by position"),
        ("aten::sum.dim_IntList", ["x", [2]], "there is no dimension 2 among 1"),
        ("aten::sum.dim_IntList", ["x", [0, -1]], "a dimension is given twice"),
        ("aten::sum.dim_IntList", ["x", [0], True], "`keepdim` is True, and the function serves False alone"),
        ("aten::view", ["i", [1]], "its result is int32, and the function would give float"),
    ],
)
def test_what_is_not_served_is_said(known: Registry, operator: str, args: list[Any], reason: str) -> None:
    made = Recorded(known)
    made.expected = 6 if "i" in args else 1
    tensors = {"x": made.tensor("x", 1, [2]), "i": made.tensor("i", 6, [2])}
    with pytest.raises(DiagnosticError) as caught:
        made.call(operator, *(tensors.get(item, item) if isinstance(item, str) else item for item in args))
    (found,) = caught.value.diagnostics
    assert found.code == "OW686" and reason in found.reason, found
    assert made.nodes == []


def test_the_first_library_counts_and_ours_comes_last() -> None:
    ours, theirs = _library("opwright-aten", "opwright.aten"), _library("acme-ops", "com.acme")
    other = _library("other-ops", "com.other")
    for given in ([ours, theirs, other], [theirs, ours, other]):
        assert {item.domain for item in make_registry(given).values()} == {"com.acme"}
    assert make_registry([other, theirs])["aten::view"].domain == "com.other"
    with pytest.raises(DiagnosticError, match="OW685"):
        make_registry([ours, _library("old-ops", "com.old", deprecated=True)])


def test_a_version_that_implements_another_operator_takes_none_away() -> None:
    bundle = _library("first", "com.first")
    entry = next(item for item in bundle.index.functions if item.name == "add")
    assert entry.implements is not None
    other = replace(entry.implements, schema=entry.implements.schema.replace("aten::", "acme::"))
    later = replace(entry, since_version=2, implements=other)
    known = make_registry([replace(bundle, index=replace(bundle.index, functions=(entry, later)))])
    assert sorted((name, item.function.since_version) for name, item in known.items()) == [
        (other.schema.partition("(")[0], 2),
        (entry.implements.schema.partition("(")[0], 1),
    ]


def test_names_of_one_group_are_not_alike_for_that(known: Registry) -> None:
    entropy = Registry({"aten::special_entr": known["aten::view"], "aten::special_ndtr": known["aten::view"]})
    assert entropy.unknown("aten::special_ndtri", None).help.endswith("implemented: aten::special_ndtr")
    assert "aten::view" in known.unknown("aten::special_views", None).help


def test_an_unknown_operator_has_neighbours(known: Registry) -> None:
    found = known.unknown("aten::add.Scalar", None)
    assert found.code == "OW684" and "aten::add.Tensor" in found.help
    assert "aten::view" in known.unknown("aten::view.dtype", None).help
    for name in ("aten::gcd", "aten::lerp.Tensor", "aten::sub.Tensor"):  # like others in what all names have
        assert "write a function" in known.unknown(name, None).help
    names = ["aten::add.Tensor", "aten::mul.Tensor", "aten::sum.dim_IntList", "aten::sym_size.int", "aten::view"]
    names.append("prims::convert_element_type")
    assert sorted(known) == names and len(known) == len(names)
