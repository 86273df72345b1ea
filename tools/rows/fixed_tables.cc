#include "tools/rows/fixed_tables.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string_view>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "policy/loader/yaml_reader.h"
#include "policy/loader/yaml_tree.h"
#include "tools/rows/remedies.h"
#include "tools/rows/write.h"

namespace mulligan::demystify {
namespace {

using CauseMessage = signatures::CauseRow;
using signatures::CauseTable;
using signatures::XidRow;
using signatures::XidTable;

// Words in braces that policy/words/first_step.cc fills.
constexpr std::string_view kFirstStepWords[] = {
    "{pod}", "{container}", "{node}", "{image}", "{logs}", "{says}"};

// Reads the only document of a file.
void Read(const std::string& file, const std::string& yaml,
          google::protobuf::Message& message, SourceMap& positions,
          Issues& issues) {
  const YamlDocuments parsed = ParseYaml(file, yaml, issues);
  if (HasErrors(issues)) return;
  if (parsed.documents.size() != 1) {
    issues.push_back({Issue::Severity::kError,
                      file,
                      {},
                      absl::StrFormat("has %d documents, expected one",
                                      parsed.documents.size())});
    return;
  }
  ReadYamlMessage(parsed.documents.front(), message, positions, issues);
}

void CheckCause(const CauseMessage& row, const std::string& at,
                IssueReporter& report) {
  const auto need = [&](bool given, const char* key, const char* expected) {
    if (!given) {
      report.Error(absl::StrCat(at, ".", key),
                   absl::StrCat(key, " is missing, expected ", expected));
    }
  };
  need(row.cause() != v1::CAUSE_UNSPECIFIED, "cause", "a cause of cause.proto");
  need(row.fault_domain() != v1::Diagnosis::FAULT_DOMAIN_UNSPECIFIED,
       "faultDomain", "who has to act, such as APPLICATION");
  need(row.gang() != CauseMessage::GANG_CLASS_UNSPECIFIED, "gang",
       "what it says about the others of a gang, such as OWN");
  if (row.remedy().empty() !=
      (row.actor() == v1::FirstStep::ACTOR_UNSPECIFIED)) {
    report.Error(at, "expected a remedy and an actor who does it, or neither");
  }
  CheckWordsInBraces(row.remedy(), kFirstStepWords, at, report);
  CheckWordsInBraces(row.elsewhere(), kFirstStepWords, at, report);
  for (int i = 0; i < row.alternatives_size(); ++i) {
    const CauseMessage::Alternative& other = row.alternatives(i);
    if (other.cause() == v1::CAUSE_UNSPECIFIED ||
        other.cause() == row.cause() ||
        other.part() == CauseMessage::Alternative::PART_UNSPECIFIED ||
        other.why_not().empty() || other.what().empty() ||
        other.why().empty()) {
      report.Error(absl::StrCat(at, ".alternatives[", i, "]"),
                   "expected another cause, a part, whyNot, what and why");
    }
  }
}

std::string HistoryOf(const CauseMessage& row) {
  std::string history = "kNoHistory";
  for (const int meaning : row.history()) {
    absl::StrAppend(&history, " | ",
                    ConstantName(CauseMessage::History_Name(
                        static_cast<CauseMessage::History>(meaning))));
  }
  return history;
}

std::string AlternativesName(const CauseMessage& row) {
  return absl::StrCat(ConstantName(v1::Cause_Name(row.cause())), "Or");
}

// Returns "CANNOT_RECOVER" as "cannot recover".
std::string InProse(const std::string& name) {
  std::string text = absl::AsciiStrToLower(name);
  std::ranges::replace(text, '_', ' ');
  return text;
}

}  // namespace

CauseTable CompileCauses(const std::string& file, const std::string& yaml,
                         Issues& issues) {
  CauseTable table;
  SourceMap positions(file);
  Read(file, yaml, table, positions, issues);
  IssueReporter report(positions, issues);
  std::set<v1::Cause> rows;
  for (int i = 0; i < table.causes_size(); ++i) {
    const std::string at = absl::StrCat("causes[", i, "]");
    CheckCause(table.causes(i), at, report);
    if (!rows.insert(table.causes(i).cause()).second) {
      report.Error(at + ".cause",
                   absl::StrFormat("%s has a row already, expected another",
                                   v1::Cause_Name(table.causes(i).cause())));
    }
  }
  for (int number = 1; number <= v1::Cause_MAX; ++number) {
    const auto cause = static_cast<v1::Cause>(number);
    if (rows.contains(cause)) continue;
    report.Error("causes", absl::StrFormat("%s is missing, expected a row for "
                                           "each cause of cause.proto",
                                           v1::Cause_Name(cause)));
  }
  return table;
}

XidTable CompileXids(const std::string& file, const std::string& yaml,
                     Issues& issues) {
  XidTable table;
  SourceMap positions(file);
  Read(file, yaml, table, positions, issues);
  IssueReporter report(positions, issues);
  int last = -1;
  for (int i = 0; i < table.xids_size(); ++i) {
    const XidRow& row = table.xids(i);
    const std::string at = absl::StrCat("xids[", i, "]");
    const int codes = row.codes_size();
    if (codes < 1 || codes > 2 || row.codes(0) <= last ||
        row.codes(codes - 1) < row.codes(0)) {
      report.Error(at + ".codes",
                   "expected a code, or the first and the last of several, "
                   "above those of the row before");
      continue;
    }
    last = row.codes(codes - 1);
    if (row.effect() == XidRow::EFFECT_UNSPECIFIED) {
      report.Error(at + ".effect", "effect is missing, expected such as GPU");
    }
    if (row.name().empty() != row.flyte_severity().empty() ||
        row.name().empty() != row.flyte_failure().empty()) {
      report.Error(at,
                   "expected name, flyteSeverity and flyteFailure, or none");
    }
  }
  return table;
}

std::string CausesSource(const CauseTable& table) {
  std::string text = absl::StrCat(
      "// Made from policy/demystify/causes.yaml by tools/rows.\n"
      "#include \"policy/demystify/causes.h\"\n\n"
      "namespace mulligan {\nnamespace {\n\n");
  std::vector<std::string> rows(static_cast<std::size_t>(v1::Cause_MAX));
  for (int i = 0; i < table.causes_size(); ++i) {
    const CauseMessage& row = table.causes(i);
    if (row.alternatives_size() > 0) {
      absl::StrAppend(&text, "constexpr Alternative ", AlternativesName(row),
                      "[] = {\n");
      for (const CauseMessage::Alternative& other : row.alternatives()) {
        absl::StrAppend(
            &text, "  {v1::", v1::Cause_Name(other.cause()), ", Part::",
            ConstantName(CauseMessage::Alternative::Part_Name(other.part())),
            ", ", CppString(other.why_not()), ",\n   ", CppString(other.what()),
            ", ", CppString(other.why()), "},\n");
      }
      absl::StrAppend(&text, "};\n");
    }
    rows[static_cast<std::size_t>(row.cause()) - 1] = absl::StrCat(
        "  {v1::", v1::Cause_Name(row.cause()), ", ", i + 1,
        ", v1::Diagnosis::",
        v1::Diagnosis::FaultDomain_Name(row.fault_domain()),
        ", v1::Diagnosis::", v1::Diagnosis::Outlook_Name(row.outlook()),
        ",\n   GangClass::",
        ConstantName(CauseMessage::GangClass_Name(row.gang())), ", ",
        HistoryOf(row), ", ",
        row.alternatives_size() > 0 ? AlternativesName(row) : "{}", ",\n   ",
        CppString(row.remedy()),
        ", v1::FirstStep::", v1::FirstStep::Actor_Name(row.actor()), ", ",
        CppString(row.elsewhere()), "},\n");
  }
  return absl::StrCat(
      text,
      "\n}  // namespace\n\n"
      "constinit const CauseRow kCauseRows[v1::Cause_MAX] = {\n",
      absl::StrJoin(rows, ""), "};\n\n}  // namespace mulligan\n");
}

std::string CausesMarkdown(const CauseTable& table) {
  std::string text =
      "| Cause | Who has to act | Recovers unchanged | Do first |\n"
      "|---|---|---|---|\n";
  for (const CauseMessage& row : table.causes()) {
    const std::string name = v1::Cause_Name(row.cause());
    absl::StrAppend(&text, "| [`", name, "`](#", absl::AsciiStrToLower(name),
                    ") | `",
                    v1::Diagnosis::FaultDomain_Name(row.fault_domain()), "` | ",
                    row.outlook() == v1::Diagnosis::OUTLOOK_UNSPECIFIED
                        ? ""
                        : InProse(v1::Diagnosis::Outlook_Name(row.outlook())),
                    " | ", row.remedy(), " |\n");
  }
  return text;
}

std::string XidsSource(const XidTable& table) {
  std::string text =
      "// Made from policy/request/xid_codes.yaml by tools/rows.\n"
      "#include \"policy/request/xid_codes.h\"\n\n"
      "namespace mulligan {\nnamespace {\n\n"
      "constexpr XidCodes kRows[] = {\n";
  for (const XidRow& row : table.xids()) {
    absl::StrAppend(
        &text, "  {", row.codes(0), ", ", row.codes(row.codes_size() - 1),
        ", XidEffect::", ConstantName(XidRow::Effect_Name(row.effect())), ", ",
        CppString(row.name()), ", ", CppString(row.flyte_severity()), ", ",
        CppString(row.flyte_failure()), "},\n");
  }
  return text +
         "};\n\n}  // namespace\n\n"
         "std::span<const XidCodes> XidCodeRows() { return kRows; }\n\n"
         "}  // namespace mulligan\n";
}

}  // namespace mulligan::demystify
