// JSON Schema of policy files, made from their schema in proto/.
#ifndef MULLIGAN_CLIENT_CLI_POLICY_SCHEMA_H_
#define MULLIGAN_CLIENT_CLI_POLICY_SCHEMA_H_

#include <string>

namespace mulligan::cli {

enum class SchemaForm {
  // Draft 7, for editors and validators: unknown keys are refused.
  kEditor,
  // The openAPIV3Schema of a CustomResourceDefinition: structural. Unknown keys
  // are left to the API server, which drops them.
  kCrd,
};

// The schema of one RetryPolicy as JSON: comments of the proto are
// descriptions. What it refuses the loader refuses, too; not the other way
// round: budgets that nobody has, for example, only the loader finds.
std::string PolicySchema(SchemaForm form);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_POLICY_SCHEMA_H_
