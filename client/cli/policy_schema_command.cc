// `mulligan policy schema`: the JSON Schema of policy files, made from the
// schema in proto/.
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>

#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_replace.h"
#include "client/cli/commands.h"
#include "nlohmann/json.hpp"
#include "proto/embedded_schemas.h"

namespace mulligan::cli {
namespace {

enum class SchemaForm {
  // Draft 7, for editors and validators; refuses unknown keys.
  kEditor,
  // The openAPIV3Schema of a CustomResourceDefinition: structural. The API
  // server drops unknown keys.
  kCrd,
};

using Json = nlohmann::ordered_json;
using ::google::protobuf::Descriptor;
using ::google::protobuf::DescriptorPool;
using ::google::protobuf::FieldDescriptor;

// Constraints that proto types do not express, by the full name of the message
// or field: members to add to its schema. A test finds constraints that the
// loader does not enforce.
constexpr std::pair<std::string_view, const char*> kConstraints[] = {
    {"mulligan.v1.RetryPolicy",
     R"({"required": ["apiVersion", "kind", "metadata", "spec"]})"},
    {"mulligan.v1.RetryPolicy.api_version", R"({"enum": ["mulligan.dev/v1"]})"},
    {"mulligan.v1.RetryPolicy.kind", R"({"enum": ["RetryPolicy"]})"},
    {"mulligan.v1.PolicyMetadata", R"({"required": ["name"]})"},
    {"mulligan.v1.PolicyMetadata.name",
     R"({"pattern": "^[a-z0-9-]+$", "maxLength": 63})"},
    {"mulligan.v1.RetryPolicySpec",
     R"({"anyOf": [{"required": ["default"]}, {"required": ["native"]},
                   {"required": ["pasted"]}]})"},
    {"mulligan.v1.RetryPolicySpec.max_attempts", R"({"minimum": 1})"},
    {"mulligan.v1.Budget", R"({"required": ["limit"]})"},
    {"mulligan.v1.Budget.limit", R"({"minimum": 0, "maximum": 1000000})"},
    {"mulligan.v1.Refund", R"({"required": ["ceiling"]})"},
    {"mulligan.v1.Refund.ceiling", R"({"minimum": 1, "maximum": 1000000})"},
    {"mulligan.v1.Rule", R"({"required": ["name", "when", "then"]})"},
    {"mulligan.v1.Rule.name", R"({"minLength": 1, "maxLength": 128})"},
    {"mulligan.v1.When", R"({"minProperties": 1})"},
    {"mulligan.v1.ExitCodes", R"({"required": ["operator", "values"]})"},
    {"mulligan.v1.ExitCodes.operator", R"({"enum": ["In", "NotIn"]})"},
    {"mulligan.v1.ConditionPattern", R"({"required": ["type"]})"},
    {"mulligan.v1.NumberRange.from", R"({"minimum": 0})"},
    {"mulligan.v1.NumberRange.to", R"({"minimum": 0})"},
    {"mulligan.v1.Outcome", R"({"required": ["action"]})"},
    {"mulligan.v1.Outcome.passes", R"({"minimum": 0, "maximum": 1})"},
    {"mulligan.v1.Worth.weighs", R"({"exclusiveMinimum": 0, "maximum": 1000})"},
    {"mulligan.v1.Worth.given_up", R"({"minimum": 0, "maximum": 1000000})"},
    {"mulligan.v1.Worth.person_hours", R"({"minimum": 0, "maximum": 1000000})"},
    {"mulligan.v1.Brake.same_failure", R"({"minimum": 1, "maximum": 64})"},
    {"mulligan.v1.Brake.outlived", R"({"minimum": 1, "maximum": 1000})"},
    {"mulligan.v1.GraceOutcome", R"({"required": ["grace", "action"]})"},
    {"mulligan.v1.GraceOutcome.action",
     R"({"enum": ["RETRY", "FAIL", "WAIT_FOR_SPEC_UPDATE"]})"},
    {"mulligan.v1.ExhaustedOutcome", R"({"required": ["action"]})"},
    {"mulligan.v1.ExhaustedOutcome.action",
     R"({"enum": ["RETRY", "FAIL", "WAIT_FOR_SPEC_UPDATE"]})"},
    {"mulligan.v1.Backoff", R"({"required": ["initial"]})"},
    {"mulligan.v1.Backoff.factor", R"({"minimum": 1})"},
    {"mulligan.v1.Backoff.jitter", R"({"minimum": 0, "maximum": 1})"},
    {"mulligan.v1.Signature", R"({"required": ["name", "cause"]})"},
    {"mulligan.v1.Signature.remedy", R"({"maxLength": 1024})"},
};

// Whole numbers with units, largest first.
constexpr char kDurationPattern[] =
    "^([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?$";

// The templates of a pasted object do not affect retries.
bool IsCreatedFrom(const FieldDescriptor& field) {
  return field.json_name() == "template" ||
         field.json_name() == "submitterPodTemplate" ||
         field.json_name() == "rayClusterSpec";
}

// Messages of other projects, which may be newer than our copies.
bool IsForeign(const Descriptor& type) {
  return type.full_name().starts_with("mulligan.kubernetes.");
}

template <typename Element>
void Describe(const Element& element, Json& schema) {
  google::protobuf::SourceLocation location;
  if (!element.GetSourceLocation(&location)) return;
  std::string text(absl::StripAsciiWhitespace(location.leading_comments));
  text = absl::StrReplaceAll(text, {{"\n ", " "}, {"\n", " "}});
  if (!text.empty()) schema["description"] = text;
}

class Writer {
 public:
  explicit Writer(SchemaForm form) : form_(form) {}

  Json MessageSchema(const Descriptor& type) const {
    Json schema = {{"type", "object"}};
    Describe(type, schema);
    Json& properties = schema["properties"] = Json::object();
    for (int i = 0; i < type.field_count(); ++i) {
      const FieldDescriptor& field = *type.field(i);
      properties[field.json_name()] =
          OrNull(IsForeign(type), FieldSchema(field));
    }
    Constrain(type.full_name(), schema);
    if (form_ == SchemaForm::kEditor && !IsForeign(type)) {
      schema["additionalProperties"] = false;
    }
    return schema;
  }

 private:
  // Kubernetes treats null as absent.
  Json OrNull(bool foreign, Json schema) const {
    if (foreign) schema["type"] = {schema["type"], "null"};
    return schema;
  }

  // Accepts anything.
  Json OpenObject() const {
    Json schema = {{"type", "object"}};
    if (form_ == SchemaForm::kCrd) {
      schema["x-kubernetes-preserve-unknown-fields"] = true;
    }
    return schema;
  }

  // Our empty lists and maps are errors, because they would mean "any".
  Json FieldSchema(const FieldDescriptor& field) const {
    const bool foreign = IsForeign(*field.containing_type());
    Json schema;
    if (field.is_map()) {
      schema = {{"type", "object"},
                {"additionalProperties",
                 ValueSchema(*field.message_type()->map_value())}};
      if (!foreign) schema["minProperties"] = 1;
    } else if (field.is_repeated()) {
      schema = {{"type", "array"}, {"items", ValueSchema(field)}};
      if (!foreign) schema["minItems"] = 1;
    } else {
      schema = ValueSchema(field);
    }
    Describe(field, schema);
    Constrain(field.full_name(), schema);
    return schema;
  }

  Json ValueSchema(const FieldDescriptor& field) const {
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_BOOL:
        return {{"type", "boolean"}};
      case FieldDescriptor::CPPTYPE_STRING:
        return {{"type", "string"}};
      case FieldDescriptor::CPPTYPE_DOUBLE:
      case FieldDescriptor::CPPTYPE_FLOAT:
        return {{"type", "number"}};
      case FieldDescriptor::CPPTYPE_ENUM:
        return EnumSchema(*field.enum_type());
      case FieldDescriptor::CPPTYPE_MESSAGE:
        return InnerSchema(field);
      case FieldDescriptor::CPPTYPE_INT64:
      case FieldDescriptor::CPPTYPE_UINT64:
        return {{"type", "integer"}, {"format", "int64"}};
      default:
        return {{"type", "integer"}, {"format", "int32"}};
    }
  }

  static Json EnumSchema(const google::protobuf::EnumDescriptor& type) {
    Json schema = {{"type", "string"}, {"enum", Json::array()}};
    for (int i = 0; i < type.value_count(); ++i) {
      // Zero means "not given" and cannot be written.
      if (type.value(i)->number() == 0) continue;
      schema["enum"].push_back(type.value(i)->name());
    }
    return schema;
  }

  Json InnerSchema(const FieldDescriptor& field) const {
    const Descriptor& type = *field.message_type();
    if (type.full_name() == "google.protobuf.Duration") {
      return {
          {"type", "string"}, {"minLength", 2}, {"pattern", kDurationPattern}};
    }
    const bool foreign_in_crd = form_ == SchemaForm::kCrd && IsForeign(type);
    if (foreign_in_crd || IsCreatedFrom(field)) return OpenObject();
    return MessageSchema(type);
  }

  void Constrain(std::string_view name, Json& schema) const {
    for (const auto& [constrained, members] : kConstraints) {
      if (constrained == name) schema.update(Json::parse(members));
    }
    // Kubernetes uses OpenAPI 3.0, where exclusiveMinimum is a flag.
    if (form_ == SchemaForm::kCrd && schema.contains("exclusiveMinimum")) {
      schema["minimum"] = schema["exclusiveMinimum"];
      schema["exclusiveMinimum"] = true;
    }
  }

  const SchemaForm form_;
};

// Returns the schema of a RetryPolicy as JSON, with the proto's comments as
// descriptions. The loader is stricter: it also rejects budgets that do not
// exist, for example.
std::string PolicySchema(SchemaForm form) {
  google::protobuf::FileDescriptorSet files;
  files.ParseFromArray(mulligan_schemas, static_cast<int>(mulligan_schemas_end -
                                                          mulligan_schemas));
  DescriptorPool pool;
  for (const auto& file : files.file()) pool.BuildFile(file);
  const Descriptor* const type =
      pool.FindMessageTypeByName("mulligan.v1.RetryPolicy");
  const Json policy = Writer(form).MessageSchema(*type);
  if (form == SchemaForm::kCrd) {
    // The API server checks metadata itself.
    Json schema = policy;
    schema["properties"]["metadata"] = {{"type", "object"}};
    schema["required"] = {"spec"};
    return schema.dump(2) + "\n";
  }
  Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                 {"title", "Mulligan RetryPolicy"}};
  schema.update(policy);
  return schema.dump(2) + "\n";
}

int RunPolicySchema(std::string& form, Streams& streams) {
  streams.out << PolicySchema(form == "crd" ? SchemaForm::kCrd
                                            : SchemaForm::kEditor);
  return FinishOutput(streams);
}

}  // namespace

void AddPolicySchema(CLI::App& policy, Streams& streams, int& code) {
  const auto [schema, form] =
      AddCommand("schema", "Print the JSON Schema of policy files", R"(Example:
  mulligan policy schema > retry-policy.schema.json)",
                 RunPolicySchema, policy, streams, code);
  form = "editor";
  AddOption(schema, "--form", form,
            "editor, or crd for a CustomResourceDefinition", "FORM")
      ->check(CLI::IsMember({"editor", "crd"}));
}

}  // namespace mulligan::cli
