#include "server/option_values.h"

#include <charconv>
#include <system_error>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "mulligan/v1/decision_record.pb.h"
#include "server/observe/redaction.h"

namespace mulligan {
namespace {

constexpr absl::Duration kMaxDuration = absl::Minutes(10);

bool ReadNumber(const std::string& value, std::int64_t min, std::int64_t max,
                std::int64_t& target) {
  std::int64_t parsed = 0;
  const char* end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, parsed);
  if (error != std::errc() || stop != end || parsed < min || parsed > max) {
    return false;
  }
  target = parsed;
  return true;
}

}  // namespace

std::string ApplyBool(const std::string& value, bool& target) {
  if (value != "true" && value != "false") return "true or false";
  target = value == "true";
  return "";
}

std::string ApplyDuration(const std::string& value, absl::Duration& target) {
  absl::Duration parsed;
  // Refuses "-0s" too.
  if (!absl::ParseDuration(value, &parsed) || value.front() == '-' ||
      parsed > kMaxDuration) {
    return "a duration such as 500ms, 5s or 2m, from 0 to 10m";
  }
  target = parsed;
  return "";
}

std::string ApplyBytes(const std::string& value, std::int64_t min,
                       std::int64_t max, std::int64_t& target) {
  if (ReadNumber(value, min, max, target)) return "";
  return absl::StrFormat("a number of bytes from %d to %d", min, max);
}

std::string ApplyCount(const std::string& value, std::int64_t min,
                       std::int64_t max, std::int64_t& target) {
  if (ReadNumber(value, min, max, target)) return "";
  return absl::StrFormat("a number from %d to %d", min, max);
}

std::string ApplyShare(const std::string& value, double& target) {
  double parsed = 0;
  if (!absl::SimpleAtod(value, &parsed) || !(parsed >= 0 && parsed <= 1)) {
    return "a number from 0 to 1";
  }
  target = parsed;
  return "";
}

std::string ApplyNames(const std::string& value,
                       std::vector<std::string>& names) {
  names = absl::StrSplit(value, ',');
  for (const std::string& name : names) {
    if (name.empty() || name.find(' ') != std::string::npos) {
      return "names as in certificates, such as "
             "spiffe://cluster.local/ns/ml/sa/operator or *.ml.svc, separated "
             "by commas";
    }
  }
  return "";
}

std::string ApplyRecordFields(const std::string& value,
                              std::vector<std::string>& paths) {
  paths = absl::StrSplit(value, ',');
  const absl::StatusOr<Redaction> redaction =
      Redaction::Of(*v1::DecisionRecord::descriptor(), paths);
  if (redaction.ok()) {
    for (const std::string& path : paths) {
      if (path != "request" && path != "response") continue;
      return absl::StrFormat(
          "fields within the request or the response; a line without its %s "
          "cannot be replayed",
          path);
    }
    return "";
  }
  return absl::StrFormat(
      "fields of mulligan.v1.DecisionRecord such as "
      "request.report.pods.metadata.annotations, separated by commas; %s",
      std::string(redaction.status().message()));
}

}  // namespace mulligan
