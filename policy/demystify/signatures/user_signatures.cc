#include "policy/demystify/signatures/user_signatures.h"

#include <re2/re2.h>

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "policy/base/issue.h"
#include "policy/base/text_pattern.h"
#include "policy/demystify/signatures/matching/text_table.h"

namespace mulligan {

struct UserSignatures::Row {
  std::string name;
  std::string meaning;
  std::string remedy;
  demystify::Signature signature;
  // Null if it matches exit codes only.
  std::unique_ptr<const re2::RE2> pattern;
  std::uint32_t sources = 0;
  std::vector<std::int32_t> exit_codes;

  bool MatchesCode(std::optional<std::int32_t> code) const {
    if (exit_codes.empty()) return true;
    return code.has_value() && *code != 0 &&
           std::find(exit_codes.begin(), exit_codes.end(), *code) !=
               exit_codes.end();
  }
};

namespace {

constexpr std::size_t kMaxRemedyBytes = 1024;
constexpr const char* kRemedyNames[] = {"{pod}",   "{container}", "{node}",
                                        "{image}", "{logs}",      "{says}"};

std::uint32_t Bit(int source) { return 1U << static_cast<unsigned>(source); }

void CheckCause(const v1::Signature& signature, const std::string& path,
                IssueReporter& report) {
  const bool known = v1::Cause_IsValid(signature.cause()) &&
                     signature.cause() != v1::CAUSE_UNSPECIFIED &&
                     signature.cause() <= v1::UNKNOWN;
  if (!known) {
    report.Error(path + ".cause",
                 "missing or not a cause of a failure, expected a name such "
                 "as GPU_FAULT");
  }
}

void CheckBlame(const v1::Signature& signature, const std::string& path,
                IssueReporter& report) {
  if (!v1::Diagnosis::FaultDomain_IsValid(signature.fault_domain())) {
    report.Error(path + ".faultDomain",
                 absl::StrFormat("%d is no fault domain, expected a name such "
                                 "as APPLICATION",
                                 signature.fault_domain()));
  }
  if (!v1::Diagnosis::Outlook_IsValid(signature.outlook())) {
    report.Error(path + ".outlook",
                 absl::StrFormat("%d is no outlook, expected a name such as "
                                 "CANNOT_RECOVER",
                                 signature.outlook()));
  }
}

void CheckConditions(const v1::Signature& signature, const std::string& path,
                     IssueReporter& report) {
  if (signature.exit_codes_size() > kMaxListEntries) {
    report.Error(path + ".exitCodes",
                 absl::StrCat("has ", signature.exit_codes_size(),
                              " entries, expected at most ", kMaxListEntries));
  }
  if (signature.message_pattern().empty() && signature.exit_codes().empty()) {
    report.Error(path,
                 "neither messagePattern nor exitCodes, expected at least one");
  }
}

void CheckRemedy(const v1::Signature& signature, const std::string& path,
                 IssueReporter& report) {
  const std::string& remedy = signature.remedy();
  if (remedy.size() > kMaxRemedyBytes) {
    report.Error(path + ".remedy",
                 absl::StrCat("has ", remedy.size(),
                              " bytes, expected at most ", kMaxRemedyBytes));
  }
  for (std::size_t at = remedy.find('{'); at != std::string::npos;
       at = remedy.find('{', at + 1)) {
    const std::string_view rest = std::string_view(remedy).substr(at);
    if (std::ranges::any_of(kRemedyNames, [rest](std::string_view name) {
          return rest.starts_with(name);
        })) {
      continue;
    }
    report.Error(
        path + ".remedy",
        absl::StrFormat("\"%s\" stands for nothing, expected one of %s",
                        std::string(rest.substr(0, rest.find('}') + 1)),
                        absl::StrJoin(kRemedyNames, ", ")));
  }
}

bool Found(const re2::RE2& pattern, std::string_view text,
           PatternAllowance& patterns) {
  constexpr std::size_t kMaxSearched =
      demystify::kScannedHead + demystify::kScannedTail;
  if (text.size() <= kMaxSearched) return patterns.Find(pattern, text);
  return patterns.Find(pattern, text.substr(0, demystify::kScannedHead)) ||
         patterns.Find(pattern,
                       text.substr(text.size() - demystify::kScannedTail));
}

std::uint32_t SourcesOf(const v1::Signature& signature) {
  std::uint32_t sources = 0;
  for (const int source : signature.sources()) sources |= Bit(source);
  return sources != 0 ? sources
                      : Bit(v1::Signature::TERMINATION_MESSAGE) |
                            Bit(v1::Signature::EVENT) |
                            Bit(v1::Signature::WAITING_MESSAGE);
}

}  // namespace

UserSignatures::UserSignatures() = default;
UserSignatures::~UserSignatures() = default;

std::unique_ptr<const UserSignatures> UserSignatures::Create(
    const std::string& policy_name, const v1::RetryPolicySpec& spec,
    const SourceMap& positions, PatternAllowance& allowance, Issues& issues) {
  IssueReporter report(positions, issues);
  std::unique_ptr<UserSignatures> result(new UserSignatures);
  std::set<std::string> names;
  if (spec.signatures_size() > kMaxSignatures) {
    report.Error(
        "spec.signatures",
        absl::StrCat("has ", spec.signatures_size(),
                     " signatures, expected at most ", kMaxSignatures));
    return nullptr;
  }
  for (int i = 0; i < spec.signatures_size(); ++i) {
    const v1::Signature& from = spec.signatures(i);
    const std::string path = absl::StrCat("spec.signatures[", i, "]");
    auto row = std::make_unique<Row>();
    if (from.name().empty()) {
      report.Error(path + ".name", "missing, expected a unique name");
    } else if (!names.insert(from.name()).second) {
      report.Error(path + ".name",
                   absl::StrFormat("\"%s\" is used twice", from.name()));
    }
    CheckCause(from, path, report);
    CheckBlame(from, path, report);
    CheckConditions(from, path, report);
    CheckRemedy(from, path, report);
    if (!from.message_pattern().empty()) {
      row->pattern = CompilePattern(
          from.message_pattern(), path + ".messagePattern", allowance, report);
    }
    row->name = absl::StrCat(policy_name, "/", from.name());
    row->meaning = from.meaning().empty() ? "a signature of the policy matched"
                                          : from.meaning();
    row->remedy = from.remedy();
    row->sources = SourcesOf(from);
    row->exit_codes.assign(from.exit_codes().begin(), from.exit_codes().end());
    row->signature = {row->name,
                      from.cause(),
                      from.confidence() == v1::Diagnosis::CONFIDENCE_UNSPECIFIED
                          ? v1::Diagnosis::MEDIUM
                          : from.confidence(),
                      demystify::Tier::kSpecific,
                      row->pattern != nullptr ? demystify::kTextWeight
                                              : demystify::kExitCodeWeight,
                      demystify::kNoFlags,
                      row->meaning,
                      from.fault_domain(),
                      from.outlook()};
    result->rows_.push_back(std::move(row));
  }
  if (report.errors() > 0) return nullptr;
  return result;
}

std::string_view UserSignatures::RemedyOf(std::string_view signature) const {
  const auto row = std::ranges::find(rows_, signature, [](const auto& one) {
    return std::string_view(one->name);
  });
  return row == rows_.end() ? std::string_view() : (*row)->remedy;
}

const demystify::Signature* UserSignatures::Match(
    v1::Signature::Source source, std::string_view text,
    std::optional<std::int32_t> exit_code, PatternAllowance& patterns) const {
  for (const auto& row : rows_) {
    if ((row->sources & Bit(source)) == 0 || !row->MatchesCode(exit_code)) {
      continue;
    }
    if (row->pattern == nullptr) {
      if (source == v1::Signature::TERMINATION_MESSAGE) return &row->signature;
      continue;
    }
    if (!text.empty() && Found(*row->pattern, text, patterns))
      return &row->signature;
  }
  return nullptr;
}

}  // namespace mulligan
