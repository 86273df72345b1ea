#include "policy/loader/load.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

#include "absl/strings/str_format.h"
#include "mulligan/v1/policy.pb.h"
#include "policy/loader/yaml_reader.h"
#include "policy/loader/yaml_text.h"
#include "policy/loader/yaml_tree.h"

namespace mulligan {
namespace {

constexpr std::string_view kApiVersion = "mulligan.dev/v1";
constexpr std::string_view kKind = "RetryPolicy";
// More are no help, and a hostile file can have one for every few bytes.
constexpr size_t kMostIssuesPerFile = 100;
constexpr size_t kRevisionBytes = 8;

using Rulesets = std::vector<std::unique_ptr<const Ruleset>>;

void Report(const std::string& file, Position position, std::string message,
            Issues& issues) {
  issues.push_back(
      {Issue::Severity::kError, file, position, std::move(message)});
}

// Names and contents, each after its length so that no two sets share bytes.
// Folders do not count: the same ConfigMap mounted elsewhere is the same set.
std::string Revision(const std::vector<PolicyText>& texts) {
  std::string bytes;
  for (const PolicyText& text : texts) {
    const size_t slash = text.file.rfind('/');
    const std::string name =
        slash == text.file.npos ? text.file : text.file.substr(slash + 1);
    bytes += absl::StrFormat("%d:%s%d:%s", name.size(), name, text.yaml.size(),
                             text.yaml);
  }
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(),
             nullptr);
  std::string revision;
  for (size_t i = 0; i < kRevisionBytes; ++i) {
    revision += absl::StrFormat("%02x", digest[i]);
  }
  return revision;
}

void CheckConstant(const SourceMap& positions, std::string_view path,
                   const std::string& value, std::string_view expected,
                   Issues& issues) {
  if (value == expected) return;
  Report(positions.file(), positions.Find(path),
         value.empty() ? absl::StrFormat("%s is missing, expected %s: %s", path,
                                         path, expected)
                       : absl::StrFormat("%s is %s, expected %s", path,
                                         Quote(value), expected),
         issues);
}

bool IsAmong(const std::vector<Position>& positions, Position position) {
  return std::any_of(
      positions.begin(), positions.end(), [&](const Position& other) {
        return other.line == position.line && other.column == position.column;
      });
}

// Compiles one document. Null when it, or the reading before, had errors.
std::unique_ptr<const Ruleset> CompileDocument(const std::string& file,
                                               const YamlNode& document,
                                               Issues& issues) {
  v1::RetryPolicy policy;
  SourceMap positions(file);
  Issues found;
  const std::vector<Position> doubtful =
      ReadYamlMessage(document, policy, positions, found);
  const bool complete = found.empty();
  Issues further;
  CheckConstant(positions, "apiVersion", policy.api_version(), kApiVersion,
                further);
  CheckConstant(positions, "kind", policy.kind(), kKind, further);
  const bool right_kind = further.empty();
  std::unique_ptr<const Ruleset> ruleset;
  // Another kind of object is not a policy with two hundred mistakes.
  if (right_kind || complete) {
    ruleset =
        Ruleset::Compile(std::move(policy), std::move(positions), further);
  }
  for (Issue& issue : further) {
    // Where reading failed, what is missing now is a consequence.
    const bool consequence =
        !complete && (issue.severity == Issue::Severity::kWarning ||
                      IsAmong(doubtful, issue.position));
    if (!consequence) found.push_back(std::move(issue));
  }
  const bool failed = HasErrors(found);
  issues.insert(issues.end(), found.begin(), found.end());
  return failed ? nullptr : std::move(ruleset);
}

void CompileText(const PolicyText& text, Rulesets& rulesets, Issues& issues) {
  if (text.yaml.size() > kMaxPolicyFileBytes) {
    return Report(
        text.file, {},
        absl::StrFormat("larger than %d KiB", kMaxPolicyFileBytes / 1024),
        issues);
  }
  Issues found;
  const std::vector<YamlNode> documents =
      ParseYaml(text.file, text.yaml, found);
  for (const YamlNode& document : documents) {
    if (document.kind == YamlNode::Kind::kNull) {
      Report(text.file, document.position,
             "empty document, expected a RetryPolicy", found);
    } else if (auto ruleset = CompileDocument(text.file, document, found)) {
      rulesets.push_back(std::move(ruleset));
    }
  }
  if (documents.empty() && found.empty()) {
    Report(text.file, {}, "empty file, expected a RetryPolicy", found);
  }
  issues.insert(issues.end(), found.begin(), found.end());
}

bool IsCatchAll(const std::unique_ptr<const Ruleset>& ruleset) {
  return !ruleset->source().spec().has_selector();
}

// In file and line order, at most kMostIssuesPerFile of each file.
void Arrange(const std::vector<PolicyText>& texts, Issues& issues) {
  std::map<std::string, size_t> rank;
  for (const PolicyText& text : texts) rank.emplace(text.file, rank.size());
  const auto rank_of = [&](const Issue& issue) {
    const auto found = rank.find(issue.file);
    return found == rank.end() ? rank.size() : found->second;
  };
  std::stable_sort(issues.begin(), issues.end(),
                   [&](const Issue& a, const Issue& b) {
                     const auto key = [&](const Issue& issue) {
                       return std::tuple(rank_of(issue), issue.position.line,
                                         issue.position.column);
                     };
                     return key(a) < key(b);
                   });
  Issues kept;
  std::map<std::string, size_t> count;
  for (Issue& issue : issues) {
    const size_t number = ++count[issue.file];
    if (number <= kMostIssuesPerFile) {
      kept.push_back(std::move(issue));
    } else if (number == kMostIssuesPerFile + 1) {
      Report(issue.file, {}, "further problems are not shown", kept);
    }
  }
  issues = std::move(kept);
}

}  // namespace

std::unique_ptr<const PolicySet> LoadPolicies(
    const std::vector<PolicyText>& texts, Issues& issues) {
  Issues found;
  Rulesets rulesets;
  for (const PolicyText& text : texts) CompileText(text, rulesets, found);
  std::vector<PolicyText> taking_part = texts;
  if (std::none_of(rulesets.begin(), rulesets.end(), IsCatchAll)) {
    taking_part.push_back(EmbeddedPolicy());
    CompileText(taking_part.back(), rulesets, found);
  }
  std::unique_ptr<const PolicySet> policies =
      PolicySet::Create(std::move(rulesets), Revision(taking_part), found);
  Arrange(taking_part, found);
  const bool failed = HasErrors(found);
  issues.insert(issues.end(), found.begin(), found.end());
  return failed ? nullptr : std::move(policies);
}

}  // namespace mulligan
