"""Forms of products of tensors, attention, recurrent networks and spectra."""

from __future__ import annotations

import string
from typing import Any

import numpy as np
import pytest
from opwright.aten.forms.call_shape import NoForm
from opwright.aten.forms.form_table import FORMS
from opwright.aten.forms.products import sums_one_tensor
from opwright.aten.operator_schema import Argument
from opwright.aten.tensor_facts import Facts
from opwright.elements import BY_NAME

from tests.aten.form_calls import COMPUTED, call_shape, counted, formed, tensor


def test_equations_of_sums_of_products() -> None:
    pair = {"self": (2, 3, 4), "other": (4, 3)}
    assert formed("tensordot_equation", [1, 2], **pair, dims_self=[1, -1], dims_other=[1, 0]) == "abc,cb->a"
    assert formed("inner_equation", None, self=(2, 4), other=(3, 5, 4)) == "ab,ABb->aAB"
    new = {"expand1": [0], "expand2": [1], "expand3": [2], "sumdim": [-1]}
    factors = {"i1": (3, 4), "i2": (2, 4), "i3": (2, 3)}
    assert formed("trilinear_equation", [2], **factors, **new) == "bc,ac,ab->ab"


@pytest.mark.parametrize(("first", "second"), [((2, 4), (3, 5, 4)), ((4,), (4,)), ((), (2, 3)), ((2,), ()), ((), ())])
def test_inner_products_are_those_of_numpy(first: tuple[int, ...], second: tuple[int, ...]) -> None:
    x, y = counted(*first), counted(*second)
    np.testing.assert_array_equal(np.einsum(formed("inner_equation", None, self=x, other=y), x, y), np.inner(x, y))


@pytest.mark.parametrize(
    ("equation", "shapes", "made"),
    [
        ("...i,...j->...ij", [(2, 3, 4), (3, 5)], "abi,bj->abij"),
        ("...a, ...b", [(2, 3, 4), (5,)], "cda,b->cdab"),
        ("b...i,ij->bj", [(2, 3, 4), (4, 5)], "bai,ij->bj"),
        ("...->", [(2, 3)], "ab->"),
        ("...i->...", [(2, 3)], "...i->..."),
        ("...i,...i", [(2, 3), (1, 3)], "...i,...i"),
        ("ij,jk", [(2, 3), (3, 4)], "ij,jk"),
    ],
)
def test_ellipses_that_einsum_of_onnx_does_not_take(equation: str, shapes: list[Any], made: str) -> None:
    assert formed("without_ellipses", equation, tensors=shapes) == made
    if "->" not in equation or "..." in equation.partition("->")[2]:  # numpy takes no others
        arrays = [counted(*shape) for shape in shapes]
        np.testing.assert_array_equal(np.einsum(made, *arrays), np.einsum(equation, *arrays))


def test_ellipses_of_unknown_ranks_and_sizes() -> None:
    assert formed("without_ellipses", "...i,...j->...ij", tensors=[(2, 3, 4), None]) == "...i,...j->...ij"
    named = [tensor((2, None, 4), symbols=("2", "n", "4")), tensor((None, 5), symbols=("n", "5"))]
    assert formed("without_ellipses", "...i,...j->...ij", tensors=named) == "abi,bj->abij"


@pytest.mark.parametrize(
    ("equation", "sums"),
    [("ij->", True), ("ij->i", True), ("ii", True), ("...i->...", True), ("ij->ji", False), ("ij", False)],
)
def test_equations_that_sum_one_tensor(equation: str, sums: bool) -> None:
    assert sums_one_tensor(equation) is sums
    assert not sums_one_tensor(f"{equation.partition('->')[0]},k->k")


@pytest.mark.parametrize("dims", [([1, -1], [1, 0]), ([], []), ([2], [-2])])
def test_products_along_dimensions_are_those_of_numpy(dims: tuple[list[int], list[int]]) -> None:
    x, y = counted(2, 3, 4), counted(4, 3)
    equation = formed("tensordot_equation", dims[0], self=x, other=y, dims_self=dims[0], dims_other=dims[1])
    np.testing.assert_array_equal(np.einsum(equation, x, y), np.tensordot(x, y, dims))


@pytest.mark.parametrize(
    ("form", "values", "reason"),
    [
        ("inner_equation", {"self": None, "other": (3,)}, "the rank of a tensor is not known"),
        ("inner_equation", {"self": (1,) * 27, "other": (3,)}, "a tensor has 27 dimensions"),
        ("tensordot_equation", {"self": (3,), "other": (3,), "dims_self": [0], "dims_other": []}, "1 items beside 0"),
        ("tensordot_equation", {"self": (3,), "other": (3,), "dims_self": [1], "dims_other": [0]}, "no dimension 1"),
        (
            "tensordot_equation",
            {"self": (), "other": (), "dims_self": [0], "dims_other": [0]},
            "rank 0 has no dimension",
        ),
    ],
)
def test_products_that_are_refused(form: str, values: dict[str, Any], reason: str) -> None:
    with pytest.raises(NoForm, match=reason):
        formed(form, None, **values)


@pytest.mark.parametrize(
    ("equation", "shapes", "reason"),
    [
        ("...i,...j->...ij", [(2, 1, 4), (3, 5)], "one has size 1 in one tensor"),
        ("...i,...j->...ij", [(2, None, 4), (1, 5)], "one has size 1 in one tensor"),
        (f"...{string.ascii_letters[:-1]}->", [(1,) * 53], "2 dimensions, and there are 1 letters left"),
    ],
)
def test_ellipses_that_are_refused(equation: str, shapes: list[Any], reason: str) -> None:
    with pytest.raises(NoForm, match=reason):
        formed("without_ellipses", equation, tensors=shapes)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [({"i3": (2, 3, 1)}, "`i3` is of another rank"), ({"expand2": [0], "expand3": [0]}, "new in all of them")],
)
def test_trilinear_products_that_are_refused(changed: dict[str, Any], reason: str) -> None:
    given = {"i1": (3, 4), "i2": (3, 4), "i3": (3, 4), "expand1": [0], "expand2": [1], "expand3": [2], "sumdim": [-1]}
    with pytest.raises(NoForm, match=reason):
        formed("trilinear_equation", [2], **given | changed)


@pytest.mark.parametrize(("first", "second"), [((2, 3), (4,)), ((2,), (3, 4)), ((2, 3), (4, 5)), ((), (2,)), ((), ())])
def test_kronecker_products_are_those_of_numpy(first: tuple[int, ...], second: tuple[int, ...]) -> None:
    x, y = counted(*first), counted(*second)
    given = {"self": x, "other": y}
    wide = []
    for name, item in given.items():
        made = FORMS["kron_axes"](item, call_shape(first, given, argument=Argument(name, "Tensor")))
        wide.append(np.expand_dims(item, tuple(made or ())))
    expected = np.kron(x, y)
    np.testing.assert_array_equal((wide[0] * wide[1]).reshape(np.shape(expected)), expected)


def test_weights_of_recurrent_networks() -> None:
    given = {"params": [(12, 5), (12, 4), (12,), (12,)] * 4, "num_layers": 2, "bidirectional": True, "has_biases": True}
    assert formed("weights_each", 2, **given, dropout=0.5, train=False) == 4
    assert formed("hidden_size", 2, **given) == 4
    with pytest.raises(NoForm, match="dropped"):
        formed("weights_each", 2, **given, dropout=0.5, train=True)
    projected = {"params": [(12, 5), (12, 2), (12,), (12,), (2, 3)], "num_layers": 1, "bidirectional": False}
    with pytest.raises(NoForm, match="proj_size"):
        formed("weights_each", 1, **projected, has_biases=True, dropout=0.0, train=False)
    with pytest.raises(NoForm, match="there are no layers"):
        formed("weights_each", 0, **given | {"num_layers": 0}, dropout=0.5, train=True)
    for weight in ((12, None), (), None):
        with pytest.raises(NoForm, match="the sizes of the weights are not known"):
            formed("hidden_size", 2, params=[(12, 5), weight])
    with pytest.raises(NoForm, match="it has 1 items"):
        formed("hidden_size", 2, params=[(12, 5)])


@pytest.mark.parametrize(
    ("element", "value", "size", "made"),
    [
        ("float", None, 4, 0.5),
        ("float", 0.3, 4, 0.3),
        ("float", None, None, None),
        ("float", None, 0, None),
        ("double", None, 4, None),
        ("double", 0.25, 4, 0.25),
    ],
)
def test_scales_of_attention(element: str, value: float | None, size: int | None, made: float | None) -> None:
    assert formed("attention_scale", value, query=tensor((2, 3, size), element)) == made


@pytest.mark.parametrize("value", [0.3, 1e300, -1e300])
def test_a_scale_that_float_does_not_hold_is_refused(value: float) -> None:
    with pytest.raises(NoForm, match="is no number of type float"):
        formed("attention_scale", value, query=tensor((2, 3, 4), "double"))


def test_heads_that_queries_share() -> None:
    given: dict[str, Any] = {"query": (2, 4, 5, 8), "key": (2, 2, 6, 8), "value": (2, 2, 6, 8)}
    assert formed("key_heads", True, **given) == [0, 0, 1, 1]
    assert formed("key_heads", False, **given) is None
    assert formed("key_heads", True, **given | {"key": (2, 4, 6, 8)}) is None
    for key in ((2, None, 6, 8), (2, 3, 6, 8), (2, 0, 6, 8), (6, 8), None):
        with pytest.raises(NoForm, match="numbers of heads"):
            formed("key_heads", True, **given | {"key": key})


@pytest.mark.parametrize(
    ("changed", "fits"),
    [
        ({}, True),
        ({"query": (None, 4, 5, 8)}, True),
        ({"query": (1, 4, 5, 8)}, False),
        ({"query": (2, 4, 0, 8)}, False),
        ({"query": (4, 5, 8)}, False),
        ({"query": None}, False),
        ({"key": (2, 2, 6, 8)}, False),
        ({"key": (2, 2, 6, 8), "enable_gqa": True}, True),
    ],
)
def test_sizes_that_attention_takes(changed: dict[str, Any], fits: bool) -> None:
    given: dict[str, Any] = {"query": (2, 4, 5, 8), "key": (2, 4, 6, 8), "value": (2, 4, 6, 3), "enable_gqa": False}
    call = call_shape(None, given | changed)
    assert FORMS["fits_attention"](None, call) is fits


def test_frames_of_a_signal() -> None:
    assert [formed("hop_of_frames", value, n_fft=10) for value in (None, 3)] == [2, 3]
    assert [formed("length_of_window", value, n_fft=10) for value in (None, 3)] == [10, 3]
    assert [formed("margin_of_window", value, n_fft=10) for value in (None, 10, 7)] == [None, None, 1]


def test_sizes_of_a_signal() -> None:
    assert formed("signal_sizes", [-1, 5], (2, 3, None), dim=[-2, -1]) == [3, 5]
    assert formed("signal_sizes", [COMPUTED], (2, None), dim=[-1]) == [COMPUTED]
    assert formed("signal_sizes", None, (2, 3), dim=[0]) is None
    with pytest.raises(NoForm, match="it is -1 for a dimension of unknown size"):
        formed("signal_sizes", [-1], (2, None), dim=[1])
    with pytest.raises(NoForm, match="there are 2 items beside 1"):
        formed("signal_sizes", [2, 3], (2, 3), dim=[1])


def test_half_of_a_spectrum() -> None:
    assert formed("half_spectrum", 7, (5, 4), dim=[0, -1]) == 7
    assert formed("half_spectrum", 6, (5, None), dim=[1]) == 6
    assert formed("half_spectrum", COMPUTED, (5, 4), dim=[1]) == COMPUTED
    with pytest.raises(NoForm, match="a real signal of length 8 has 5 frequencies, and 4 are given"):
        formed("half_spectrum", 8, (5, 4), dim=[1])
    with pytest.raises(NoForm, match="it has 0 items"):
        formed("half_spectrum", 8, (5, 4), dim=[])


def test_complex_tensors() -> None:
    value = Facts(BY_NAME["float"], (3,), is_complex=True)
    assert formed("pairs", value, value) is value
    assert [formed("is_complex", item) for item in (value, (3,), None)] == [True, False, False]


def test_right_sides_are_vectors_where_their_sizes_are_those_of_the_matrices_but_for_the_last() -> None:
    for sides, are_vectors in (((3,), True), ((2, 3), True), ((4, 3), False), ((2, 3, 1), False), ((3, 1), False)):
        assert formed("solves_vectors", None, A=(2, 3, 3), B=sides) == are_vectors
    assert not formed("solves_vectors", None, A=(3, 3), B=(3, 2))
    assert formed("solves_vectors", None, A=(None, 3, 3), B=(None,))
    assert not formed("solves_vectors", None, A=(None, 3, 3), B=(None, 4))
    named = tensor((None, 3, 3), symbols=("N", "3", "3"))
    assert formed("solves_vectors", None, A=named, B=tensor((None, 3), symbols=("N", "3")))
    for other in ((2, 3), tensor((None, 3), symbols=("M", "3")), tensor((None, 3), symbols=("", "3"))):
        with pytest.raises(NoForm, match="sizes that are not known decide"):
            formed("solves_vectors", None, A=named, B=other)
    with pytest.raises(NoForm, match="the rank of a tensor is not known"):
        formed("solves_vectors", None, A=None, B=(3,))
