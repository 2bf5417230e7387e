"""What the schemas do not show of a new version of an operator: rules that rewrite a node for it, or say why not.

Records list them with the versions that they are about; `steps` takes such a step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from opwright.elements import BY_CODE, BY_NAME

Value = int | float | str | tuple[int, ...] | tuple[float, ...] | tuple[str, ...]
GREATEST = 3.4028234663852886e38  # of type float
FAR = (1 << 63) - 1  # an end behind all ends


class Form(Protocol):
    """A node on its way to another version of its operator."""

    @property
    def inputs(self) -> int:
        """How many inputs are given, absent ones included."""
        ...

    @property
    def outputs(self) -> int: ...

    def element(self, index: int) -> str | None:
        """The element type of an input; None when it is not known, not given, or not a tensor."""

    def rank(self, index: int) -> int | None:
        """The rank of an input, where it is known."""

    def shape(self, index: int) -> tuple[object, ...] | None:
        """The sizes of an input, each an int, a symbol, or None where it is not known; None without a known rank."""

    def has_input(self, index: int) -> bool: ...

    def given(self) -> tuple[str, ...]:
        """The names of the attributes that are given."""
        ...

    def value(self, name: str, default: Value | None = None) -> Value | None:
        """An attribute's value; `default` when it is not given, None when it is not known."""

    def constant(self, index: int) -> tuple[int, ...] | None:
        """The integers that an input always is."""

    def reference(self, index: int) -> str | None:
        """The attribute of the function around, a list of ints that is not empty, that an input always is."""

    def drop(self, name: str) -> None: ...

    def set_attribute(self, name: str, value: Value) -> None: ...

    def set_reference(self, name: str, referred: str) -> None:
        """Has a list of ints be that attribute of the function around."""

    def drop_inputs(self, first: int) -> None:
        """Takes away an input and those behind it, and absent ones at the end with them."""

    def set_integers(self, index: int, values: tuple[int, ...]) -> None:
        """Makes an input of a list of ints."""

    @property
    def model(self) -> ModelForm | None:
        """The node as one of a model, in whose place several may stand; None for a call in a source."""


class Replacement(Enum):
    """Nodes that together compute what one does at another version, where no single node can."""

    SLICED = "a part of what the node gives, from a start to an end"
    ZEROS = "the node where the list in its second input holds no zero, else nothing of the shape in that list"
    NOTHING = "nothing of the shape in the list in its second input"
    GROWN = "the node on the sequence in its first input with an item behind it, of the element type of that code"
    FLATTENED = "the node on a matrix that its input is flattened to at an axis, in the shape of the input"


class ModelForm(Protocol):
    """What a node of a model can become, and a call in a source cannot."""

    @property
    def goal(self) -> int:
        """The opset that the model is brought to."""
        ...

    def replace(self, how: Replacement, *values: int) -> None:
        """Puts several nodes in the place of the node, when all steps are taken; once for a node."""

    def referred(self, name: str) -> str | None:
        """The attribute of the function around, a list of ints that is not empty, that an attribute is."""

    def refer(self, index: int, referred: str) -> None:
        """Makes an input of that list, which takes opset 12."""

    def item(self, index: int) -> str | None:
        """The element type of the tensors in an input that is a sequence; None when it is none, or not known."""

    def rename(self, operator: str) -> None:
        """Makes it a node of another operator of the same domain, of the version in question."""

    def insert_input(self, index: int) -> None:
        """Makes room for an input: those from there on are one further behind."""

    def set_numbers(self, index: int, values: float | tuple[float, ...], element: str) -> None:
        """Makes an input of a number, or of a list of them."""

    def floats(self, index: int) -> tuple[float, ...] | None:
        """The numbers of 32 bits that an input always is, of whatever type of floats it is."""

    def truths(self, index: int) -> tuple[bool, ...] | None:
        """The bools that an input always is."""

    def numbers(self, name: str, element: str) -> tuple[float, ...] | None:
        """The elements of an attribute that is a tensor of that type."""

    def set_tensor(self, name: str, values: Value, element: str) -> None:
        """Makes an attribute a tensor: of rank 0, or of rank 1 for several values."""

    def yielded(self, name: str) -> Sequence[tuple[object, ...] | None]:
        """The shapes that a graph of the node gives, as `shape` has them."""
        ...

    def is_read(self, index: int) -> bool:
        """Whether anything reads an output of the node."""
        ...

    def leave_out(self, index: int) -> None:
        """Takes away an output that nothing reads."""


# A rule makes a node fit for the version on the other side, or says why it cannot.
Rule = Callable[[Form], str]


@dataclass(frozen=True, slots=True)
class Step:
    """What the schemas do not show of a step: rules for the way down and the way up, None where nothing is against it.

    `up_since`: nodes written for an older version than that never use what the rule for the way up is about.
    """

    down: Rule | None = None
    up: Rule | None = None
    up_since: int = 0


def both(rule: Rule) -> Step:
    return Step(rule, rule)


def refused(reason: str) -> Rule:
    return lambda form: reason


def in_models(rule: Callable[[Form, ModelForm], str], reason: str) -> Rule:
    """A rule for nodes of models alone; `reason` speaks against calls in sources: empty where nothing but the schemas
    does."""

    def judged(form: Form) -> str:
        return reason if form.model is None else rule(form, form.model)

    return judged


def one_of(attribute: str, default: str, allowed: tuple[str, ...]) -> Rule:
    def rule(form: Form) -> str:
        value = form.value(attribute, default)
        return "" if value in allowed else f"its {attribute} is {value}"

    return rule


def no_ceiling(form: Form) -> str:
    # With ceil_mode, windows that start in the padding behind the input were counted once and are not any more.
    return "" if form.value("ceil_mode", 0) == 0 else "its ceil_mode is set"


def axes_as_attribute(form: Form) -> str:
    """`axes` is an input of the newer version. For reductions no axes mean all of them, unless `noop_with_empty_axes`
    is set."""
    noop = form.value("noop_with_empty_axes", 0)
    axes, referred = (form.constant(1), form.reference(1)) if form.has_input(1) else ((), None)
    if axes is None and referred is None:
        return "its axes are computed, or may be empty, and were an attribute before"
    if noop != 0 and not axes:
        return "its noop_with_empty_axes is set"
    form.drop("noop_with_empty_axes")
    form.drop_inputs(1)
    if referred is not None:
        form.set_reference("axes", referred)
    elif axes:
        form.set_attribute("axes", axes)
    return ""


def axes_as_input(form: Form) -> str:
    return as_input(form, "axes")


def as_input(form: Form, name: str, index: int = 1) -> str:
    """A list of ints that is an input of the newer version."""
    if name not in form.given():
        return ""
    referred = form.model.referred(name) if form.model is not None and form.model.goal >= 12 else None
    if form.model is not None and referred is not None:
        form.drop(name)
        form.model.refer(index, referred)
        return ""
    values = form.value(name)
    if not isinstance(values, tuple):
        return f"its {name} are an attribute that is not known, and an input since"
    whole = tuple(item for item in values if isinstance(item, int))
    form.drop(name)
    form.set_integers(index, whole)
    return ""


def parts_as_attribute(form: Form) -> str:
    """Split: the sizes of the parts are an input since 13."""
    if not form.has_input(1):
        return ""
    sizes, referred = form.constant(1), form.reference(1)
    if sizes is None and referred is None:
        return "the sizes of its parts are computed, and were an attribute before"
    form.drop_inputs(1)
    if referred is not None:
        form.set_reference("split", referred)
    elif sizes is not None:
        form.set_attribute("split", sizes)
    return ""


def parts_as_input(form: Form) -> str:
    return as_input(form, "split")


def parts_counted(form: Form) -> str:
    """Split: without sizes the parts were as many as the outputs before 18, which must be said since."""
    if not form.has_input(1):
        form.set_attribute("num_outputs", form.outputs)
    return ""


def axis_forwards(form: Form, default: int | None = None) -> str:
    """Axes may be counted from the end since 11."""
    axis = form.value("axis", default)
    if not isinstance(axis, int):
        return "its axis is not known, and might not be counted from the end before" if axis is None else ""
    if axis >= 0:
        return ""
    rank = form.rank(0)
    if rank is None:
        return "its axis is counted from the end, which it could not be before, and the rank is not known"
    form.set_attribute("axis", axis + rank)
    return ""


def axes_forwards(form: Form) -> str:
    return _forwards(form, opened=False)


def unsqueezed_forwards(form: Form) -> str:
    return _forwards(form, opened=True)


def _forwards(form: Form, opened: bool) -> str:
    """Axes are not counted from the end before 11, and onnx infers shapes there from sorted ones alone. `opened`: they
    are axes of the result, which has as many more."""
    axes, rank = form.value("axes", ()), form.rank(0)
    if not isinstance(axes, tuple):
        return "its axes are not known, and might not be counted from the end before"
    whole = [item for item in axes if isinstance(item, int)]
    if any(item < 0 for item in whole):
        if rank is None:
            return "its axes are counted from the end, which they could not be before, and the rank is not known"
        rank += len(whole) if opened else 0
        if any(item < -rank for item in whole):
            return f"it has the axes {whole}, which are no axes of rank {rank}"
        whole = [item % rank for item in whole]
    if whole != list(axes) or whole != sorted(whole):
        form.set_attribute("axes", tuple(sorted(whole)))
    return ""


def inputs_forwards(form: Form, *indices: int) -> str:
    """Inputs that are counted from the end where they are negative, since 11."""
    for index in indices:
        if form.has_input(index):
            found = form.constant(index)
            if found is None or any(item < 0 for item in found):
                return "what it picks may be counted from the end, which it could not be before"
    return ""


def picked_forwards(form: Form) -> str:
    return inputs_forwards(form, 1) or axis_forwards(form, 0)


def slice_forwards(form: Form) -> str:
    axes, rank = form.constant(3) if form.has_input(3) else (), form.rank(0)
    if axes is None or (any(axis < 0 for axis in axes) and rank is None):
        return "what it picks may be counted from the end, which it could not be before"
    if rank is not None and any(axis < 0 for axis in axes):
        form.set_integers(3, tuple(axis % rank for axis in axes))
    return ""


def picks_forwards(form: Form) -> str:
    """OneHot: what lies before the first class was nothing before 11, and is counted from the end since."""
    picked = form.constant(0)
    if picked is None or any(item < 0 for item in picked):
        return "its indices may be negative: these pick nothing before version 11, and count from the end since"
    axis = form.value("axis", -1)
    return (
        "" if isinstance(axis, int) and axis >= -1 else "its axis is counted from the end, which it could not be before"
    )


def last_axis_down(form: Form) -> str:
    """Softmax and its like: over one axis since 13, over all from that one on before. The last axis is the same."""
    return last_axis(form, -1, "it is taken over one axis, and was over all from that one on before")


def last_axis_up(form: Form) -> str:
    return last_axis(form, 1, "it is taken over all axes from one on, and over that one alone since")


def around_axis_up(form: Form) -> str:
    """Softmax and its like, over several axes: on a matrix whose columns are those axes."""
    reason = last_axis_up(form)
    axis = form.value("axis", 1)
    if not reason or form.model is None or not isinstance(axis, int):
        return reason
    form.model.replace(Replacement.FLATTENED, axis)
    form.set_attribute("axis", -1)
    return ""


def last_axis(form: Form, default: int, reason: str) -> str:
    axis, rank = form.value("axis", default), form.rank(0)
    if not isinstance(axis, int) or (axis != -1 and (rank is None or axis % max(rank, 1) != rank - 1)):
        return f"{reason}; that is the same for the last axis only"
    form.set_attribute("axis", axis)
    return ""


def one_shape(form: Form) -> str:
    """Operands are broadcast by numpy's rules since 7 (Sum and its like: 8)."""
    shapes = [form.shape(index) for index in range(form.inputs)]
    first = shapes[0]
    if first is None or None in first or any(shape != first for shape in shapes):
        return "its operands are not known to have one shape, and were not broadcast before"
    return ""


def not_broadcast(form: Form) -> str:
    if form.value("broadcast", 0) != 0:
        return "its broadcast is set, and lays one operand over other axes than numpy does"
    form.drop("broadcast")
    form.drop("axis")
    return ""


def drops(name: str) -> Rule:
    """An attribute that says nothing any more."""

    def rule(form: Form) -> str:
        form.drop(name)
        return ""

    return rule


def spatial(form: Form) -> str:
    if form.value("spatial", 1) != 1:
        return "its spatial is not set, and always is since"
    form.drop("spatial")
    return ""


def mask_unread(form: Form) -> str:
    """Dropout: the mask, a float before 10 and a bool since, is left out where nothing reads it: its type may stand in
    the model."""
    if form.outputs > 1 and form.model is not None and not form.model.is_read(1):
        form.model.leave_out(1)
        return ""
    return one_output(form)


def keys_once(form: Form) -> str:
    """LabelEncoder: since 4 the last of equal keys counts, and a NaN is any other; before, neither was defined."""
    if "keys_floats" in form.given():
        return "its keys are floats, of which a NaN is any other since 4"
    for name in ("keys_int64s", "keys_strings"):
        keys = form.value(name, ())
        if not isinstance(keys, tuple) or len({*keys}) < len(keys):
            return "one of its keys stands there twice, of which the last counts since 4"
    return ""


def tested(form: Form) -> str:
    if form.value("is_test", 0) != 1:
        return "its is_test is not set: it trained before version 7"
    form.drop("is_test")
    return ""


TESTED = Step(refused("it trained unless `is_test` was set before version 7"), tested)


def one_output(form: Form) -> str:
    return "" if form.outputs == 1 else "it has several outputs, which are other ones there"


def limits_given(form: Form) -> str:
    """Clip: a limit that was left out is the greatest float since 6, so that infinities are clipped."""
    return "" if {"min", "max"} <= set(form.given()) else "one of its limits is left out"


def limits_as_inputs(form: Form, model: ModelForm) -> str:
    """Clip: limits are inputs since 11. One that was left out was the greatest float, which clips infinities."""
    element = form.element(0)
    if element is None:
        return "its limits were attributes before, and the type that they have as inputs is not known"
    for index, (name, default) in enumerate((("min", -GREATEST), ("max", GREATEST)), start=1):
        limit = form.value(name, default)
        if not isinstance(limit, float):
            return f"its {name} is not known, and an input since"
        form.drop(name)
        model.set_numbers(index, limit, element)
    return ""


def limits_as_attributes(form: Form, model: ModelForm) -> str:
    for index, name in enumerate(("min", "max"), start=1):
        limit = model.floats(index) if form.has_input(index) else None
        if limit is None or len(limit) != 1:
            return f"its {name} is an input that is computed or left out, and was an attribute before"
        form.set_attribute(name, limit[0])
    form.drop_inputs(1)
    return ""


def pads_as_attributes(form: Form, model: ModelForm) -> str:
    pads, referred = form.constant(1), form.reference(1)
    value = model.floats(2) if form.has_input(2) else (0.0,)
    if (pads is None and referred is None) or value is None or len(value) != 1:
        return "its pads or its value are computed, and were attributes before"
    form.drop_inputs(1)
    form.set_attribute("value", value[0])
    if referred is not None:
        form.set_reference("pads", referred)
    elif pads is not None:
        form.set_attribute("pads", pads)
    return ""


def pads_as_inputs(form: Form, model: ModelForm) -> str:
    """Pad: the pads and the value are inputs since 11."""
    value, element = form.value("value", 0.0), form.element(0)
    reason = as_input(form, "pads")
    if reason or "value" not in form.given():
        return reason
    if not isinstance(value, float) or element is None:
        return "its value was an attribute before, and what it is as an input is not known"
    form.drop("value")
    model.set_numbers(2, value, element)
    return ""


def slices_as_inputs(form: Form) -> str:
    """Slice: starts, ends and axes are inputs since 10."""
    names = ("starts", "ends", "axes")
    return next(filter(None, (as_input(form, name, index) for index, name in enumerate(names, start=1))), "")


def slices_as_attributes(form: Form, model: ModelForm) -> str:
    steps = form.constant(4) if form.has_input(4) else ()
    if steps is None or any(step != 1 for step in steps):
        return "it has steps, which came with version 10"
    found = {
        name: form.constant(index)
        for index, name in enumerate(("starts", "ends", "axes"), start=1)
        if form.has_input(index)
    }
    for name, values in found.items():
        if values is None:
            return f"its {name} are computed, and were an attribute before"
        form.set_attribute(name, values)
    form.drop_inputs(1)
    return ""


def count_as_attribute(form: Form, model: ModelForm) -> str:
    count = form.constant(1)
    if count is None or len(count) != 1:
        return "its K is computed, and was an attribute before"
    form.drop_inputs(1)
    form.set_attribute("k", count[0])
    return ""


def count_as_input(form: Form) -> str:
    """TopK: `k` is an input since 10."""
    count = form.value("k")
    if not isinstance(count, int):
        return "its k is an attribute that is not known, and an input since"
    form.drop("k")
    form.set_integers(1, (count,))
    return ""


def ratio_as_input(form: Form, model: ModelForm) -> str:
    """Dropout: the ratio is an input since 12. Without a third input it is as it was: nothing is left out."""
    if form.outputs > 1 and model.is_read(1):
        return "its mask says which elements stay since 12, and was not defined before"
    ratio = form.value("ratio", 0.5)
    if not isinstance(ratio, float):
        return "its ratio is an attribute that is not known, and an input since"
    if "ratio" in form.given():
        form.drop("ratio")
        model.set_numbers(1, ratio, "float")
    return ""


def ratio_as_attribute(form: Form, model: ModelForm) -> str:
    ratio = model.floats(1) if form.has_input(1) else (0.5,)
    trains = model.truths(2) if form.has_input(2) else (False,)
    masked = form.outputs > 1 and model.is_read(1)
    if ratio is None or len(ratio) != 1 or trains != (False,) or masked:
        return "its ratio is computed, it may train, or it has a mask: only an inference is the same before version 12"
    form.drop("seed")
    form.drop_inputs(1)
    form.set_attribute("ratio", ratio[0])
    return ""


def axis_as_input(form: Form, model: ModelForm) -> str:
    """DFT: the axis is an input since 20, the last but one without it, and was an attribute, 1 without it."""
    axis = form.value("axis", 1)
    if not isinstance(axis, int):
        return "its axis is an attribute that is not known, and an input since"
    form.drop("axis")
    model.set_numbers(2, axis, "int64")
    return ""


def blanks_filled(form: Form, model: ModelForm) -> str:
    """Resize: what is not given is left out since 13, and was an empty list before."""
    for index in (1, 2):
        if not form.has_input(index):
            model.set_numbers(index, (), "float")
    return ""


def sampled_as_since_13(form: Form) -> str:
    mode = form.value("coordinate_transformation_mode", "half_pixel")
    known = isinstance(mode, str) and mode != "tf_half_pixel_for_nn"
    return "" if known else f"its coordinate_transformation_mode is {mode}"


_VALUES = {"int": "int64", "float": "float", "string": "string"}


def value_as_tensor(form: Form, model: ModelForm) -> str:
    """Constant: numbers and texts of their own came with 12."""
    for name in form.given():
        kind = name.removeprefix("value_").removesuffix("s")
        if name != "value" and kind in _VALUES:
            values = form.value(name)
            if values is None:
                return f"its attribute {name} is set"
            form.drop(name)
            model.set_tensor("value", values, _VALUES[kind])
    return ""


def scales_as_input(form: Form, model: ModelForm) -> str:
    """Upsample: the scales are an input since 9."""
    scales = form.value("scales")
    floats = tuple(item for item in scales if isinstance(item, float)) if isinstance(scales, tuple) else ()
    if not floats:
        return "its scales are an attribute that is not known, and an input since"
    form.drop("scales")
    model.set_numbers(1, floats, "float")
    return ""


def pixels_placed(form: Form, model: ModelForm) -> str:
    """Resize: version 10 placed pixels in one way, which is a mode since. Of several neighbours in reach it took one by
    a rule of its own where it shrank."""
    if form.value("mode", "nearest") not in ("nearest", "linear"):
        return "its mode is not known"
    scales = model.floats(1)
    if form.value("mode", "nearest") == "nearest":
        if scales is None or any(scale < 1 for scale in scales):
            return "its scales are not known to be 1 and more: version 10 takes nearest neighbours in another way"
        form.set_attribute("nearest_mode", "floor")
    form.set_attribute("coordinate_transformation_mode", "asymmetric")
    model.insert_input(1)
    model.set_numbers(1, (), "float")
    return ""


def renamed(operator: str) -> Callable[[Form, ModelForm], str]:
    def rule(form: Form, model: ModelForm) -> str:
        model.rename(operator)
        return ""

    return rule


def part_of_shape(form: Form) -> str:
    """Shape: `start` and `end` came with 15. They count from the end where they are negative, and end at the borders,
    as those of a slice do."""
    given = [name for name in ("start", "end") if name in form.given()]
    start, end = form.value("start", 0), form.value("end", FAR) if "end" in given else FAR
    if start == 0 and end == FAR:
        form.drop("start")
        form.drop("end")
        return ""
    if form.model is None or not isinstance(start, int) or not isinstance(end, int):
        return f"its attribute {given[0]} is set"
    if form.model.goal < 10:
        return f"its attribute {given[0]} is set, and a slice has no inputs below opset 10"
    form.drop("start")
    form.drop("end")
    form.model.replace(Replacement.SLICED, start, end)
    return ""


def tensors_alone(erase: str, form: Form) -> str:
    """Identity: of sequences since 14. Before, what hands one on is the erasing of an item that was put behind it."""
    item = form.model.item(0) if form.model is not None else None
    if form.model is None or item is None:
        return ""
    if form.model.goal < 11:
        return "it hands on a sequence, and there are none below opset 11"
    form.model.rename(erase)
    form.model.replace(Replacement.GROWN, BY_NAME[item].code)
    return ""


def zeros_are_sizes(form: Form) -> str:
    """Reshape: with `allowzero`, since 14, a zero is a size; before, and without, that of the input at its place."""
    allowed = form.value("allowzero", 0)
    if allowed == 0:
        return ""
    shape = form.constant(1)
    if shape is not None and 0 not in shape:
        form.drop("allowzero")
        return ""
    if allowed != 1 or form.model is None:
        return "its attribute allowzero is set"
    if shape is not None and -1 in shape:
        return "its shape has a 0 and a -1, which no input fits"
    if form.model.goal < 11:
        return "its allowzero is set, and its shape is not known to hold no zero"
    form.drop("allowzero")
    form.model.replace(Replacement.ZEROS if shape is None else Replacement.NOTHING)
    return ""


def axis_one(form: Form) -> str:
    """Concat: the axis must be given since 4."""
    if "axis" not in form.given():
        form.set_attribute("axis", 1)
    return ""


def one_scale(form: Form) -> str:
    """DequantizeLinear and QuantizeLinear: one scale for all elements before 13."""
    if form.rank(1) != 0:
        return "it is not known to have one scale, which has to be of rank 0 before"
    form.drop("axis")
    return ""


def _cast_target(form: Form) -> str | None:
    """The type that Cast and CastLike cast to; None when it is not known."""
    if "to" not in form.given():
        return form.element(1)
    code = form.value("to")
    element = BY_CODE.get(code) if isinstance(code, int) else None
    return None if element is None else element.name


def cast_to_plain(form: Form) -> str:
    """`saturate` came with 19, as the types of eight bits did that it is about."""
    target = _cast_target(form)
    if target is None or target.startswith("float8"):
        return f"the type that it casts to is {target or 'not known'}"
    form.drop("saturate")
    return ""


def cast_infinities(form: Form) -> str:
    """In the types of eight bits that have no infinities and no negative zero, a saturating cast makes an infinity the
    greatest number since 24, and made it NaN before. The other columns of the standard's tables did not change."""
    target, source = _cast_target(form), form.element(0)
    if target is None:
        return "the type that it casts to is not known"
    finite = source is not None and BY_NAME[source].kind in ("int", "uint", "bool")
    if not target.endswith("fnuz") or finite or form.value("saturate", 1) == 0:
        return ""
    return f"an infinity that is cast to {target} with saturate is its greatest number since version 24, and NaN before"


def cast_without_rounding(form: Form) -> str:
    """`round_mode` came with 24, as float8e8m0 did, which alone it is about."""
    if _cast_target(form) == "float8e8m0":
        return "it casts to float8e8m0, which came with version 24"
    form.drop("round_mode")
    return cast_infinities(form)


def output_dtype(form: Form) -> str:
    """QuantizeLinear: the output has the type of the zero point, uint8 without one; `output_dtype` may repeat that."""
    given = form.value("output_dtype", 0)
    element = form.element(2) if form.has_input(2) else "uint8"
    if given == 0 or (element is not None and given == BY_NAME[element].code):
        form.drop("output_dtype")
        return ""
    return "its output_dtype differs from the type of its zero point"


def saturate_no_float8(form: Form) -> str:
    element = form.element(2) if form.has_input(2) else "uint8"
    if element is not None and not element.startswith("float8"):
        form.drop("saturate")
    return ""


def planar_grid(form: Form) -> str:
    """GridSample: only images before 20, and the modes had other names."""
    if form.rank(0) != 4:
        return f"its input is not known to have rank 4 ({form.rank(0) or 'unknown'})"
    older = {"linear": "bilinear", "nearest": "nearest", "cubic": "bicubic"}
    mode = form.value("mode", "linear")
    if mode not in older:
        return f"its mode is {mode}"
    form.set_attribute("mode", older[str(mode)])
    return ""


_MODES = {"bilinear": "linear", "nearest": "nearest", "bicubic": "cubic"}


def modes_renamed(form: Form) -> str:
    mode = form.value("mode", "bilinear")
    if not isinstance(mode, str) or mode not in _MODES:
        return f"its mode is {mode}"
    form.set_attribute("mode", _MODES[mode])
    return ""


def roi_shifted(form: Form) -> str:
    form.set_attribute("coordinate_transformation_mode", "output_half_pixel")
    return ""


def roi_not_shifted(form: Form) -> str:
    """RoiAlign: what was the only way before 16 is a mode now, and not the default one."""
    if form.value("coordinate_transformation_mode", "half_pixel") != "output_half_pixel":
        return "its coordinate_transformation_mode is not output_half_pixel, the only one before"
    form.drop("coordinate_transformation_mode")
    return ""


def resize_by_scale(form: Form) -> str:
    mode = form.value("coordinate_transformation_mode", "half_pixel")
    if mode in ("half_pixel", "asymmetric"):
        return ""
    # The others ask for the length of the output, which from scales may be a fraction since 19.
    sized = mode in ("pytorch_half_pixel", "align_corners") and form.has_input(3)
    return "" if sized else f"its coordinate_transformation_mode is {mode}"


def integer_unless_fmod(form: Form) -> str:
    element = form.element(0)
    floating = element is None or "int" not in element
    return "it is the flooring remainder of floats" if floating and form.value("fmod", 0) == 0 else ""


def small_shift(form: Form) -> str:
    """BitShift: shifts by the width of the type and more are defined since 28."""
    element, shift = form.element(0), form.constant(1)
    if element is None or not isinstance(shift, tuple):
        return "its shift is not known to be smaller than the width of its type"
    return "" if all(0 <= item < BY_NAME[element].bits for item in shift) else "it shifts by the width of its type"


def no_mask(form: Form) -> str:
    # A mask may be shorter than the keys since 24.
    return "it has a mask, which may be shorter than the keys" if form.has_input(3) else ""


def even_split(form: Form) -> str:
    """Split: before 18 the parts were as many as the outputs, and equal."""
    if "num_outputs" not in form.given():
        return ""
    parts, axis = form.value("num_outputs"), form.value("axis", 0)
    shape = form.shape(0)
    fits = shape is not None and isinstance(axis, int) and -len(shape) <= axis < len(shape)
    size = shape[axis] if shape is not None and isinstance(axis, int) and fits else None
    if parts != form.outputs:
        return "its num_outputs is not the number of its outputs"
    if not isinstance(size, int) or not isinstance(parts, int) or size % parts:
        counted = size if isinstance(size, int) else "an unknown number of"
        return f"it splits {counted} elements into {parts} parts, which had to be equal before"
    form.drop("num_outputs")
    return ""


def axis_of_batch(form: Form) -> str:
    """DFT: `axis` was an attribute counted with a batch dimension in front."""
    rank, axis = form.rank(0), form.constant(2) if form.has_input(2) else (-2,)
    if rank is None or rank < 3:
        return "its input is not known to have a batch dimension"
    if not isinstance(axis, tuple) or len(axis) != 1:
        return "its axis is computed, and was an attribute before"
    form.drop_inputs(2)
    form.set_attribute("axis", axis[0] % rank)
    return ""
