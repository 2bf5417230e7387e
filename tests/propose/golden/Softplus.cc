// SPDX-License-Identifier: Apache-2.0
//
// The schema of Softplus, for the defs.cc of its area. The file compiles by itself.

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "onnx/defs/function.h"
#include "onnx/defs/schema.h"

namespace ONNX_NAMESPACE {

static constexpr const char* Softplus_ver22_doc = R"DOC(
log(exp(X) + 1), for each element.
)DOC";

ONNX_OPERATOR_SET_SCHEMA(
    Softplus, 22,
    OpSchema()
        .SetDoc(Softplus_ver22_doc)
        .Input(0, "X", "Any tensor.", "T", OpSchema::Single, true, 1, OpSchema::Differentiable)
        .Output(0, "Y", "As X.", "T", OpSchema::Single, true, 1, OpSchema::Differentiable)
        .TypeConstraint("T", {"tensor(float16)", "tensor(float)", "tensor(double)", "tensor(bfloat16)"}, "Element types of X and Y.")
        .FunctionBody(R"ONNX(
{
  exp = Exp (X)
  constant = Constant <value: tensor = int64 {1}> ()
  cast_like = CastLike (constant, X)
  add = Add (exp, cast_like)
  Y = Log (add)
}
)ONNX")
        .TypeAndShapeInferenceFunction(propagateShapeAndTypeFromFirstInput)
        .SetNodeDeterminism(OpSchema::NodeDeterminism::Deterministic));

} // namespace ONNX_NAMESPACE
