#include "policy/demystify/logs/severity.h"

#include <cstddef>

#include "policy/base/characters.h"
#include "policy/demystify/logs/structured.h"
#include "re2/re2.h"

namespace mulligan::demystify {
namespace {

// Returns whether the line says that the program continues.
bool SaysItContinues(std::string_view line) {
  constexpr std::size_t kLongest = 512;
  static const RE2 kWords(
      R"((?i)\b(?:continuing|defaulting|from scratch|ignored|ignoring|skipped|)"
      R"(skipping|using defaults?|using the default)\b|falling back|)"
      R"(will be disabled|will not be enabled)");
  return line.size() <= kLongest &&
         RE2::PartialMatch(re2::StringPiece(line.data(), line.size()), kWords);
}

// Returns whether a level below error is near the start of a line.
bool HasLowLevel(std::string_view line) {
  constexpr std::size_t kNear = 80;
  static const RE2 kLevel(
      // Excludes "set NCCL_DEBUG=INFO".
      R"((?:^|[^\w=])(?:INFO|DEBUG|TRACE|WARNING|WARN)\b)"
      // spdlog, nginx; winston, .NET.
      R"(|\[(?i:info|information|debug|trace|notice|warn|warning)\])"
      R"(|^(?i:info|debug|trace|notice|warn): )"
      // Compilers: "a.c:12: warning: ".
      R"(|\bwarning: )"
      R"(|^SLF4J: )"
      // TensorFlow.
      R"(|: [IW] )"
      // glog's "I0102 10:11:12", also behind "[rank3]:" and "[".
      R"(|^(?:\[rank[^\]]*\]:)?\[?(?:[IW]\d{3}|W ))");
  const std::string_view near = line.substr(0, kNear);
  return RE2::PartialMatch(re2::StringPiece(near.data(), near.size()), kLevel);
}

// Returns whether the line has a category of Python such as "UserWarning: ".
// Excludes Node's warning of unhandled rejections, which is about an error.
bool IsWarning(std::string_view line) {
  constexpr std::size_t kNear = 200;
  const std::size_t warning = line.substr(0, kNear).find("Warning: ");
  return warning != std::string_view::npos &&
         (warning == 0 || IsAlphanumeric(line[warning - 1])) &&
         !line.substr(0, warning).ends_with("UnhandledPromiseRejection");
}

// NCCL's WARN reports errors, and a retry follows a failure.
bool ReportsError(std::string_view line) {
  return line.find("NCCL WARN") != std::string_view::npos ||
         line.find("etry") != std::string_view::npos;
}

}  // namespace

bool IsChatter(std::string_view line) {
  constexpr std::size_t kShortest = 2;  // "W "
  if (line.size() < kShortest || ReportsError(line)) return false;
  if (IsStructured(line)) return LevelOf(line) == Level::kBelowError;
  return HasLowLevel(line) || IsWarning(line) || SaysItContinues(line) ||
         IsOfTool(line);
}

bool IsOfTool(std::string_view line) {
  static const RE2 kTool(
      R"((?:/\S*/)?(?:cat|chmod|chown|cp|ln|ls|mkdir|mv|nc|nslookup|rm|rmdir|)"
      R"(sysctl|touch|ulimit|which): )");
  constexpr std::string_view kBegins = "/clmnrstuw";
  if (line.empty() || kBegins.find(line.front()) == kBegins.npos) return false;
  re2::StringPiece rest(line.data(), line.size());
  return RE2::Consume(&rest, kTool);
}

}  // namespace mulligan::demystify
