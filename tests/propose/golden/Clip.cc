// SPDX-License-Identifier: Apache-2.0
//
// The schema of Clip, for the defs.cc of its area. The file compiles by itself.

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "onnx/defs/function.h"
#include "onnx/defs/schema.h"

namespace ONNX_NAMESPACE {

static constexpr const char* Clip_ver13_doc = R"DOC(
Limits each element to a range.
)DOC";

static bool BuildClip_13_opset13(
    const FunctionBodyBuildContext& ctx,
    const OpSchema& schema,
    FunctionProto& function_proto) {
  const bool has_min = ctx.hasInput(1);
  const bool has_max = ctx.hasInput(2);
  FunctionBuilder builder(function_proto);
  if (!has_min && !has_max) {
    builder.Add(R"ONNX(
  output = Identity (input)
)ONNX");
  } else if (!has_min && has_max) {
    builder.Add(R"ONNX(
  output = Min (input, max)
)ONNX");
  } else if (has_min && !has_max) {
    builder.Add(R"ONNX(
  output = Max (input, min)
)ONNX");
  } else if (has_min && has_max) {
    builder.Add(R"ONNX(
  max_2 = Max (input, min)
  output = Min (max_2, max)
)ONNX");
  } else {
    return false; // what decides is not known
  }
  schema.BuildFunction(function_proto);
  return true;
}

ONNX_OPERATOR_SET_SCHEMA(
    Clip, 13,
    OpSchema()
        .SetDoc(Clip_ver13_doc)
        .Input(0, "input", "", "T", OpSchema::Single, true, 1, OpSchema::Differentiable)
        .Input(1, "min", "Lower \"bound\".", "T", OpSchema::Optional, true, 1, OpSchema::Differentiable)
        .Input(2, "max", "", "T", OpSchema::Optional, true, 1, OpSchema::Differentiable)
        .Output(0, "output", "", "T", OpSchema::Single, true, 1, OpSchema::Differentiable)
        .TypeConstraint("T", {"tensor(float)", "tensor(double)", "tensor(int32)"}, "Element types of input, min, max and output.")
        .SetContextDependentFunctionBodyBuilder(BuildClip_13_opset13)
        .TypeAndShapeInferenceFunction([](InferenceContext& ctx) {
          propagateElemTypeFromInputToOutput(ctx, 0, 0);
          if (hasInputShape(ctx, 0)) {
            propagateShapeFromInputToOutput(ctx, 0, 0);
          }
          if (hasInputShape(ctx, 1) && getInputShape(ctx, 1).dim_size() != 0) {
            fail_shape_inference("min must have rank 0");
          }
          if (hasInputShape(ctx, 2) && getInputShape(ctx, 2).dim_size() != 0) {
            fail_shape_inference("max must have rank 0");
          }
        })
        .SetNodeDeterminism(OpSchema::NodeDeterminism::Deterministic));

} // namespace ONNX_NAMESPACE
