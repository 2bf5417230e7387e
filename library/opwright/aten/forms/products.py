"""Products of tensors: equations for ONNX's Einsum, and dimensions of Kronecker products.

An equation has a letter for each dimension; those that the result has not are summed over.
"""

from __future__ import annotations

import string
from typing import Any

from opwright.aten.forms.call_shape import CallShape, NoForm, axis_of
from opwright.aten.forms.list_items import paired

_LETTERS = string.ascii_lowercase + string.ascii_uppercase


def inner_equation(value: Any, call: CallShape) -> str:
    """The equation of sums of products along the last dimensions of `self` and `other`: `ab,ABb->aAB` for ranks 2 and
    3. Products alone where one has rank 0."""
    first, second = _letters(call, "self"), _letters(call, "other", 26)
    if not first or not second:
        return f"{first},{second}->{first}{second}"
    return f"{first},{second[:-1]}{first[-1]}->{first[:-1]}{second[:-1]}"


def tensordot_equation(value: Any, call: CallShape) -> str:
    """The equation of sums of products along the dimensions `dims_self` of `self` and `dims_other` of `other`, pair by
    pair: `abc,cb->a` for `[1, 2]` and `[1, 0]` of ranks 3 and 2."""
    first, second = _letters(call, "self"), [*_letters(call, "other", 26)]
    summed, others = (
        [axis_of(item, len(letters)) for item in call.values[name]]
        for name, letters in (("dims_self", first), ("dims_other", second))
    )
    if summed and not (first and second):
        raise NoForm("a tensor of rank 0 has no dimension to sum over")
    for place, other in paired(summed, others):
        second[other] = first[place]
    kept = "".join(letter for place, letter in enumerate(first) if place not in summed)
    rest = "".join(letter for place, letter in enumerate(second) if place not in others)
    return f"{first},{''.join(second)}->{kept}{rest}"


def trilinear_equation(value: Any, call: CallShape) -> str:
    """The equation of sums along `sumdim` of products of `i1`, `i2` and `i3`, which get new dimensions `expand1`,
    `expand2` and `expand3` before: `bc,ac,ab->ab`. Refused where the ranks differ then, or all three have the same new
    dimension."""
    factors = []
    rank = len(_letters(call, "i1")) + len(call.values["expand1"])
    for number in ("1", "2", "3"):
        new = [axis_of(item, rank) for item in call.values[f"expand{number}"]]
        factors.append("".join(_LETTERS[place] for place in range(rank) if place not in new))
        if len(factors[-1]) != len(_letters(call, f"i{number}")):
            raise NoForm(f"`i{number}` is of another rank than the others")
    summed = [axis_of(item, rank) for item in call.values["sumdim"]]
    present = {*"".join(factors)}
    kept = [_LETTERS[place] for place in range(rank) if place not in summed]
    if any(letter not in present for letter in kept):
        raise NoForm("a dimension is new in all of them")
    return f"{','.join(factors)}->{''.join(kept)}"


def without_ellipses(value: Any, call: CallShape) -> str:
    """An equation with letters, which match from the right, for ellipses that ONNX's Einsum does not take: where they
    stand for different numbers of dimensions in `tensors`, and where the result has none. `...i,...j->...ij` gives
    `abi,bj->abij` for ranks 3 and 2. Others are unchanged, and all where a rank is not known. Refused where such a
    dimension may have size 1 in one tensor alone."""
    terms, arrow, result = value.replace(" ", "").partition("->")
    factors = terms.split(",")
    shapes = {
        place: (len(term.replace("...", "")), term.index("..."), call.named_sizes_of(tensor))
        for place, (term, tensor) in enumerate(zip(factors, call.values["tensors"], strict=False))
        if "..." in term
    }
    parts = {
        place: sizes[start : len(sizes) - letters + start]
        for place, (letters, start, sizes) in shapes.items()
        if sizes is not None
    }
    is_taken = len({len(sizes) for sizes in parts.values()}) == 1 and (not arrow or "..." in result)
    if is_taken or not parts or len(parts) < len(shapes):
        return str(value)
    most = max(map(len, parts.values()))
    new = "".join([letter for letter in _LETTERS if letter not in value][:most])
    if len(new) < most:
        raise NoForm(f"its ellipses stand for {most} dimensions, and there are {len(new)} letters left for them")
    for place in range(1, most + 1):
        found = {sizes[-place] for sizes in parts.values() if place <= len(sizes)}
        if 1 in found and len(found) > 1:  # shape inference takes the size of the first tensor
            raise NoForm(
                "its ellipses stand for different numbers of dimensions, of which one has size 1 in one tensor"
            )
    if not arrow:  # letters that stand once, in their order
        result = "..." + "".join(letter for letter in sorted({*terms} - {*".,"}) if terms.count(letter) == 1)
    named = (term.replace("...", new[most - len(parts.get(place, new)) :]) for place, term in enumerate(factors))
    return f"{','.join(named)}->{result.replace('...', new)}"


def sums_one_tensor(equation: str) -> bool:
    """Whether an equation sums over a dimension of a single tensor: `ij->i`, and not `ij->ji`."""
    term, arrow, result = equation.replace(" ", "").partition("->")
    if "," in term:
        return False
    if not arrow:
        return any(term.count(letter) > 1 for letter in term if letter != ".")
    return any(letter not in result for letter in term)


def kron_axes(value: Any, call: CallShape) -> list[int] | None:
    """The new dimensions of `self` or `other` in their Kronecker product, a product in which dimensions of both
    alternate: after each dimension of `self`, before each of `other`, and in front for those that one has fewer than
    the other. `[1, 3]` and `[0, 1, 2]` for ranks 2 and 1; None if there are none."""
    own, rank = _rank(call, value), max(_rank(call, call.values[name]) for name in ("self", "other"))
    is_first = call.argument.name == "self"
    beside = [2 * place + is_first for place in range(rank)]
    front = [2 * place + (not is_first) for place in range(rank - own)]
    return sorted([*beside, *front]) or None


def _letters(call: CallShape, name: str, start: int = 0) -> str:
    """A letter for each dimension of an argument, from that place of the letters."""
    return _LETTERS[start : start + _rank(call, call.values[name])]


def _rank(call: CallShape, tensor: Any) -> int:
    sizes = call.sizes_of(tensor)
    if sizes is None:
        raise NoForm("the rank of a tensor is not known")
    if len(sizes) > 26:
        raise NoForm(f"a tensor has {len(sizes)} dimensions, and there are 26 letters for them")
    return len(sizes)


def solves_vectors(value: Any, call: CallShape) -> bool:
    """Whether the right sides `B` of systems of linear equations are vectors: of rank 1, or of the sizes of `A` without
    the last one. Refused where that depends on sizes which are not known."""
    matrices, sides = (call.facts_of(call.values[name]) for name in ("A", "B"))
    if matrices is None or sides is None or matrices.sizes is None or sides.sizes is None:
        raise NoForm("the rank of a tensor is not known")
    if len(sides.sizes) == 1 or len(sides.sizes) != len(matrices.sizes) - 1:
        return len(sides.sizes) == 1
    pairs = [*zip(matrices.named_sizes or (), sides.named_sizes or (), strict=False)]
    if any(isinstance(one, int) and isinstance(other, int) and one != other for one, other in pairs):
        return False
    if any(one is None or one != other for one, other in pairs):
        raise NoForm("sizes that are not known decide whether the right sides are vectors")
    return True
