"""Operators that were written for another opset than the function is compiled for.

`op.Softmax` means the Softmax of the opset that the source names. Where the target opset has another version, the
reviewed table of changes (`opsets/steps.py`) decides: the call stands as it is, is rewritten, or is refused (OW212
where the target's version would take it all the same and mean another thing, OW222 where it would not). Nodes of a
model's graph that becomes part of a body are such calls too.
A question about `op.version` says for which opsets the code under it is written.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from functools import cache

from opwright.diagnostics.diagnostic import Choice
from opwright.lang import ir
from opwright.lang.lower.nodes.primitives import Writer
from opwright.lang.lower.rules import lower_expression
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.state.poison import Poisoned
from opwright.lang.meaning.objects import OpsetObject
from opwright.lang.meaning.operands import Environment, Operand, is_tensor
from opwright.lang.meaning.static import is_int
from opwright.lang.text.grammar import certain
from opwright.lang.text.source import Span
from opwright.opsets.signatures import Option, Signature, history, last_opset, signature
from opwright.opsets.steps import take_step_down, take_step_up
from opwright.opsets.version_rules import Value

Asked = tuple[int, int]  # the first and the last opset for which code is written
_MOST_ELEMENTS = 64  # of an input that becomes an attribute: axes, one for each dimension
_TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt,
    ast.LtE: ast.GtE,
    ast.Gt: ast.Lt,
    ast.GtE: ast.LtE,
    ast.Eq: ast.Eq,
}
_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE,
    ast.LtE: ast.Gt,
    ast.Gt: ast.LtE,
    ast.GtE: ast.Lt,
    ast.NotEq: ast.Eq,
}


def meant_signature(low: Lowering, opset: OpsetObject, found: Signature) -> Signature:
    """The operator as the source means it; `found` is the target opset's."""
    written = low.written_for(opset)
    low.target.looked_up.note_written(found.name, written)
    return found if written == low.target.bare_opset else _meant(found, written)


def is_meant(low: Lowering, opset: OpsetObject, name: str) -> bool:
    """Whether an operator of ai.onnx is the same version where it is written and where it is compiled for."""
    written = low.written_for(opset)
    if not low.is_the_only_opset(opset):
        return False
    low.target.looked_up.note_written(name, written)
    return written == low.target.bare_opset or _same_version(name, written, low.target.bare_opset)


@cache
def _same_version(name: str, written: int, opset: int) -> bool:
    found = signature("", name, opset)
    return found is None or _meant(found, written).since_version == found.since_version


@cache
def _meant(found: Signature, written: int) -> Signature:
    """An operator that the written opset has not yet is that of the first one that has it."""
    first = history("", found.name)[0]
    return signature("", found.name, max(written, first)) or found


def fit_call(
    low: Lowering,
    meant: Signature,
    found: Signature,
    inputs: Sequence[ir.Value | None],
    attributes: Mapping[str, ir.Attribute],
    outputs: int,
    span: Span,
    callee_span: Span,
) -> tuple[list[ir.Value | None], dict[str, ir.Attribute]]:
    """The inputs and attributes of a call of `meant` as those of `found`. Refuses others by OW212 or OW222."""
    form = CallForm(low, span, list(inputs), dict(attributes), outputs)
    reason = form.bring(meant, found)
    if not reason:
        return form.values, form.attributes
    down, passed = found.since_version < meant.since_version, _passed(meant, found)
    silent = _takes(found, meant, inputs, attributes)
    last = last_opset("", meant.name, meant.since_version)
    opsets = f"opset {last}" if last == meant.since_version else f"one of the opsets {meant.since_version} to {last}"
    what = "means, or may mean, another thing" if silent else "cannot be had"
    target = low.target.bare_opset
    raise low.error(
        "OW212" if silent else "OW222",
        f"{meant.name} {what} at opset {target}",
        callee_span,
        reason=f"it is written for {meant.identity}, and the version there is {found.identity}: {reason}",
        help=f"ask `if op.version < {max(passed) if down else min(passed)}:` and write a form for each side, compile "
        f"for {opsets}, or write it for opset {target}: `from opwright import opset{target} as op`",
        subject=meant.name,
        depends_on=Choice.WRITTEN_FOR if silent else Choice.WRITTEN_FOR | Choice.OPSET,
    )


def _takes(
    found: Signature, meant: Signature, inputs: Sequence[ir.Value | None], attributes: Mapping[str, ir.Attribute]
) -> bool:
    """Whether the target's version takes a call as it is written, so that only its meaning would tell the two apart."""
    if len(inputs) > len(found.inputs) and not found.variadic:
        return False
    for index, formal in enumerate(found.inputs):
        if formal.option is Option.REQUIRED and (index >= len(inputs) or inputs[index] is None):
            return False
    kinds = {name: found.attributes[name].kind for name in attributes if name in found.attributes}
    return kinds == {name: meant.attributes[name].kind for name in attributes}


def _passed(one: Signature, other: Signature) -> list[int]:
    """The versions of an operator of ai.onnx that lie between two of them, and the newer one of the two."""
    first, last = sorted((one.since_version, other.since_version))
    return [version for version in history("", one.name) if first < version <= last]


class CallForm:
    """A call as `opsets/steps.py` takes it."""

    model: None = None  # it stays one call

    def __init__(
        self,
        low: Lowering,
        span: Span,
        values: list[ir.Value | None],
        attributes: dict[str, ir.Attribute],
        outputs: int,
    ) -> None:
        self.values = values
        self.attributes = attributes
        self._low = low
        self._span = span
        self._outputs = outputs

    def bring(self, meant: Signature, found: Signature) -> str:
        """Makes a call of one version of an operator of ai.onnx one of another; why it cannot be."""
        down, passed = found.since_version < meant.since_version, _passed(meant, found)
        for version in reversed(passed) if down else passed:
            newer, older = signature("", found.name, version), signature("", found.name, version - 1)
            assert newer is not None and older is not None
            written = meant.since_version
            reason = take_step_down(self, newer, older) if down else take_step_up(self, older, newer, written)
            if reason:
                return reason
        return ""

    @property
    def inputs(self) -> int:
        return len(self.values)

    @property
    def outputs(self) -> int:
        return self._outputs

    def element(self, index: int) -> str | None:
        type_ = self._type(index)
        element = None if type_ is None else type_.known_element
        return None if element is None else element.name

    def rank(self, index: int) -> int | None:
        shape = self.shape(index)
        return None if shape is None else len(shape)

    def shape(self, index: int) -> tuple[object, ...] | None:
        type_ = self._type(index)
        return None if type_ is None else type_.shape

    def _type(self, index: int) -> ir.TensorType | None:
        value = self.values[index] if index < len(self.values) else None
        return value.type if value is not None and is_tensor(value) else None

    def has_input(self, index: int) -> bool:
        return index < len(self.values) and self.values[index] is not None

    def given(self) -> tuple[str, ...]:
        return tuple(self.attributes)

    def value(self, name: str, default: Value | None = None) -> Value | None:
        found = self.attributes.get(name)
        if found is None:
            return default
        return found.literal

    def constant(self, index: int) -> tuple[int, ...] | None:
        value = self.values[index] if index < len(self.values) else None
        data = None if value is None else self._low.contents.get(value)
        if data is None or data.packed is None or data.element.name not in ("int32", "int64"):
            return None
        size, packed = data.element.bits // 8, data.packed
        if len(data.dims) > 1 or len(packed) > size * _MOST_ELEMENTS:
            return None
        starts = range(0, len(packed), size)
        return tuple(int.from_bytes(packed[start : start + size], "little", signed=True) for start in starts)

    def reference(self, index: int) -> str | None:
        return None  # a list of the caller's may be empty

    def drop(self, name: str) -> None:
        self.attributes.pop(name, None)

    def set_attribute(self, name: str, value: Value) -> None:
        self.attributes[name] = ir.AttributeValue(_kind(value), value)

    def set_reference(self, name: str, referred: str) -> None:
        self.attributes[name] = ir.AttributeReference(referred, ir.AttributeKind.INTS)

    def drop_inputs(self, first: int) -> None:
        del self.values[first:]
        while self.values and self.values[-1] is None:
            self.values.pop()

    def set_integers(self, index: int, values: tuple[int, ...]) -> None:
        self.values += [None] * (index + 1 - len(self.values))
        self.values[index] = Writer(self._low, self._span).int64s(values)


def _kind(value: Value) -> ir.AttributeKind:
    if not isinstance(value, tuple):
        return _KINDS[type(value)]
    return _KINDS_OF_LISTS.get(frozenset(_KINDS[type(item)] for item in value), ir.AttributeKind.FLOATS)


_KINDS: dict[type, ir.AttributeKind] = {
    bool: ir.AttributeKind.INT,
    float: ir.AttributeKind.FLOAT,
    int: ir.AttributeKind.INT,
    str: ir.AttributeKind.STRING,
}
_KINDS_OF_LISTS = {
    frozenset[ir.AttributeKind](): ir.AttributeKind.INTS,
    frozenset((ir.AttributeKind.INT,)): ir.AttributeKind.INTS,
    frozenset((ir.AttributeKind.STRING,)): ir.AttributeKind.STRINGS,
}


def refuse_second_opset(low: Lowering, version: int, name: str, span: Span) -> Poisoned:
    function = low.call_frame.function
    return low.error(
        "OW213",
        f"{name} is of opset {version}, another operator of opset {low.target.named[function]}",
        span,
        reason="a function is written for one opset of ai.onnx: it imports one version of the domain",
        help=f"use opset {low.target.named[function]} for all of them, or move one into a function of its own",
        subject=name,
        depends_on=Choice.WRITTEN_FOR,
    )


# -------------------------------------------------------------------------------------------- op.version


def asked(low: Lowering, test: ast.expr, outcome: bool, env: Environment) -> Asked:
    """For which opsets code is written that runs where `test`, a static condition, has that outcome."""
    first, last = low.target.asked
    for node, truth in certain(test, outcome):
        compared = _of_version(low, node, truth, env) if isinstance(node, ast.Compare) and len(node.ops) == 1 else None
        if compared is None:
            continue
        kind, number = compared
        if kind in (ast.Gt, ast.GtE, ast.Eq):
            first = max(first, number + (kind is ast.Gt))
        if kind in (ast.Lt, ast.LtE, ast.Eq):
            last = min(last, number - (kind is ast.Lt))
    return first, last


def _of_version(low: Lowering, node: ast.Compare, truth: bool, env: Environment) -> tuple[type[ast.cmpop], int] | None:
    """What a comparison of `op.version` with a number says: the comparison that holds, and the number."""
    left, sign, right = node.left, node.ops[0], node.comparators[0]
    kind: type[ast.cmpop] | None = type(sign) if truth else _OPPOSITE.get(type(sign))
    owner, other = versioned(left), right
    if owner is None:
        owner, other, kind = versioned(right), left, _TURNED.get(kind) if kind is not None else None
    if kind not in _TURNED or owner is None or not isinstance(other, (ast.Constant, ast.Name)):
        return None
    opset: Operand = lower_expression(low, owner, env)
    number: Operand = lower_expression(low, other, env)
    if not isinstance(opset, OpsetObject) or opset.domain or not is_int(number):
        return None
    return kind, number


def versioned(node: ast.expr) -> ast.expr | None:
    """What `owner.version` may ask for the version of an opset; None of any other expression."""
    return node.value if isinstance(node, ast.Attribute) and node.attr == "version" else None
