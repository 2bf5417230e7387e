// SPDX-License-Identifier: Apache-2.0
//
// The schema of Range, for the defs.cc of its area. The file compiles by itself.

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "onnx/defs/function.h"
#include "onnx/defs/schema.h"

namespace ONNX_NAMESPACE {

static constexpr const char* Range_ver11_doc = R"DOC(
start, start + delta, and so on, below limit.
)DOC";

static bool BuildRange_11_opset13(
    const FunctionBodyBuildContext& ctx,
    const OpSchema& schema,
    FunctionProto& function_proto) {
  const TypeProto* const type_T_proto = ctx.getInputType(0);
  const int32_t type_T = type_T_proto != nullptr && type_T_proto->has_tensor_type()
      ? type_T_proto->tensor_type().elem_type()
      : TensorProto::UNDEFINED;
  FunctionBuilder builder(function_proto);
  builder.AddOpset("", 13);
  if (type_T == TensorProto::FLOAT) {
    builder.Add(R"ONNX(
  sub = Sub (limit, start)
  cast = Cast <to: int = 11> (sub)
  cast_2 = Cast <to: int = 11> (delta)
  div = Div (cast, cast_2)
  ceil = Ceil (div)
  cast_3 = Cast <to: int = 7> (ceil)
  constant = Constant <value: tensor = int64[1] {1}> ()
  reshape = Reshape (cast_3, constant)
  constant_of_shape = ConstantOfShape <value: tensor = int64[1] {1}> (reshape)
  constant_2 = Constant <value: tensor = int64 {0}> ()
  cum_sum = CumSum <exclusive: int = 1> (constant_of_shape, constant_2)
  cast_4 = Cast <to: int = 1> (cum_sum)
  mul = Mul (cast_4, delta)
  output = Add (start, mul)
)ONNX");
  } else if (type_T == TensorProto::INT32) {
    builder.Add(R"ONNX(
  cast = Cast <to: int = 7> (start)
  sub = Sub (limit, start)
  cast_2 = Cast <to: int = 11> (sub)
  cast_3 = Cast <to: int = 11> (delta)
  div = Div (cast_2, cast_3)
  ceil = Ceil (div)
  cast_4 = Cast <to: int = 7> (ceil)
  constant = Constant <value: tensor = int64[1] {1}> ()
  reshape = Reshape (cast_4, constant)
  constant_of_shape = ConstantOfShape <value: tensor = int64[1] {1}> (reshape)
  constant_2 = Constant <value: tensor = int64 {0}> ()
  cum_sum = CumSum <exclusive: int = 1> (constant_of_shape, constant_2)
  cast_5 = Cast <to: int = 7> (delta)
  mul = Mul (cum_sum, cast_5)
  add = Add (cast, mul)
  output = Cast <to: int = 6> (add)
)ONNX");
  } else if (type_T == TensorProto::INT64) {
    builder.Add(R"ONNX(
  cast = Cast <to: int = 7> (start)
  sub = Sub (limit, start)
  cast_2 = Cast <to: int = 11> (sub)
  cast_3 = Cast <to: int = 11> (delta)
  div = Div (cast_2, cast_3)
  ceil = Ceil (div)
  cast_4 = Cast <to: int = 7> (ceil)
  constant = Constant <value: tensor = int64[1] {1}> ()
  reshape = Reshape (cast_4, constant)
  constant_of_shape = ConstantOfShape <value: tensor = int64[1] {1}> (reshape)
  constant_2 = Constant <value: tensor = int64 {0}> ()
  cum_sum = CumSum <exclusive: int = 1> (constant_of_shape, constant_2)
  cast_5 = Cast <to: int = 7> (delta)
  mul = Mul (cum_sum, cast_5)
  add = Add (cast, mul)
  output = Cast <to: int = 7> (add)
)ONNX");
  } else if (type_T == TensorProto::DOUBLE) {
    builder.Add(R"ONNX(
  sub = Sub (limit, start)
  cast = Cast <to: int = 11> (sub)
  cast_2 = Cast <to: int = 11> (delta)
  div = Div (cast, cast_2)
  ceil = Ceil (div)
  cast_3 = Cast <to: int = 7> (ceil)
  constant = Constant <value: tensor = int64[1] {1}> ()
  reshape = Reshape (cast_3, constant)
  constant_of_shape = ConstantOfShape <value: tensor = int64[1] {1}> (reshape)
  constant_2 = Constant <value: tensor = int64 {0}> ()
  cum_sum = CumSum <exclusive: int = 1> (constant_of_shape, constant_2)
  cast_4 = Cast <to: int = 11> (cum_sum)
  mul = Mul (cast_4, delta)
  output = Add (start, mul)
)ONNX");
  } else {
    return false; // what decides is not known
  }
  schema.BuildFunction(function_proto);
  return true;
}

ONNX_OPERATOR_SET_SCHEMA(
    Range, 11,
    OpSchema()
        .SetDoc(Range_ver11_doc)
        .Input(0, "start", "", "T", OpSchema::Single, true, 1, OpSchema::Differentiable)
        .Input(1, "limit", "", "T", OpSchema::Single, true, 1, OpSchema::NonDifferentiable)
        .Input(2, "delta", "", "T", OpSchema::Single, true, 1, OpSchema::Differentiable)
        .Output(0, "output", "", "T", OpSchema::Single, true, 1, OpSchema::Differentiable)
        .TypeConstraint("T", {"tensor(float)", "tensor(double)", "tensor(int32)", "tensor(int64)"}, "Element types of start, limit, delta and output.")
        .SetContextDependentFunctionBodyBuilder(BuildRange_11_opset13, 13)
        .TypeAndShapeInferenceFunction([](InferenceContext& ctx) {
          propagateElemTypeFromInputToOutput(ctx, 0, 0);
          TensorShapeProto shape_0;
          shape_0.add_dim();
          updateOutputShape(ctx, 0, shape_0);
          if (hasInputShape(ctx, 0) && getInputShape(ctx, 0).dim_size() != 0) {
            fail_shape_inference("start must have rank 0");
          }
          if (hasInputShape(ctx, 1) && getInputShape(ctx, 1).dim_size() != 0) {
            fail_shape_inference("limit must have rank 0");
          }
          if (hasInputShape(ctx, 2) && getInputShape(ctx, 2).dim_size() != 0) {
            fail_shape_inference("delta must have rank 0");
          }
        })
        .SetNodeDeterminism(OpSchema::NodeDeterminism::Deterministic));

} // namespace ONNX_NAMESPACE
