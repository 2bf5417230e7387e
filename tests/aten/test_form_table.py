"""The table of forms, and what a form is given of a call."""

from __future__ import annotations

import inspect
import pkgutil
from importlib import import_module
from typing import Any

import pytest
from opwright.aten import forms
from opwright.aten.forms.call_shape import CallShape, NoForm, axis_of
from opwright.aten.forms.form_table import FORMS
from opwright.aten.operator_schema import Argument

from tests.aten.form_calls import COMPUTED, N, call_shape, facts_of, tensor


def defined_forms() -> dict[str, list[str]]:
    """By module, in their order, the names of the functions that have the parameters of a form."""
    found: dict[str, list[str]] = {}
    for module in pkgutil.iter_modules(forms.__path__):
        home = import_module(f"{forms.__name__}.{module.name}")
        found[module.name] = [
            name
            for name, item in vars(home).items()
            if inspect.isfunction(item)
            and item.__module__ == home.__name__
            and not name.startswith("_")
            and [*inspect.signature(item).parameters] == ["value", "call"]
        ]
    return found


def test_the_table_has_every_form_once_and_by_modules_in_their_order() -> None:
    modules = list(dict.fromkeys(form.__module__.rpartition(".")[2] for form in FORMS.values()))
    defined = defined_forms()
    assert list(FORMS) == [name for module in modules for name in defined.pop(module)]
    assert [name for names in defined.values() for name in names] == []


@pytest.mark.parametrize("form", FORMS)
def test_a_form_says_what_it_gives(form: str) -> None:
    text = inspect.getdoc(FORMS[form]) or ""
    assert text.endswith(".")
    assert "|" not in text, "the text is a cell of a table"


@pytest.mark.parametrize(("dim", "rank", "axis"), [(0, 3, 0), (-1, 3, 2), (-3, 3, 0), (0, 0, 0), (-1, 0, 0)])
def test_dimensions_count_from_the_first_one(dim: int, rank: int, axis: int) -> None:
    assert axis_of(dim, rank) == axis


@pytest.mark.parametrize(("dim", "rank"), [(3, 3), (-4, 3), (1, 0), (-2, 0)])
def test_a_dimension_that_does_not_exist_is_refused(dim: int, rank: int) -> None:
    with pytest.raises(NoForm, match=f"there is no dimension {dim} among {rank}"):
        axis_of(dim, rank)


def test_what_is_known_of_the_first_tensor() -> None:
    known = call_shape((2, None, 4))
    assert (known.sizes, known.rank, known.spatial_rank) == ((2, None, 4), 3, 1)
    assert [known.size_along(dim) for dim in (0, 1, -1)] == [2, None, 4]
    assert call_shape(()).size_along(-1) == 1
    with pytest.raises(NoForm, match="there is no dimension 3 among 3"):
        known.size_along(3)
    assert call_shape((2, 3), argument=Argument("stride", "int", is_list=True, size=2)).spatial_rank == 2
    assert [call_shape(tensor((), element)).is_double for element in ("double", "float")] == [True, False]


@pytest.mark.parametrize("first", [None, tensor(None)])
def test_a_rank_that_is_not_known(first: Any) -> None:
    known = CallShape(Argument("value", "int"), {}, facts_of, first)
    assert (known.sizes, known.size_along(5), known.is_double) == (None, None, False)
    with pytest.raises(NoForm, match="the rank of the first tensor is not known"):
        _ = known.rank


def test_what_is_known_of_other_values() -> None:
    known = call_shape()
    assert known.sizes_of((2, None)) == (2, None)
    assert str(known.element_of(tensor((), "int8"))) == "int8"
    assert [(known.sizes_of(value), known.element_of(value)) for value in (None, 3, "same")] == [(None, None)] * 3


def test_numbers_that_are_sizes_of_the_first_tensor() -> None:
    known = call_shape(tensor((None, 3, None), symbols=("N", "3", "M")))
    assert [known.is_own_size(N, place) for place in (-1, 0, 1, 2, 3)] == [False, True, False, False, False]
    assert not known.is_own_size(COMPUTED, 0)
    assert not known.is_own_size(3, 1)
    assert not call_shape((None,)).is_own_size(N, 0)
    assert not call_shape(tensor((None,), symbols=("",))).is_own_size(COMPUTED, 0)
