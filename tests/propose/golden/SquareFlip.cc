// SPDX-License-Identifier: Apache-2.0
//
// The schema of SquareFlip, for the defs.cc of its area. The file compiles by itself.

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "onnx/defs/function.h"
#include "onnx/defs/schema.h"

namespace ONNX_NAMESPACE {

static constexpr const char* SquareFlip_ver22_doc = R"DOC(
The square of each element; a matrix is transposed, and with axes a vector is turned round.
)DOC";

static bool BuildSquareFlip_22_opset22(
    const FunctionBodyBuildContext& ctx,
    const OpSchema& schema,
    FunctionProto& function_proto) {
  const TypeProto* const rank_X_proto = ctx.getInputType(0);
  const int rank_X = rank_X_proto != nullptr && rank_X_proto->tensor_type().has_shape()
      ? rank_X_proto->tensor_type().shape().dim_size()
      : -1; // not known
  const bool has_B = ctx.hasInput(1);
  const AttributeProto* const attribute_keep = ctx.getAttribute("keep");
  FunctionBuilder builder(function_proto);
  if (rank_X == 1 && !has_B && attribute_keep == nullptr) {
    builder.Add(R"ONNX(
  mul = Mul (X, X)
  constant = Constant <value: tensor = int64[1] {9223372036854775807}> ()
  constant_2 = Constant <value: tensor = int64[1] {-9223372036854775808}> ()
  constant_3 = Constant <value: tensor = int64[1] {0}> ()
  constant_4 = Constant <value: tensor = int64[1] {-1}> ()
  slice = Slice (mul, constant, constant_2, constant_3, constant_4)
  constant_5 = Constant <value_float: float = @scale> ()
  cast_like = CastLike (constant_5, slice)
  Y = Mul (slice, cast_like)
)ONNX");
  } else if ((rank_X == 1 && !has_B && attribute_keep != nullptr) || (rank_X >= 0 && rank_X != 1 && rank_X != 2 && !has_B)) {
    builder.Add(R"ONNX(
  mul = Mul (X, X)
  constant = Constant <value_float: float = @scale> ()
  cast_like = CastLike (constant, mul)
  Y = Mul (mul, cast_like)
)ONNX");
  } else if (rank_X == 1 && has_B && attribute_keep == nullptr) {
    builder.Add(R"ONNX(
  mul = Mul (X, X)
  constant = Constant <value: tensor = int64[1] {9223372036854775807}> ()
  constant_2 = Constant <value: tensor = int64[1] {-9223372036854775808}> ()
  constant_3 = Constant <value: tensor = int64[1] {0}> ()
  constant_4 = Constant <value: tensor = int64[1] {-1}> ()
  slice = Slice (mul, constant, constant_2, constant_3, constant_4)
  add = Add (slice, B)
  constant_5 = Constant <value_float: float = @scale> ()
  cast_like = CastLike (constant_5, add)
  Y = Mul (add, cast_like)
)ONNX");
  } else if ((rank_X == 1 && has_B && attribute_keep != nullptr) || (rank_X >= 0 && rank_X != 1 && rank_X != 2 && has_B)) {
    builder.Add(R"ONNX(
  mul = Mul (X, X)
  add = Add (mul, B)
  constant = Constant <value_float: float = @scale> ()
  cast_like = CastLike (constant, add)
  Y = Mul (add, cast_like)
)ONNX");
  } else if (rank_X == 2 && !has_B) {
    builder.Add(R"ONNX(
  mul = Mul (X, X)
  transpose = Transpose (mul)
  constant = Constant <value_float: float = @scale> ()
  cast_like = CastLike (constant, transpose)
  Y = Mul (transpose, cast_like)
)ONNX");
  } else if (rank_X == 2 && has_B) {
    builder.Add(R"ONNX(
  mul = Mul (X, X)
  transpose = Transpose (mul)
  add = Add (transpose, B)
  constant = Constant <value_float: float = @scale> ()
  cast_like = CastLike (constant, add)
  Y = Mul (add, cast_like)
)ONNX");
  } else {
    return false; // what decides is not known
  }
  schema.BuildFunction(function_proto);
  return true;
}

ONNX_OPERATOR_SET_SCHEMA(
    SquareFlip, 22,
    OpSchema()
        .SetDoc(SquareFlip_ver22_doc)
        .Attr("keep", "", AttributeProto::INT, OPTIONAL_VALUE)
        .Attr("scale", "", AttributeProto::FLOAT, 1.0f)
        .Input(0, "X", "", "T", OpSchema::Single, true, 1, OpSchema::Differentiable)
        .Input(1, "B", "", "T", OpSchema::Optional, true, 1, OpSchema::Differentiable)
        .Output(0, "Y", "", "T", OpSchema::Single, true, 1, OpSchema::Differentiable)
        .TypeConstraint("T", {"tensor(float)", "tensor(int64)"}, "Element types of X, B and Y.")
        .SetContextDependentFunctionBodyBuilder(BuildSquareFlip_22_opset22)
        .TypeAndShapeInferenceFunction([](InferenceContext& ctx) {
          propagateElemTypeFromInputToOutput(ctx, 0, 0);
        })
        .SetNodeDeterminism(OpSchema::NodeDeterminism::Deterministic));

} // namespace ONNX_NAMESPACE
