// SPDX-License-Identifier: Apache-2.0
//
// The schema of Over, for the defs.cc of its area. The file compiles by itself.

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "onnx/defs/function.h"
#include "onnx/defs/schema.h"

namespace ONNX_NAMESPACE {

static constexpr const char* Over_ver22_doc = R"DOC(
Where elements are over 0, and how many of them there are.
)DOC";

static bool BuildOver_22_opset22(
    const FunctionBodyBuildContext& ctx,
    const OpSchema& schema,
    FunctionProto& function_proto) {
  const bool has_start = ctx.hasInput(1);
  const AttributeProto* const attribute_dtype = ctx.getAttribute("dtype");
  FunctionBuilder builder(function_proto);
  if (!has_start && attribute_dtype == nullptr) {
    builder.Add(R"ONNX(
  constant = Constant <value: tensor = int64 {0}> ()
  cast_like = CastLike (constant, X)
  greater = Greater (X, cast_like)
  Y = CastLike (greater, X)
  cast_like_2 = CastLike (greater, X)
  count = ReduceSum <keepdims: int = 0> (cast_like_2)
)ONNX");
  } else if (!has_start && attribute_dtype != nullptr) {
    builder.Add(R"ONNX(
  constant = Constant <value: tensor = int64 {0}> ()
  cast_like = CastLike (constant, X)
  greater = Greater (X, cast_like)
  Y = Cast <to: int = @dtype> (greater)
  cast_like_2 = CastLike (greater, X)
  count = ReduceSum <keepdims: int = 0> (cast_like_2)
)ONNX");
  } else if (has_start && attribute_dtype == nullptr) {
    builder.Add(R"ONNX(
  constant = Constant <value: tensor = int64 {0}> ()
  cast_like = CastLike (constant, X)
  greater = Greater (X, cast_like)
  Y = CastLike (greater, X)
  cast_like_2 = CastLike (greater, start)
  reduce_sum = ReduceSum <keepdims: int = 0> (cast_like_2)
  count = Add (start, reduce_sum)
)ONNX");
  } else if (has_start && attribute_dtype != nullptr) {
    builder.Add(R"ONNX(
  constant = Constant <value: tensor = int64 {0}> ()
  cast_like = CastLike (constant, X)
  greater = Greater (X, cast_like)
  Y = Cast <to: int = @dtype> (greater)
  cast_like_2 = CastLike (greater, start)
  reduce_sum = ReduceSum <keepdims: int = 0> (cast_like_2)
  count = Add (start, reduce_sum)
)ONNX");
  } else {
    return false; // what decides is not known
  }
  schema.BuildFunction(function_proto);
  return true;
}

ONNX_OPERATOR_SET_SCHEMA(
    Over, 22,
    OpSchema()
        .SetDoc(Over_ver22_doc)
        .Attr("dtype", "The element type of Y, that of X where left out.", AttributeProto::INT, OPTIONAL_VALUE)
        .Input(0, "X", "", "T", OpSchema::Single, true, 1, OpSchema::NonDifferentiable)
        .Input(1, "start", "Where counting starts; at 0, in the type of X, where left out.", "S", OpSchema::Optional, true, 1, OpSchema::Differentiable)
        .Output(0, "Y", "", "U", OpSchema::Single, true, 1, OpSchema::NonDifferentiable)
        .Output(1, "count", "", "S", OpSchema::Single, true, 1, OpSchema::Differentiable)
        .TypeConstraint("T", {"tensor(float)", "tensor(double)", "tensor(int32)"}, "Element types of X.")
        .TypeConstraint("S", {"tensor(float)", "tensor(double)", "tensor(int32)", "tensor(int64)"}, "Element types of start and count.")
        .TypeConstraint("U", {"tensor(float)", "tensor(double)", "tensor(int32)", "tensor(int64)"}, "Element types of Y.")
        .SetContextDependentFunctionBodyBuilder(BuildOver_22_opset22)
        .TypeAndShapeInferenceFunction([](InferenceContext& ctx) {
          if (ctx.getAttribute("dtype") != nullptr) {
            propagateElemTypeFromAttributeToOutput(ctx, "dtype", 0);
          } else {
            propagateElemTypeFromInputToOutput(ctx, 0, 0);
          }
          if (hasInputShape(ctx, 0)) {
            propagateShapeFromInputToOutput(ctx, 0, 0);
          }
          if (ctx.getNumOutputs() > 1) { // count
            if (ctx.hasInput(1)) {
              propagateElemTypeFromInputToOutput(ctx, 1, 1);
            } else {
              propagateElemTypeFromInputToOutput(ctx, 0, 1);
            }
            TensorShapeProto shape_1;
            updateOutputShape(ctx, 1, shape_1);
          }
          if (hasInputShape(ctx, 1) && getInputShape(ctx, 1).dim_size() != 0) {
            fail_shape_inference("start must have rank 0");
          }
        })
        .SetNodeDeterminism(OpSchema::NodeDeterminism::Deterministic));

} // namespace ONNX_NAMESPACE
