#include "policy/loader/builtin_rows.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "google/protobuf/timestamp.pb.h"
#include "google/protobuf/util/json_util.h"
#include "mulligan/v1/retry_decision_service.pb.h"
#include "policy/base/message_json.h"
#include "policy/decide.h"
#include "policy/demystify/signatures/rows.h"
#include "policy/demystify/signatures/samples.h"
#include "policy/loader/load.h"

namespace mulligan {
namespace {

using TextSource = v1::Signature::Source;

// Reports with only one text, where programs, the kubelet or operators write
// it.
constexpr std::pair<TextSource, const char*> kTextReports[] = {
    {v1::Signature::TERMINATION_MESSAGE,
     R"({"exit":{"exitCode":CODE,"message":TEXT}})"},
    {v1::Signature::EVENT, R"({"events":[{"type":"Warning","message":TEXT}]})"},
    {v1::Signature::POD_MESSAGE,
     R"({"pods":[{"status":{"phase":"Failed","message":TEXT}}]})"},
    {v1::Signature::CREATION_ERROR, R"({"creationError":{"message":TEXT}})"},
    {v1::Signature::OPERATOR_MESSAGE,
     R"({"kubeflowJob":{"status":{"conditions":[
         {"type":"Failed","status":"True","message":TEXT}]}}})"},
    // A waiting reason that is not evidence by itself.
    {v1::Signature::WAITING_MESSAGE,
     R"({"pods":[{"status":{"phase":"Pending","containerStatuses":[
         {"state":{"waiting":
          {"reason":"ImagePullBackOff","message":TEXT}}}]}}]})"}};
// Maximum per signature.
constexpr std::size_t kMaxNotes = 3;
// An exit code that is not evidence by itself.
constexpr std::int32_t kGeneralExit = 1;
v1::FailureReport ReportOf(TextSource source, std::string_view text,
                           std::int32_t exit_code) {
  std::string quoted;
  AppendJsonString(text, quoted);
  v1::FailureReport report;
  for (const auto& [known, json] : kTextReports) {
    if (known != source) continue;
    (void)google::protobuf::util::JsonStringToMessage(
        absl::StrReplaceAll(
            json, {{"CODE", absl::StrCat(exit_code)}, {"TEXT", quoted}}),
        &report);
  }
  return report;
}

// Diagnoses `report` under the policy of that name.
v1::Diagnosis DiagnoseUnder(const v1::FailureReport& report,
                            const PolicySet& policies,
                            const std::string& policy) {
  v1::DemystifyRequest request;
  *request.mutable_report() = report;
  request.set_policy(policy);
  v1::DemystifyResponse response;
  if (!Demystify(request, policies, google::protobuf::Timestamp(), response)
           .ok()) {
    return {};
  }
  return response.diagnosis();
}

std::string NoteOn(const std::string& name, const char* stands,
                   const v1::Diagnosis& of_row) {
  std::string note =
      absl::StrFormat("\"%s\" %s the built-in row %s (%s)", name, stands,
                      of_row.signature(), v1::Cause_Name(of_row.cause()));
  if (of_row.has_first_step()) {
    absl::StrAppend(
        &note, ", which says what to do first: ", of_row.first_step().text());
  }
  return note;
}

// The signatures of one policy.
class Comparison {
 public:
  Comparison(const PolicySet& policies, const PolicySet& built_in,
             const Ruleset& ruleset, Issues& issues)
      : policies_(policies),
        built_in_(built_in),
        ruleset_(ruleset),
        noted_(static_cast<std::size_t>(
            ruleset.source().spec().signatures_size())),
        report_(ruleset.positions(), issues) {}

  void Run() {
    std::set<std::int32_t> codes = {kGeneralExit};
    for (const v1::Signature& signature : signatures()) {
      const auto& own = signature.exit_codes();
      if (!own.empty() && !signature.message_pattern().empty()) {
        codes.insert(own[0]);
      }
    }
    for (const demystify::TextSample& sample : demystify::TextSamples()) {
      const std::string row =
          absl::StrFormat("%s/%s", sample.table, sample.name);
      for (const auto& [source, json] : kTextReports) {
        const bool ends = source == v1::Signature::TERMINATION_MESSAGE;
        for (const std::int32_t code : codes) {
          Compare(source, sample.text, code, row);
          if (!ends) break;
        }
      }
    }
    for (const auto& own : demystify::rows::ExitCodes()) {
      if (own.context != demystify::ExitContext::kAny) continue;
      Compare(v1::Signature::TERMINATION_MESSAGE, "", own.code, "");
    }
  }

 private:
  const google::protobuf::RepeatedPtrField<v1::Signature>& signatures() const {
    return ruleset_.source().spec().signatures();
  }

  // Returns the index of the signature that decides the text; -1 if none does.
  int DecidingSignature(TextSource source, std::string_view text,
                        std::int32_t code) const {
    PatternAllowance patterns;
    const demystify::Signature* found =
        ruleset_.compiled().signatures->Match(source, text, code, patterns);
    if (found == nullptr) return -1;
    const std::string_view name = found->key.substr(ruleset_.name().size() + 1);
    const auto& all = signatures();
    const auto of_name = std::ranges::find_if(
        all, [name](const auto& one) { return one.name() == name; });
    return static_cast<int>(of_name - all.begin());
  }

  // Compares only if `row` decides the text; an empty `row` allows any.
  void Compare(TextSource source, std::string_view text, std::int32_t code,
               const std::string& row) {
    const int index = DecidingSignature(source, text, code);
    if (index < 0) return;
    const v1::Signature& signature = signatures()[index];
    // An exit code alone does not depend on the text.
    if (!text.empty() && signature.message_pattern().empty()) return;
    std::set<std::string>& noted = noted_[static_cast<std::size_t>(index)];
    if (noted.size() >= kMaxNotes || noted.contains(row)) return;
    const v1::FailureReport report = ReportOf(source, text, code);
    const v1::Diagnosis without =
        DiagnoseUnder(report, built_in_, built_in_.Select({}).name());
    if (row.empty() ? without.signature().empty()
                    : without.signature() != row) {
      return;
    }
    const v1::Diagnosis with =
        DiagnoseUnder(report, policies_, ruleset_.name());
    const char* const stands =
        with.cause() == without.cause() ? "repeats" : "shadows";
    noted.insert(without.signature());
    report_.Note(absl::StrCat("spec.signatures[", index, "]"),
                 NoteOn(signature.name(), stands, without));
  }

  const PolicySet& policies_;
  const PolicySet& built_in_;
  const Ruleset& ruleset_;
  // Rows that each signature has a note about.
  std::vector<std::set<std::string>> noted_;
  IssueReporter report_;
};

}  // namespace

void CompareWithBuiltInRows(const PolicySet& policies, Issues& issues) {
  Issues none;
  const auto built_in = LoadPolicies({EmbeddedPolicy()}, none);
  for (const auto& ruleset : policies.policies()) {
    if (ruleset->compiled().signatures == nullptr) continue;
    Comparison(policies, *built_in, *ruleset, issues).Run();
  }
}

}  // namespace mulligan
