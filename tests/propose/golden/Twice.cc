// SPDX-License-Identifier: Apache-2.0
//
// The schema of Twice, for the defs.cc of its area. The file compiles by itself.

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "onnx/defs/function.h"
#include "onnx/defs/schema.h"

namespace ONNX_NAMESPACE {

static constexpr const char* Twice_ver1_doc = R"DOC(
Each element, taken a number of times.
)DOC";

static bool BuildTwice_1_opset21(
    const FunctionBodyBuildContext& ctx,
    const OpSchema& schema,
    FunctionProto& function_proto) {
  const bool has_bias = ctx.hasInput(1);
  FunctionBuilder builder(function_proto);
  builder.AddOpset("", 21);
  if (!has_bias) {
    builder.Add(R"ONNX(
  constant = Constant <value_int: int = @Count> ()
  cast_like = CastLike (constant, x)
  y = Mul (x, cast_like)
)ONNX");
  } else if (has_bias) {
    builder.Add(R"ONNX(
  constant = Constant <value_int: int = @Count> ()
  cast_like = CastLike (constant, x)
  mul = Mul (x, cast_like)
  y = Add (mul, bias)
)ONNX");
  } else {
    return false; // what decides is not known
  }
  schema.BuildFunction(function_proto);
  return true;
}

ONNX_OPERATOR_SET_SCHEMA_EX(
    Twice, ComAcme, "com.acme", 1, false,
    OpSchema()
        .SetDoc(Twice_ver1_doc)
        .Attr("Count", "How often.", AttributeProto::INT, int64_t{2})
        .Input(0, "x", "", "T", OpSchema::Single, true, 1, OpSchema::Differentiable)
        .Input(1, "bias", "", "T", OpSchema::Optional, true, 1, OpSchema::Differentiable)
        .Output(0, "y", "", "T", OpSchema::Single, true, 1, OpSchema::Differentiable)
        .TypeConstraint("T", {"tensor(float)", "tensor(double)"}, "Element types of x, bias and y.")
        .SetContextDependentFunctionBodyBuilder(BuildTwice_1_opset21)
        .TypeAndShapeInferenceFunction(propagateShapeAndTypeFromFirstInput)
        .SetNodeDeterminism(OpSchema::NodeDeterminism::Deterministic));

} // namespace ONNX_NAMESPACE
