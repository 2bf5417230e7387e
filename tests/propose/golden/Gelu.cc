// SPDX-License-Identifier: Apache-2.0
//
// The schema of Gelu, for the defs.cc of its area. The file compiles by itself.

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "onnx/defs/function.h"
#include "onnx/defs/schema.h"

namespace ONNX_NAMESPACE {

static constexpr const char* Gelu_ver20_doc = R"DOC(
X times the normal distribution's share below X, or an approximation of that.
)DOC";

static bool BuildGelu_20_opset20(
    const FunctionBodyBuildContext& ctx,
    const OpSchema& schema,
    FunctionProto& function_proto) {
  const AttributeProto* const attribute_approximate = ctx.getAttribute("approximate");
  const std::string attribute_approximate_value = attribute_approximate != nullptr ? attribute_approximate->s() : std::string("none");
  FunctionBuilder builder(function_proto);
  if (attribute_approximate_value == "none") {
    builder.Add(R"ONNX(
  constant = Constant <value: tensor = float {0.5}> ()
  cast_like = CastLike (constant, X)
  mul = Mul (cast_like, X)
  constant_2 = Constant <value: tensor = int64 {1}> ()
  cast_like_2 = CastLike (constant_2, X)
  tanh = Tanh (X)
  add = Add (cast_like_2, tanh)
  Y = Mul (mul, add)
)ONNX");
  } else if (attribute_approximate_value == "tanh") {
    builder.Add(R"ONNX(
  constant = Constant <value: tensor = float {0.5}> ()
  cast_like = CastLike (constant, X)
  mul = Mul (cast_like, X)
  constant_2 = Constant <value: tensor = int64 {1}> ()
  cast_like_2 = CastLike (constant_2, X)
  constant_3 = Constant <value: tensor = double {0.7978845608028654}> ()
  cast_like_3 = CastLike (constant_3, X)
  constant_4 = Constant <value: tensor = double {0.044715}> ()
  cast_like_4 = CastLike (constant_4, X)
  mul_2 = Mul (cast_like_4, X)
  mul_3 = Mul (mul_2, X)
  mul_4 = Mul (mul_3, X)
  add = Add (X, mul_4)
  mul_5 = Mul (cast_like_3, add)
  tanh = Tanh (mul_5)
  add_2 = Add (cast_like_2, tanh)
  Y = Mul (mul, add_2)
)ONNX");
  } else {
    return false; // what decides is not known
  }
  schema.BuildFunction(function_proto);
  return true;
}

ONNX_OPERATOR_SET_SCHEMA(
    Gelu, 20,
    OpSchema()
        .SetDoc(Gelu_ver20_doc)
        .Attr("approximate", "Whether to approximate, and how.", AttributeProto::STRING, std::string("none"))
        .Input(0, "X", "", "T", OpSchema::Single, true, 1, OpSchema::Differentiable)
        .Output(0, "Y", "", "T", OpSchema::Single, true, 1, OpSchema::Differentiable)
        .TypeConstraint("T", {"tensor(float)", "tensor(double)"}, "Element types of X and Y.")
        .SetContextDependentFunctionBodyBuilder(BuildGelu_20_opset20)
        .TypeAndShapeInferenceFunction(propagateShapeAndTypeFromFirstInput)
        .SetNodeDeterminism(OpSchema::NodeDeterminism::Deterministic));

} // namespace ONNX_NAMESPACE
