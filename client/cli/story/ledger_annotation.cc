#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "client/cli/base/json_text.h"
#include "client/cli/base/proto_json.h"
#include "client/cli/input/workload_groups.h"
#include "client/cli/story/story.h"
#include "policy/request/workload.h"

namespace mulligan::cli {
namespace {

std::string LabelOf(const OwningObject& holder) {
  return absl::StrCat(std::string(holder.kind), " ", holder.meta->namespace_(),
                      holder.meta->namespace_().empty() ? "" : "/",
                      holder.meta->name());
}

absl::StatusOr<v1::BudgetLedger> Parse(const std::string& text,
                                       const std::string& label) {
  const auto bad = [&label](std::string_view why) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s: annotation %s: %s, expected the ledger of an "
                        "earlier answer as JSON",
                        label, kLedgerAnnotation, why));
  };
  v1::BudgetLedger ledger;
  const absl::StatusOr<std::size_t> end = CheckJsonValue(text);
  if (!end.ok()) return bad(std::string(end.status().message()));
  if (SkipJsonSpace(text, *end) < text.size() ||
      TypeOfJson(text) != JsonType::kObject ||
      (!JsonMembers(text).empty() &&
       !NamesFieldOf(text, *v1::BudgetLedger::descriptor()))) {
    return bad("is not one BudgetLedger");
  }
  absl::Status status = ParseProtoJson(text, ledger);
  if (!status.ok()) return bad(std::string(status.message()));
  return ledger;
}

// Commands take the plural or singular in lower case, any group.
std::string Resource(const v1::WorkloadReference& workload) {
  std::string kind = absl::AsciiStrToLower(workload.kind());
  return absl::StrCat(kind, "/", workload.name());
}

// In single quotes for a shell.
std::string Quoted(const std::string& text) {
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"'", R"('\'')"}}), "'");
}

}  // namespace

std::string TakeAnnotatedLedger(v1::DecideRequest& request,
                                std::vector<std::string>& warnings) {
  if (request.has_ledger()) return std::string();
  const v1::WorkloadReference workload = WorkloadOf(request.report());
  std::string label = absl::StrCat(workload.kind(), " ", workload.name());
  std::string text;
  const auto& given = request.report().workload().annotations();
  if (const auto found = given.find(kLedgerAnnotation); found != given.end()) {
    text = found->second;
  } else {
    for (const OwningObject& holder : OwnersFirst(request.report())) {
      const auto& annotations = holder.meta->annotations();
      const auto annotation = annotations.find(kLedgerAnnotation);
      if (annotation == annotations.end()) continue;
      text = annotation->second;
      label = LabelOf(holder);
      break;
    }
  }
  if (SkipJsonSpace(text) == text.size()) return std::string();
  absl::StatusOr<v1::BudgetLedger> ledger = Parse(text, label);
  if (!ledger.ok()) {
    warnings.push_back(absl::StrCat(std::string(ledger.status().message()),
                                    "; went on without it"));
    return std::string();
  }
  if (!ledger->workload_uid().empty() && !workload.uid().empty() &&
      ledger->workload_uid() != workload.uid()) {
    warnings.push_back(absl::StrFormat(
        "%s: the ledger in annotation %s was left out: it is of the object "
        "with UID %s, which was replaced",
        label, kLedgerAnnotation, ledger->workload_uid()));
    return std::string();
  }
  *request.mutable_ledger() = *std::move(ledger);
  return label;
}

LedgerNote NoteLedger(const v1::WorkloadReference& workload,
                      const v1::BudgetLedger& ledger,
                      const std::string& source) {
  LedgerNote note;
  note.source = source;
  const absl::StatusOr<std::string> json = PrintCompactJson(ledger);
  if (!json.ok() || ledger.history().empty()) return note;
  note.json = *json;
  if (workload.kind().empty() || workload.name().empty()) return note;
  note.command = "kubectl annotate --overwrite";
  if (!workload.namespace_().empty()) {
    absl::StrAppend(&note.command, " -n ", workload.namespace_());
  }
  absl::StrAppend(&note.command, " ", Resource(workload), " ",
                  kLedgerAnnotation, "=", Quoted(note.json));
  return note;
}

}  // namespace mulligan::cli
