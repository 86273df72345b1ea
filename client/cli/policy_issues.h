// Problems of files as messages, for programs.
#ifndef MULLIGAN_CLIENT_CLI_POLICY_ISSUES_H_
#define MULLIGAN_CLIENT_CLI_POLICY_ISSUES_H_

#include "google/protobuf/repeated_ptr_field.h"
#include "mulligan/v1/policy_service.pb.h"
#include "policy/base/issue.h"

namespace mulligan::cli {

google::protobuf::RepeatedPtrField<v1::PolicyIssue> ToMessages(
    const Issues& issues);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_POLICY_ISSUES_H_
