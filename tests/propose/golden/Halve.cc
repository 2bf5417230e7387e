// SPDX-License-Identifier: Apache-2.0
//
// The schema of Halve, for the defs.cc of its area. The file compiles by itself.

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "onnx/defs/function.h"
#include "onnx/defs/schema.h"

namespace ONNX_NAMESPACE {

static constexpr const char* Halve_ver5_doc = R"DOC(
Half of each element, and how many there are.
)DOC";

static bool BuildHalve_5_opset21(
    const FunctionBodyBuildContext& ctx,
    const OpSchema& schema,
    FunctionProto& function_proto) {
  (void)ctx; // one body serves every call
  FunctionBuilder builder(function_proto);
  builder.AddOpset("", 21);
  builder.Add(R"ONNX(
  constant = Constant <value: tensor = int64 {2}> ()
  cast_like = CastLike (constant, X)
  Y = Div (X, cast_like)
  count = Size (X)
)ONNX");
  schema.BuildFunction(function_proto);
  return true;
}

ONNX_ML_OPERATOR_SET_SCHEMA(
    Halve, 5,
    OpSchema()
        .SetDoc(Halve_ver5_doc)
        .Input(0, "X", "", "T", OpSchema::Single, true, 1, OpSchema::Differentiable)
        .Output(0, "Y", "", "T", OpSchema::Single, true, 1, OpSchema::Differentiable)
        .Output(1, "count", "", "tensor(int64)", OpSchema::Single, true, 1, OpSchema::NonDifferentiable)
        .TypeConstraint("T", {"tensor(float)", "tensor(double)"}, "Element types of X and Y.")
        .SetContextDependentFunctionBodyBuilder(BuildHalve_5_opset21)
        .TypeAndShapeInferenceFunction([](InferenceContext& ctx) {
          propagateElemTypeFromInputToOutput(ctx, 0, 0);
          if (hasInputShape(ctx, 0)) {
            propagateShapeFromInputToOutput(ctx, 0, 0);
          }
          if (ctx.getNumOutputs() > 1) { // count
            updateOutputElemType(ctx, 1, TensorProto::INT64);
            TensorShapeProto shape_1;
            updateOutputShape(ctx, 1, shape_1);
          }
        })
        .SetNodeDeterminism(OpSchema::NodeDeterminism::Deterministic));

} // namespace ONNX_NAMESPACE
