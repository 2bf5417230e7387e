"""One record per operator of the standard: the one place that knows operators by name.

An operator that stands nowhere here is one of which nothing is known beyond its schemas. Versions are reviewed from the
standard's own schemas and texts. A reviewed version computes what the one before does wherever both schemas admit a
node: types, attributes and inputs were added, wording was changed. What a schema does not show stands as a rule next to
it, which may rewrite the node. A version that is not listed is not taken for another one, so one that is newer than
this table is refused, or left to a function of a library.
"""

from __future__ import annotations

import copyreg
from collections.abc import Callable
from functools import partial

from opwright.first_use import find
from opwright.opsets import version_rules as rules
from opwright.opsets.record import (
    ByAttribute,
    ByPresence,
    ByWord,
    Fault,
    LengthRule,
    Operands,
    RankRule,
    Record,
    Role,
    Sign,
    Subscript,
    TypeRule,
)
from opwright.opsets.version_rules import Step, both

_ModelRule = Callable[[rules.Form, rules.ModelForm], str]


def _moved(reason: str, up: _ModelRule, down: _ModelRule | None = None) -> Step:
    """A step that nodes of models take, down only where there is a rule, and calls in sources not at all."""
    return Step(rules.refused(reason) if down is None else rules.in_models(down, reason), rules.in_models(up, reason))


def _trees_of_nodes(form: rules.Form, model: rules.ModelForm) -> str:
    """Its module is imported on first use: few models have trees."""
    return str(find("trees_of_nodes")("TreeEnsembleRegressor", form, model))


def _one_shape_of_branches(form: rules.Form, model: rules.ModelForm) -> str:
    """Their module is imported on first use, too: few models go below these versions."""
    return str(find("one_shape_of_branches")(model))


def _scalar_beside_unknown(form: rules.Form, model: rules.ModelForm) -> str:
    return str(find("scalar_beside_unknown")(model))


_STANDARD = (
    Record("Abs", rank=RankRule.ELEMENTWISE, reviewed=(6, 13)),
    Record("Acos", rank=RankRule.ELEMENTWISE, reviewed=(22,)),
    Record("Acosh", rank=RankRule.ELEMENTWISE, reviewed=(22,)),
    Record(
        "Add",
        rank=RankRule.BROADCAST,
        sign=Sign("+"),
        reviewed=(6, 7, 13, 14),
        steps={7: Step(rules.one_shape, rules.not_broadcast)},
    ),
    Record("AffineGrid", lists=("size",)),
    Record(
        "And",
        rank=RankRule.BROADCAST,
        sign=Sign("&", Operands.BITS),
        reviewed=(7,),
        steps={7: Step(rules.one_shape, rules.not_broadcast)},
    ),
    Record(
        "ArgMax",
        rank=RankRule.ARG_REDUCED,
        reviewed=(11, 12, 13),
        steps={11: Step(down=partial(rules.axis_forwards, default=0))},
    ),
    Record(
        "ArgMin",
        rank=RankRule.ARG_REDUCED,
        reviewed=(11, 12, 13),
        steps={11: Step(down=partial(rules.axis_forwards, default=0))},
    ),
    Record("Asin", rank=RankRule.ELEMENTWISE, reviewed=(22,)),
    Record("Asinh", rank=RankRule.ELEMENTWISE, reviewed=(22,)),
    Record("Atan", rank=RankRule.ELEMENTWISE, reviewed=(22,)),
    Record("Atanh", rank=RankRule.ELEMENTWISE, reviewed=(22,)),
    Record(
        "Attention",
        runtimes_lack={"left_window_size": -1, "right_window_size": -1},
        reviewed=(24, 25),
        steps={24: Step(down=rules.no_mask)},
    ),
    Record(
        "AveragePool",
        rank=RankRule.SAME,
        reviewed=(7, 10, 11, 19, 22),
        steps={19: both(rules.no_ceiling), 22: both(rules.no_ceiling)},
    ),
    Record(
        "BatchNormalization",
        rank=RankRule.LIKE_FIRST,
        reviewed=(6, 7, 9, 14, 15),
        steps={7: rules.TESTED, 9: Step(up=rules.spatial), 14: Step(up=rules.one_output)},
    ),
    Record(
        "Bernoulli", typing=ByAttribute("dtype", default=None, keeps_shape=True), rank=RankRule.SAME, reviewed=(22,)
    ),
    Record("BitCast", typing=ByAttribute("to", keeps_shape=True), rank=RankRule.LIKE_FIRST),
    Record(
        "BitShift",
        rank=RankRule.BROADCAST,
        sign=Sign("", Operands.SHIFTED),
        reviewed=(28,),
        steps={28: Step(down=rules.small_shift)},
    ),
    Record("BitwiseAnd", rank=RankRule.BROADCAST, sign=Sign("&", Operands.BITS)),
    Record("BitwiseNot", rank=RankRule.ELEMENTWISE, sign=Sign("~", Operands.BITS, unary=True)),
    Record("BitwiseOr", rank=RankRule.BROADCAST, sign=Sign("|", Operands.BITS)),
    Record("BitwiseXor", rank=RankRule.BROADCAST, sign=Sign("^", Operands.BITS)),
    Record("BlackmanWindow", typing=ByAttribute("output_datatype")),
    Record(
        "Cast",
        typing=ByAttribute("to", keeps_shape=True),
        rank=RankRule.ELEMENTWISE,
        fault=Fault.NARROW,
        reviewed=(9, 13, 19, 21, 23, 24, 25, 28),
        changed={6: "`to` was the name of a type before version 6"},
        steps={
            19: Step(down=rules.cast_to_plain),
            24: Step(down=rules.cast_without_rounding, up=rules.cast_infinities, up_since=19),
        },
    ),
    Record(
        "CastLike",
        rank=RankRule.LIKE_FIRST,
        fault=Fault.NARROW,
        runtimes_lack={"round_mode": b"up"},
        reviewed=(19, 21, 23, 24, 25),
        steps={
            19: Step(down=rules.cast_to_plain),
            24: Step(down=rules.cast_without_rounding, up=rules.cast_infinities, up_since=19),
        },
    ),
    Record("Ceil", rank=RankRule.ELEMENTWISE, reviewed=(6, 13)),
    Record("Celu", rank=RankRule.ELEMENTWISE, reviewed=(28,)),
    Record("CenterCropPad", lists=("shape",), takes_one_number=True),
    Record(
        "Clip",
        rank=RankRule.ELEMENTWISE,
        fault=Fault.WIDE,
        reviewed=(6, 11, 12, 13),
        steps={
            6: both(rules.limits_given),
            11: _moved(
                "its limits are inputs since version 11, and were attributes before",
                rules.limits_as_inputs,
                rules.limits_as_attributes,
            ),
        },
    ),
    Record("Col2Im", lists=("image_shape", "block_shape")),
    Record(
        "Compress",
        rank=RankRule.SAME_ON_AXIS,
        reviewed=(11, 28),
        steps={11: Step(down=partial(rules.axis_forwards, default=0))},
    ),
    Record(
        "Concat",
        rank=RankRule.SAME,
        length=LengthRule.CONCATENATED,
        reviewed=(4, 11, 13),
        steps={4: Step(up=rules.axis_one), 11: Step(down=partial(rules.axis_forwards, default=0))},
    ),
    Record("ConcatFromSequence", typing=TypeRule.JOINED_ITEMS, choices={"new_axis": (0, 1)}),
    Record(
        "Constant",
        role=Role.CONSTANT,
        typing=TypeRule.CONSTANT,
        reviewed=(9, 11, 12, 13, 19, 21, 23, 24, 25),
        steps={12: Step(down=rules.in_models(rules.value_as_tensor, ""))},
    ),
    Record(
        "ConstantOfShape",
        typing=TypeRule.FILLED,
        rank=RankRule.FILLED,
        length=LengthRule.FILLED,
        lists=("input",),
        reviewed=(20, 21, 23, 24, 25),
    ),
    Record("Conv", rank=RankRule.SAME, reviewed=(11, 22)),
    Record("ConvInteger", rank=RankRule.SAME),
    Record(
        "ConvTranspose",
        rank=RankRule.SAME,
        reviewed=(11, 22),
        steps={11: both(rules.one_of("auto_pad", "NOTSET", ("NOTSET",)))},
    ),
    Record("Cos", rank=RankRule.ELEMENTWISE, reviewed=(22,)),
    Record("Cosh", rank=RankRule.ELEMENTWISE, reviewed=(22,)),
    Record("CumProd", rank=RankRule.LIKE_FIRST, choices={"exclusive": (0, 1), "reverse": (0, 1)}),
    Record("CumSum", rank=RankRule.LIKE_FIRST, choices={"exclusive": (0, 1), "reverse": (0, 1)}, reviewed=(14,)),
    Record(
        "DFT",
        reviewed=(20,),
        steps={
            20: Step(
                rules.axis_of_batch,
                rules.in_models(rules.axis_as_input, "its axis is an input since, of another default"),
            )
        },
    ),
    Record("DeformConv", reviewed=(22,)),
    Record("DepthToSpace", reviewed=(11, 13, 28)),
    Record(
        "DequantizeLinear",
        typing=TypeRule.DEQUANTIZED,
        rank=RankRule.SAME,
        reviewed=(13, 19, 21, 23, 24, 25, 28),
        steps={13: Step(down=rules.one_scale)},
    ),
    Record("Det", reviewed=(22,)),
    Record(
        "Div",
        rank=RankRule.BROADCAST,
        divides=True,
        fault=Fault.QUOTIENT,
        sign=Sign("/"),
        reviewed=(6, 7, 13, 14),
        steps={7: Step(rules.one_shape, rules.not_broadcast)},
    ),
    Record(
        "Dropout",
        rank=RankRule.LIKE_FIRST,
        reviewed=(6, 7, 10, 12, 13, 22),
        steps={
            7: rules.TESTED,
            10: both(rules.mask_unread),
            12: _moved(
                "`ratio` is an input since version 12, and an input says whether it trains",
                rules.ratio_as_input,
                rules.ratio_as_attribute,
            ),
        },
    ),
    Record("Einsum", rank=RankRule.EQUATION, reviewed=(28,)),
    Record("Elu", rank=RankRule.ELEMENTWISE, reviewed=(6, 22)),
    Record(
        "Equal",
        rank=RankRule.BROADCAST,
        sign=Sign("=="),
        reviewed=(7, 11, 13, 19),
        steps={7: Step(rules.one_shape, rules.not_broadcast)},
    ),
    Record("Erf", rank=RankRule.ELEMENTWISE, reviewed=(13,)),
    Record("Exp", rank=RankRule.ELEMENTWISE, reviewed=(6, 13)),
    Record("Expand", rank=RankRule.EXPANDED, lists=("shape",), reviewed=(13,)),
    Record("EyeLike", typing=ByAttribute("dtype", default=None, keeps_shape=True), rank=RankRule.SAME, reviewed=(22,)),
    Record(
        "Flatten",
        rank=RankRule.MATRIX,
        reviewed=(9, 11, 13, 21, 23, 24, 25),
        steps={11: Step(down=partial(rules.axis_forwards, default=0))},
    ),
    Record("Floor", rank=RankRule.ELEMENTWISE, reviewed=(6, 13)),
    Record(
        "GRU",
        reviewed=(14, 22),
        changed={
            3: "`direction` had no valid default before version 3, and Y_h could not be left out",
            7: "`output_sequence` said whether there is a Y before version 7",
        },
    ),
    Record(
        "Gather",
        rank=RankRule.GATHERED,
        length=LengthRule.GATHERED,
        fault=Fault.BLOCKS,
        subscript=Subscript.POSITION,
        reviewed=(11, 13),
        steps={11: Step(down=rules.picked_forwards)},
    ),
    Record("GatherElements", rank=RankRule.LIKE_INDICES, reviewed=(13,)),
    Record("GatherND", counts=("batch_dims",), reviewed=(12, 13)),
    Record("Gelu", rank=RankRule.ELEMENTWISE),
    Record(
        "Gemm",
        rank=RankRule.MATRIX,
        reviewed=(6, 7, 9, 11, 13),
        steps={7: Step(rules.refused("C is broadcast by numpy's rules since version 7"), rules.drops("broadcast"))},
    ),
    Record("GlobalAveragePool", rank=RankRule.SAME, reviewed=(22,)),
    Record("GlobalLpPool", rank=RankRule.SAME, reviewed=(22,), changed={2: "`p` was a float before version 2"}),
    Record("GlobalMaxPool", rank=RankRule.SAME, reviewed=(22,)),
    Record(
        "Greater",
        rank=RankRule.BROADCAST,
        sign=Sign(">"),
        reviewed=(7, 9, 13),
        steps={7: Step(rules.one_shape, rules.not_broadcast)},
    ),
    Record("GreaterOrEqual", rank=RankRule.BROADCAST, sign=Sign(">="), reviewed=(16,)),
    Record("GridSample", reviewed=(20, 22), steps={20: Step(rules.planar_grid, rules.modes_renamed)}),
    Record(
        "GroupNormalization",
        rank=RankRule.LIKE_FIRST,
        changed={21: "scale and bias belong to channels since version 21, to groups before"},
    ),
    Record("HammingWindow", typing=ByAttribute("output_datatype")),
    Record("HannWindow", typing=ByAttribute("output_datatype")),
    Record("HardSigmoid", rank=RankRule.ELEMENTWISE, reviewed=(6, 22)),
    Record("HardSwish", rank=RankRule.ELEMENTWISE, reviewed=(22,)),
    Record(
        "Hardmax",
        rank=RankRule.LIKE_FIRST,
        reviewed=(11, 13),
        steps={
            11: Step(down=partial(rules.axis_forwards, default=0)),
            13: Step(rules.last_axis_down, rules.around_axis_up),
        },
    ),
    Record(
        "Identity",
        role=Role.IDENTITY,
        rank=RankRule.ELEMENTWISE,
        reviewed=(13, 14, 16, 19, 21, 23, 24, 25),
        steps={14: Step(down=partial(rules.tensors_alone, "SequenceErase"))},
    ),
    Record(
        "If",
        role=Role.IF,
        reviewed=(11, 13, 16, 19, 21, 23, 24, 25),
        steps={
            11: Step(down=rules.in_models(_one_shape_of_branches, "")),
            13: Step(down=rules.in_models(_scalar_beside_unknown, "")),
        },
    ),
    Record("InstanceNormalization", rank=RankRule.LIKE_FIRST, reviewed=(6, 22)),
    Record("IsInf", rank=RankRule.ELEMENTWISE, reviewed=(20,)),
    Record("IsNaN", rank=RankRule.ELEMENTWISE, reviewed=(13, 20)),
    Record("LRN", rank=RankRule.LIKE_FIRST, reviewed=(13,)),
    Record("LSTM", reviewed=(14, 22), changed={7: "`output_sequence` said whether there is a Y before version 7"}),
    Record("LayerNormalization", typing=ByAttribute("stash_type", first=1), rank=RankRule.LIKE_FIRST),
    Record("LeakyRelu", rank=RankRule.ELEMENTWISE, reviewed=(6, 16)),
    Record(
        "Less",
        rank=RankRule.BROADCAST,
        sign=Sign("<"),
        reviewed=(7, 9, 13),
        steps={7: Step(rules.one_shape, rules.not_broadcast)},
    ),
    Record("LessOrEqual", rank=RankRule.BROADCAST, sign=Sign("<="), reviewed=(16,)),
    Record("Log", rank=RankRule.ELEMENTWISE, reviewed=(6, 13)),
    Record(
        "LogSoftmax",
        rank=RankRule.LIKE_FIRST,
        reviewed=(11, 13),
        steps={
            11: Step(down=partial(rules.axis_forwards, default=0)),
            13: Step(rules.last_axis_down, rules.around_axis_up),
        },
    ),
    Record("Loop", role=Role.LOOP, reviewed=(11, 13, 16, 19, 21, 23, 24, 25)),
    Record("LpNormalization", rank=RankRule.LIKE_FIRST, choices={"p": (1, 2)}, reviewed=(22,)),
    Record(
        "LpPool",
        rank=RankRule.SAME,
        reviewed=(11, 18, 22),
        changed={2: "`p` was a float before version 2, and `kernel_shape` might be left out"},
    ),
    Record("MatMul", rank=RankRule.MULTIPLIED, sign=Sign("@"), reviewed=(9, 13)),
    Record("MatMulInteger", rank=RankRule.MULTIPLIED),
    Record(
        "Max", rank=RankRule.BROADCAST, fault=Fault.WIDE, reviewed=(6, 8, 12, 13), steps={8: Step(down=rules.one_shape)}
    ),
    Record(
        "MaxPool",
        rank=RankRule.SAME,
        choices={"storage_order": (0, 1)},
        reviewed=(8, 10, 11, 12, 22),
        steps={22: both(rules.no_ceiling)},
    ),
    Record("MaxRoiPool", reviewed=(22,)),
    Record("MaxUnpool", lists=("output_shape",), reviewed=(11, 22)),
    Record("Mean", rank=RankRule.BROADCAST, reviewed=(6, 8, 13), steps={8: Step(down=rules.one_shape)}),
    Record("MeanVarianceNormalization", rank=RankRule.LIKE_FIRST, reviewed=(13,)),
    Record("MelWeightMatrix", typing=ByAttribute("output_datatype")),
    Record(
        "Min", rank=RankRule.BROADCAST, fault=Fault.WIDE, reviewed=(6, 8, 12, 13), steps={8: Step(down=rules.one_shape)}
    ),
    Record("Mish", rank=RankRule.ELEMENTWISE, reviewed=(22,)),
    Record(
        "Mod",
        rank=RankRule.BROADCAST,
        divides=True,
        choices={"fmod": (0, 1)},
        fault=Fault.QUOTIENT,
        sign=Sign("%", Operands.INTEGERS),
        reviewed=(13, 28),
        steps={28: Step(down=rules.integer_unless_fmod)},
    ),
    Record(
        "Mul",
        rank=RankRule.BROADCAST,
        sign=Sign("*"),
        reviewed=(6, 7, 13, 14),
        steps={7: Step(rules.one_shape, rules.not_broadcast)},
    ),
    Record("Multinomial", typing=ByAttribute("dtype", default="int32"), reviewed=(22,)),
    Record("Neg", rank=RankRule.ELEMENTWISE, sign=Sign("-", unary=True), reviewed=(6, 13)),
    Record("NegativeLogLikelihoodLoss", reviewed=(13, 22)),
    Record("NonMaxSuppression", choices={"center_point_box": (0, 1)}, reviewed=(11,)),
    Record("NonZero", rank=RankRule.MATRIX, reviewed=(13,)),
    Record("Not", rank=RankRule.ELEMENTWISE, sign=Sign("~", Operands.BITS, unary=True)),
    Record(
        "OneHot",
        rank=RankRule.ONE_MORE,
        reviewed=(11, 28),
        steps={11: both(rules.picks_forwards)},
    ),
    Record("Optional", typing=TypeRule.OPTIONAL, reviewed=(28,)),
    Record("OptionalGetElement", typing=TypeRule.OPTIONAL_ITEM, reviewed=(18, 28)),
    Record("OptionalHasElement", reviewed=(18, 28)),
    Record(
        "Or",
        rank=RankRule.BROADCAST,
        sign=Sign("|", Operands.BITS),
        reviewed=(7,),
        steps={7: Step(rules.one_shape, rules.not_broadcast)},
    ),
    Record(
        "PRelu",
        rank=RankRule.SAME,
        reviewed=(6, 9, 16),
        changed={7: "the slope is broadcast since version 7, and belonged to channels before"},
    ),
    Record(
        "Pad",
        rank=RankRule.SAME,
        lists=("pads", "axes"),
        reviewed=(11, 13, 18, 19, 21, 23, 24, 25),
        changed={2: "`pads` was called `paddings` before version 2"},
        steps={
            11: _moved(
                "pads and value are inputs since version 11, and were attributes before",
                rules.pads_as_inputs,
                rules.pads_as_attributes,
            ),
            19: Step(down=rules.one_of("mode", "constant", ("constant", "reflect", "edge"))),
        },
    ),
    Record(
        "Pow",
        rank=RankRule.BROADCAST,
        fault=Fault.POWER,
        sign=Sign("**", Operands.FLOATS),
        runtimes_lack={"broadcast": 0},
        reviewed=(7, 12, 13, 15),
        steps={7: Step(rules.one_shape, rules.not_broadcast)},
    ),
    Record("QLinearMatMul", reviewed=(21,)),
    Record(
        "QuantizeLinear",
        typing=TypeRule.QUANTIZED,
        rank=RankRule.SAME,
        reviewed=(13, 19, 21, 23, 24, 25, 28),
        steps={
            13: Step(down=rules.one_scale),
            19: Step(down=rules.saturate_no_float8),
            21: Step(down=rules.output_dtype),
        },
    ),
    Record("RMSNormalization", rank=RankRule.LIKE_FIRST),
    Record("RNN", reviewed=(14, 22), changed={7: "`output_sequence` said whether there is a Y before version 7"}),
    Record("RandomNormal", typing=ByAttribute("dtype"), rank=RankRule.SHAPE_ATTRIBUTE, reviewed=(22,)),
    Record(
        "RandomNormalLike",
        typing=ByAttribute("dtype", default=None, keeps_shape=True),
        rank=RankRule.SAME,
        reviewed=(22,),
    ),
    Record("RandomUniform", typing=ByAttribute("dtype"), rank=RankRule.SHAPE_ATTRIBUTE, reviewed=(22,)),
    Record(
        "RandomUniformLike",
        typing=ByAttribute("dtype", default=None, keeps_shape=True),
        rank=RankRule.SAME,
        reviewed=(22,),
    ),
    Record("Range", rank=RankRule.LIST, reviewed=(27,)),
    Record("Reciprocal", rank=RankRule.ELEMENTWISE, reviewed=(6, 13)),
    Record(
        "ReduceL1",
        rank=RankRule.REDUCED,
        lists=("axes",),
        fault=Fault.WIDE,
        reviewed=(11, 13, 18),
        steps={11: Step(down=rules.axes_forwards), 18: Step(rules.axes_as_attribute, rules.axes_as_input)},
    ),
    Record(
        "ReduceL2",
        rank=RankRule.REDUCED,
        lists=("axes",),
        reviewed=(11, 13, 18),
        steps={11: Step(down=rules.axes_forwards), 18: Step(rules.axes_as_attribute, rules.axes_as_input)},
    ),
    Record(
        "ReduceLogSum",
        rank=RankRule.REDUCED,
        lists=("axes",),
        reviewed=(11, 13, 18, 28),
        steps={11: Step(down=rules.axes_forwards), 18: Step(rules.axes_as_attribute, rules.axes_as_input)},
    ),
    Record(
        "ReduceLogSumExp",
        rank=RankRule.REDUCED,
        lists=("axes",),
        reviewed=(11, 13, 18, 28),
        steps={11: Step(down=rules.axes_forwards), 18: Step(rules.axes_as_attribute, rules.axes_as_input)},
    ),
    Record(
        "ReduceMax",
        rank=RankRule.REDUCED,
        lists=("axes",),
        fault=Fault.WIDE,
        reviewed=(11, 12, 13, 18, 20),
        steps={11: Step(down=rules.axes_forwards), 18: Step(rules.axes_as_attribute, rules.axes_as_input)},
    ),
    Record(
        "ReduceMean",
        rank=RankRule.REDUCED,
        lists=("axes",),
        fault=Fault.WIDE,
        reviewed=(11, 13, 18),
        steps={11: Step(down=rules.axes_forwards), 18: Step(rules.axes_as_attribute, rules.axes_as_input)},
    ),
    Record(
        "ReduceMin",
        rank=RankRule.REDUCED,
        lists=("axes",),
        fault=Fault.WIDE,
        reviewed=(11, 12, 13, 18, 20),
        steps={11: Step(down=rules.axes_forwards), 18: Step(rules.axes_as_attribute, rules.axes_as_input)},
    ),
    Record(
        "ReduceProd",
        rank=RankRule.REDUCED,
        lists=("axes",),
        reviewed=(11, 13, 18),
        steps={11: Step(down=rules.axes_forwards), 18: Step(rules.axes_as_attribute, rules.axes_as_input)},
    ),
    Record(
        "ReduceSum",
        rank=RankRule.REDUCED,
        lists=("axes",),
        fault=Fault.WIDE,
        reviewed=(11, 13),
        steps={11: Step(down=rules.axes_forwards), 13: Step(rules.axes_as_attribute, rules.axes_as_input)},
    ),
    Record(
        "ReduceSumSquare",
        rank=RankRule.REDUCED,
        lists=("axes",),
        fault=Fault.SQUARES,
        reviewed=(11, 13, 18),
        steps={11: Step(down=rules.axes_forwards), 18: Step(rules.axes_as_attribute, rules.axes_as_input)},
    ),
    Record("RegexFullMatch", rank=RankRule.ELEMENTWISE),
    Record("Relu", rank=RankRule.ELEMENTWISE, fault=Fault.WIDE, reviewed=(6, 13, 14)),
    Record(
        "Reshape",
        rank=RankRule.RESHAPED,
        length=LengthRule.RESHAPED,
        lists=("shape",),
        reviewed=(13, 14, 19, 21, 23, 24, 25),
        steps={14: Step(down=rules.zeros_are_sizes)},
        changed={5: "the shape is an input since version 5, and was an attribute before"},
    ),
    Record(
        "Resize",
        rank=RankRule.SAME,
        lists=("scales", "roi", "sizes"),
        reviewed=(11, 13, 18, 19),
        steps={
            11: _moved("version 10 takes scales alone, and places pixels in another way", rules.pixels_placed),
            13: Step(rules.in_models(rules.blanks_filled, ""), rules.sampled_as_since_13),
            19: both(rules.resize_by_scale),
        },
    ),
    Record(
        "ReverseSequence", rank=RankRule.LIKE_FIRST, choices={"batch_axis": (0, 1), "time_axis": (0, 1)}, reviewed=(28,)
    ),
    Record("RoiAlign", reviewed=(16, 22), steps={16: Step(rules.roi_not_shifted, rules.roi_shifted)}),
    Record("Round", rank=RankRule.ELEMENTWISE, reviewed=(22,)),
    Record(
        "Scan",
        role=Role.SCAN,
        reviewed=(11, 16, 19, 21, 23, 24, 25),
        changed={9: "the first axis was one of batches before version 9"},
    ),
    Record(
        "Scatter",
        rank=RankRule.LIKE_FIRST,
        reviewed=(11,),
        steps={
            11: _moved(
                "it is deprecated since version 11: ScatterElements computes the same", rules.renamed("ScatterElements")
            )
        },
    ),
    Record(
        "ScatterElements",
        rank=RankRule.LIKE_FIRST,
        reviewed=(13, 16, 18),
        steps={18: Step(down=rules.one_of("reduction", "none", ("none", "add", "mul")))},
    ),
    Record(
        "ScatterND",
        rank=RankRule.LIKE_FIRST,
        reviewed=(13, 16, 18),
        steps={18: Step(down=rules.one_of("reduction", "none", ("none", "add", "mul")))},
    ),
    Record("Selu", rank=RankRule.ELEMENTWISE, reviewed=(6, 22)),
    Record("SequenceAt", typing=TypeRule.ITEM, subscript=Subscript.ITEM),
    Record("SequenceConstruct", typing=TypeRule.SEQUENCE),
    Record("SequenceEmpty", typing=TypeRule.EMPTY_SEQUENCE),
    Record("SequenceErase"),
    Record("SequenceInsert"),
    Record("SequenceMap", role=Role.SEQUENCE_MAP),
    Record(
        "Shape",
        rank=RankRule.LIST,
        length=LengthRule.SHAPE,
        reviewed=(13, 15, 19, 21, 23, 24, 25),
        steps={15: Step(down=rules.part_of_shape)},
    ),
    Record("Shrink", rank=RankRule.ELEMENTWISE),
    Record("Sigmoid", rank=RankRule.ELEMENTWISE, reviewed=(6, 13)),
    Record("Sign", rank=RankRule.ELEMENTWISE, fault=Fault.WIDE, reviewed=(13,)),
    Record("Sin", rank=RankRule.ELEMENTWISE, reviewed=(22,)),
    Record("Sinh", rank=RankRule.ELEMENTWISE, reviewed=(22,)),
    Record("Size", rank=RankRule.SCALAR, reviewed=(13, 19, 21, 23, 24, 25)),
    Record(
        "Slice",
        rank=RankRule.SAME,
        length=LengthRule.SLICED,
        lists=("starts", "ends", "axes", "steps"),
        subscript=Subscript.SLICES,
        reviewed=(10, 11, 13),
        steps={
            10: Step(
                rules.in_models(
                    rules.slices_as_attributes,
                    "starts, ends and axes are inputs since version 10, and were attributes before",
                ),
                rules.slices_as_inputs,
            ),
            11: Step(down=rules.slice_forwards),
        },
    ),
    Record(
        "Softmax",
        rank=RankRule.LIKE_FIRST,
        reviewed=(11, 13),
        steps={
            11: Step(down=partial(rules.axis_forwards, default=0)),
            13: Step(rules.last_axis_down, rules.around_axis_up),
        },
    ),
    Record("SoftmaxCrossEntropyLoss", reviewed=(13,)),
    Record("Softplus", rank=RankRule.ELEMENTWISE, reviewed=(22,)),
    Record("Softsign", rank=RankRule.ELEMENTWISE, reviewed=(22,)),
    Record("SpaceToDepth", reviewed=(13, 28)),
    Record(
        "Split",
        results="num_outputs",
        rank=RankRule.SAME_FOR_ALL,
        lists=("split",),
        reviewed=(11, 13, 18),
        changed={2: "`split` might be an input, and `axis` had no default before version 2"},
        first_run=2,
        steps={
            11: Step(down=partial(rules.axis_forwards, default=0)),
            13: Step(rules.parts_as_attribute, rules.parts_as_input),
            18: Step(rules.even_split, rules.parts_counted),
        },
    ),
    Record("SplitToSequence", typing=TypeRule.SEQUENCE, reviewed=(24,)),
    Record("Sqrt", rank=RankRule.ELEMENTWISE, reviewed=(6, 13)),
    Record(
        "Squeeze",
        rank=RankRule.SQUEEZED,
        lists=("axes",),
        reviewed=(11, 13, 21, 23, 24, 25),
        steps={11: Step(down=rules.axes_forwards), 13: Step(rules.axes_as_attribute, rules.axes_as_input)},
    ),
    Record("StringConcat", rank=RankRule.BROADCAST),
    Record(
        "Sub",
        rank=RankRule.BROADCAST,
        sign=Sign("-"),
        reviewed=(6, 7, 13, 14),
        steps={7: Step(rules.one_shape, rules.not_broadcast)},
    ),
    Record("Sum", rank=RankRule.BROADCAST, reviewed=(6, 8, 13), steps={8: Step(down=rules.one_shape)}),
    Record("Swish", rank=RankRule.ELEMENTWISE),
    Record("Tan", rank=RankRule.ELEMENTWISE, reviewed=(22,)),
    Record("Tanh", rank=RankRule.ELEMENTWISE, reviewed=(6, 13)),
    Record("TensorScatter", rank=RankRule.LIKE_FIRST),
    Record("ThresholdedRelu", rank=RankRule.ELEMENTWISE, reviewed=(22,)),
    Record(
        "Tile",
        rank=RankRule.SAME,
        lists=("repeats",),
        reviewed=(13,),
        changed={6: "it repeated along one axis before version 6"},
    ),
    Record(
        "TopK",
        rank=RankRule.SAME_FOR_ALL,
        lists=("K",),
        reviewed=(10, 11, 24),
        steps={
            10: Step(
                rules.in_models(
                    rules.count_as_attribute, "`k` is an input since version 10, and was an attribute before"
                ),
                rules.count_as_input,
            )
        },
    ),
    Record("Transpose", permutation="perm", rank=RankRule.SAME, reviewed=(13, 21, 23, 24, 25)),
    Record("Trilu", rank=RankRule.LIKE_FIRST),
    Record("Unique", reviewed=(28,)),
    Record(
        "Unsqueeze",
        rank=RankRule.UNSQUEEZED,
        length=LengthRule.UNSQUEEZED,
        lists=("axes",),
        takes_one_number=True,
        reviewed=(11, 13, 21, 23, 24, 25),
        steps={11: Step(down=rules.unsqueezed_forwards), 13: Step(rules.axes_as_attribute, rules.axes_as_input)},
    ),
    Record(
        "Upsample",
        rank=RankRule.SAME,
        lists=("scales",),
        reviewed=(9, 10),
        changed={7: "it had a scale for height and for width before version 7"},
        steps={
            9: _moved("scales are an input since version 9, and were an attribute before", rules.scales_as_input),
            10: _moved("it is deprecated since version 10: Resize takes its place", rules.renamed("Resize")),
        },
    ),
    Record("Where", rank=RankRule.BROADCAST, reviewed=(16,)),
    Record(
        "Xor",
        rank=RankRule.BROADCAST,
        sign=Sign("^", Operands.BITS),
        reviewed=(7,),
        steps={7: Step(rules.one_shape, rules.not_broadcast)},
    ),
)
_ML = "ai.onnx.ml"
_LABELS = ByPresence({"classlabels_strings": "tensor(string)"}, "tensor(int64)")
_VALUES = {
    "values_strings": "tensor(string)",
    "values_int64s": "tensor(int64)",
    "values_floats": "tensor(float)",
    "values_tensor": "",
}
_WORDS = {"TO_FLOAT": "tensor(float)", "TO_INT64": "tensor(int64)", "TO_STRING": "tensor(string)"}
_OTHERS = (
    Record("CastMap", _ML, typing=ByWord("cast_to", _WORDS, "TO_FLOAT")),
    Record("CategoryMapper", _ML, typing=TypeRule.EXCHANGED),
    Record("DictVectorizer", _ML, typing=TypeRule.MAP_ITEM),
    Record(
        "LabelEncoder",
        _ML,
        typing=ByPresence(_VALUES, TypeRule.EXCHANGED),
        reviewed=(4,),
        changed={2: "it mapped positions in a list of texts before version 2"},
        steps={4: both(rules.keys_once)},
    ),
    Record("LinearClassifier", _ML, typing=_LABELS),
    Record("SVMClassifier", _ML, typing=_LABELS),
    Record(
        "TreeEnsemble",
        _ML,
        before=rules.in_models(_trees_of_nodes, "it is called in a source"),
    ),
    Record("TreeEnsembleClassifier", _ML, typing=_LABELS, reviewed=(3, 5)),
    Record("TreeEnsembleRegressor", _ML, reviewed=(3, 5)),
    Record(
        "ZipMap",
        _ML,
        typing=ByPresence({"classlabels_strings": "seq(map(string, float))"}, "seq(map(int64, float))"),
    ),
    Record("FlexAttention", "ai.onnx.preview", role=Role.FLEX_ATTENTION),
)

NOTHING = Record("")  # is known of an operator that stands in none of these

RECORDS: dict[str, Record] = {item.name: item for item in _STANDARD}  # of ai.onnx, by name
ALL: dict[tuple[str, str], Record] = {(item.domain, item.name): item for item in (*_STANDARD, *_OTHERS)}


def record_of(domain: str, name: str) -> Record:
    """What is known of an operator, `domain` being empty for ai.onnx; of most others that is nothing."""
    return ALL.get((domain, name), NOTHING)


def _by_name(record: Record) -> tuple[Callable[[str, str], Record], tuple[str, str]]:
    return record_of, (record.domain, record.name)


copyreg.pickle(Record, _by_name)

# Operators that the compiler itself writes or looks for in models.
ADD = RECORDS["Add"]
CAST = RECORDS["Cast"]
CAST_LIKE = RECORDS["CastLike"]
CONCAT = RECORDS["Concat"]
CONSTANT = RECORDS["Constant"]
CONSTANT_OF_SHAPE = RECORDS["ConstantOfShape"]
EQUAL = RECORDS["Equal"]
FLATTEN = RECORDS["Flatten"]
GATHER = RECORDS["Gather"]
IDENTITY = RECORDS["Identity"]
IF = RECORDS["If"]
LOOP = RECORDS["Loop"]
MUL = RECORDS["Mul"]
NOT = RECORDS["Not"]
OPTIONAL = RECORDS["Optional"]
OR = RECORDS["Or"]
POW = RECORDS["Pow"]
REDUCE_PROD = RECORDS["ReduceProd"]
RESHAPE = RECORDS["Reshape"]
SCAN = RECORDS["Scan"]
SEQUENCE_ERASE = RECORDS["SequenceErase"]
SEQUENCE_INSERT = RECORDS["SequenceInsert"]
SEQUENCE_MAP = RECORDS["SequenceMap"]
SHAPE = RECORDS["Shape"]
SIZE = RECORDS["Size"]
SLICE = RECORDS["Slice"]
SUB = RECORDS["Sub"]
