#include "policy/loader/load.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "absl/strings/str_format.h"
#include "mulligan/v1/policy.pb.h"
#include "policy/limits.h"
#include "policy/loader/read_files.h"
#include "policy/loader/suggest.h"
#include "policy/loader/yaml_reader.h"
#include "policy/loader/yaml_text.h"
#include "policy/loader/yaml_tree.h"

namespace mulligan {
namespace {

constexpr std::string_view kKind = "RetryPolicy";
// Name of the embedded policy that answers as the operator.
constexpr std::string_view kNativeName = "native";
// More do not help, and a hostile file can have one for every few bytes.
constexpr size_t kMaxIssuesPerFile = 100;
constexpr size_t kRevisionBytes = 8;

using Rulesets = std::vector<std::unique_ptr<const Ruleset>>;

void Report(const std::string& file, Position position, std::string message,
            Issues& issues) {
  issues.push_back(
      {Issue::Severity::kError, file, position, std::move(message)});
}

// Returns whether the document is of another kind, its only issue then.
bool IsOtherKind(const std::string& file, const YamlNode& document,
                 Issues& issues) {
  for (const auto& [key, value] : document.entries) {
    if (key.text != "kind" || value.kind != YamlNode::Kind::kScalar) continue;
    const bool is_suite = value.text == kSuiteKind;
    if (!is_suite && !Nearest(value.text, {std::string(kKind)}).empty()) {
      return false;
    }
    Report(
        file, value.position,
        absl::StrFormat("kind is %s, expected %s%s", Quote(value.text), kKind,
                        is_suite ? "; suites are run by `mulligan policy "
                                   "test` and named *_test.yaml"
                                 : ""),
        issues);
    return true;
  }
  return false;
}

// Rules for blocks pasted from other objects. Pod and cluster templates have no
// bearing on retries, so unknown keys in them are ignored.
UnknownKeys ForeignBlocks(std::string_view path) {
  constexpr std::string_view kPasted = "spec.pasted.";
  if (!path.starts_with(kPasted)) return UnknownKeys::kRefuse;
  const std::string_view block = path.substr(kPasted.size());
  for (const std::string_view created :
       {".template", ".submitterPodTemplate", ".rayClusterSpec"}) {
    if (block.find(created) != block.npos) return UnknownKeys::kIgnore;
  }
  return UnknownKeys::kWarn;
}

// Returns whether an incomplete map at `path` is still checked as a whole,
// because those checks do not depend on its members' values.
bool IsJudgedByMember(std::string_view path) {
  constexpr std::string_view kRule = "spec.rules[";
  return path.empty() || path == "spec" ||
         (path.starts_with(kRule) && path.find(']') == path.size() - 1);
}

// A position without issues. Problems at doubtful paths only follow from those
// already reported.
constexpr Position kNowhere = {-1, -1};

void HideDoubtful(const DoubtfulPaths& doubtful, SourceMap& positions) {
  for (const std::string& path : doubtful.values) {
    positions.Add(path, kNowhere);
  }
  for (const std::string& path : doubtful.maps) {
    if (!IsJudgedByMember(path)) positions.Add(path, kNowhere);
  }
}

// Compiles one document and appends it to `rulesets` if it has no errors. Of a
// truncated document, only what it contains is checked.
void CompileDocument(const std::string& file, const YamlNode& document,
                     bool truncated, PatternAllowance& allowance,
                     Rulesets& rulesets, Issues& issues) {
  if (document.kind == YamlNode::Kind::kNull) {
    return Report(file, document.position,
                  "empty document, expected a RetryPolicy", issues);
  }
  if (IsOtherKind(file, document, issues)) return;
  v1::RetryPolicy policy;
  SourceMap positions(file);
  Issues found;
  const DoubtfulPaths doubtful =
      ReadYamlMessage(document, policy, positions, found, ForeignBlocks);
  const bool complete = !HasErrors(found);
  if (!complete) HideDoubtful(doubtful, positions);
  issues.insert(issues.end(), found.begin(), found.end());
  if (truncated) return;
  Issues further;
  std::unique_ptr<const Ruleset> ruleset = Ruleset::Compile(
      std::move(policy), std::move(positions), further, allowance);
  for (Issue& issue : further) {
    const bool consequence =
        !complete && (issue.severity == Issue::Severity::kWarning ||
                      issue.position.line == kNowhere.line);
    if (!consequence) issues.push_back(std::move(issue));
  }
  if (complete && ruleset != nullptr) rulesets.push_back(std::move(ruleset));
}

void CompileText(const PolicyText& text, PatternAllowance& allowance,
                 Rulesets& rulesets, Issues& issues) {
  if (!allowance.CheckNow().ok()) return;
  if (text.yaml.size() > kMaxPolicyFileBytes) {
    return Report(
        text.file, {},
        absl::StrFormat("larger than %d KiB", kMaxPolicyFileBytes / 1024),
        issues);
  }
  const size_t known = issues.size();
  const YamlDocuments parsed = ParseYaml(text.file, text.yaml, issues);
  if (parsed.documents.empty() && issues.size() == known) {
    Report(text.file, {}, "empty file, expected a RetryPolicy", issues);
  }
  // Anchors, tags and the like are refused but can still be read.
  const bool refused = issues.size() > known;
  Rulesets compiled;
  for (const YamlNode& document : parsed.documents) {
    const bool last = &document == &parsed.documents.back();
    if (!allowance.CheckNow().ok()) return;
    CompileDocument(text.file, document, parsed.truncated && last, allowance,
                    compiled, issues);
  }
  if (refused) return;
  std::move(compiled.begin(), compiled.end(), std::back_inserter(rulesets));
}

// Callers ask for the name, so it must keep its meaning.
void AddNative(const PolicyText& text, PatternAllowance& allowance,
               Rulesets& rulesets, Issues& issues) {
  bool found = false;
  for (const auto& ruleset : rulesets) {
    if (ruleset->name() != kNativeName) continue;
    found = true;
    const auto& native = ruleset->compiled().native;
    if (native != nullptr && native->decides) continue;
    const SourceMap& positions = ruleset->positions();
    Report(positions.file(), positions.Find("metadata.name"),
           "\"native\" is the policy that answers as the workload's own "
           "operator: rename this one, or give it native.useOwnSpec",
           issues);
  }
  if (!found) CompileText(text, allowance, rulesets, issues);
}

// Completes the set with the embedded policy `text`.
void AddCatchAll(const PolicyText& text, PatternAllowance& allowance,
                 Rulesets& rulesets, Issues& issues) {
  Rulesets embedded;
  CompileText(text, allowance, embedded, issues);
  for (auto& policy : embedded) {
    const auto same_name = std::ranges::find_if(
        rulesets,
        [&](const auto& other) { return other->name() == policy->name(); });
    if (same_name == rulesets.end()) {
      rulesets.push_back(std::move(policy));
      continue;
    }
    const SourceMap& positions = (*same_name)->positions();
    Report(positions.file(), positions.Find("metadata.name"),
           absl::StrFormat("policy \"%s\" has a selector, so the embedded "
                           "policy of that name is needed for all other "
                           "workloads: rename it or remove its selector",
                           policy->name()),
           issues);
    *same_name = std::move(policy);
  }
}

// Sorts issues by file and line, at most kMaxIssuesPerFile per file.
void SortIssues(const std::vector<PolicyText>& texts, Issues& issues) {
  std::map<std::string, size_t> rank;
  for (const PolicyText& text : texts) rank.emplace(text.file, rank.size());
  const auto rank_of = [&](const Issue& issue) {
    const auto found = rank.find(issue.file);
    return found == rank.end() ? rank.size() : found->second;
  };
  std::ranges::stable_sort(issues, [&](const Issue& a, const Issue& b) {
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
    if (number <= kMaxIssuesPerFile) {
      kept.push_back(std::move(issue));
    } else if (number == kMaxIssuesPerFile + 1) {
      Report(issue.file, {}, "further problems are not shown", kept);
    }
  }
  issues = std::move(kept);
}

}  // namespace

// Hashes names and contents, each after its length, so that different sets have
// different bytes. Folders are excluded: a ConfigMap mounted elsewhere is the
// same set.
std::string PolicyRevision(const std::vector<PolicyText>& texts) {
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

std::unique_ptr<const PolicySet> LoadPolicies(
    const std::vector<PolicyText>& texts, Issues& issues) {
  PatternAllowance allowance(kMaxCompileSteps);
  return LoadPolicies(texts, issues, allowance);
}

std::unique_ptr<const PolicySet> LoadPolicies(
    const std::vector<PolicyText>& texts, Issues& issues,
    PatternAllowance& allowance) {
  Issues found;
  Rulesets rulesets;
  for (const PolicyText& text : texts) {
    CompileText(text, allowance, rulesets, found);
  }
  std::vector<PolicyText> taking_part = texts;
  if (std::ranges::none_of(rulesets, [](const auto& ruleset) {
        return ruleset->IsCatchAll();
      })) {
    taking_part.push_back(EmbeddedPolicy());
    AddCatchAll(taking_part.back(), allowance, rulesets, found);
  }
  taking_part.push_back(EmbeddedNativePolicy());
  AddNative(taking_part.back(), allowance, rulesets, found);
  if (!allowance.CheckNow().ok()) return nullptr;
  std::unique_ptr<const PolicySet> policies = PolicySet::Create(
      std::move(rulesets), PolicyRevision(taking_part), found);
  SortIssues(taking_part, found);
  const bool failed = HasErrors(found);
  issues.insert(issues.end(), found.begin(), found.end());
  return failed ? nullptr : std::move(policies);
}

}  // namespace mulligan
