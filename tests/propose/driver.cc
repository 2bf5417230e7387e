// Does with proposed schemas what onnx itself does with its own: registers them, builds the body of each call, and
// infers the types of its outputs. Usage: driver FOLDER..., each with a model.onnx of one node; writes body.pb and
// inferred.onnx beside it.

#include <algorithm>
#include <fstream>
#include <iostream>
#include <sstream>

#include "onnx/defs/function.h"
#include "onnx/defs/schema.h"
#include "onnx/shape_inference/implementation.h"

namespace ONNX_NAMESPACE {
DECLARATIONS

static void ForEachSchema(const std::function<void(OpSchema&&)>& fn) {
  ENTRIES
}
} // namespace ONNX_NAMESPACE

using namespace ONNX_NAMESPACE;

static std::string Read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream content;
  content << file.rdbuf();
  return content.str();
}

static FunctionProto BodyOf(const ModelProto& model, const OpSchema& schema) {
  const NodeProto& node = model.graph().node(0);
  if (schema.HasFunction()) {
    return *schema.GetFunction();
  }
  std::vector<TypeProto> types;
  int present = 0;
  for (const auto& name : node.input()) {
    types.push_back(name.empty() ? TypeProto() : model.graph().input(present++).type());
  }
  FunctionBodyBuildContextImpl context(node, types);
  FunctionProto body;
  const auto versions = schema.context_dependent_function_opset_versions();
  const int version = static_cast<int>(model.opset_import(0).version());
  if (versions.empty() || !schema.BuildContextDependentFunction(context, body, std::max(version, versions[0]))) {
    throw std::runtime_error("there is no body for this call");
  }
  return body;
}

int main(int count, char** arguments) {
  ForEachSchema([](OpSchema&& schema) { RegisterSchema(std::move(schema)); });
  int failed = 0;
  for (int index = 1; index < count; ++index) {
    const std::string folder = arguments[index];
    try {
      ModelProto model;
      model.ParseFromString(Read(folder + "/model.onnx"));
      const NodeProto& node = model.graph().node(0);
      const OpSchema* schema =
          OpSchemaRegistry::Schema(node.op_type(), static_cast<int>(model.opset_import(0).version()), node.domain());
      if (schema == nullptr) {
        throw std::runtime_error("the schema is not registered");
      }
      std::ofstream(folder + "/body.pb", std::ios::binary) << BodyOf(model, *schema).SerializeAsString();
      if (schema->has_type_and_shape_inference_function()) {
        for (auto& output : *model.mutable_graph()->mutable_output()) {
          output.clear_type();
        }
        shape_inference::InferShapes(model, OpSchemaRegistry::Instance(), ShapeInferenceOptions(true, 1, false));
        std::ofstream(folder + "/inferred.onnx", std::ios::binary) << model.SerializeAsString();
      }
    } catch (const std::exception& error) {
      std::cout << folder << ": " << error.what() << "\n";
      ++failed;
    }
  }
  return failed == 0 ? 0 : 1;
}
