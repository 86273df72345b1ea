#include "client/cli/input/pasted.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/cli/base/json_text.h"
#include "policy/base/utf8.h"
#include "policy/limits.h"
#include "re2/re2.h"

namespace mulligan::cli {
namespace {

// Output for people, pasted instead of objects.
struct PastedText {
  std::string_view begins;
  // Must also occur in the text; empty if nothing has to.
  std::string_view has;
  std::string_view what;
};

constexpr std::string_view kGetTable =
    "output of `kubectl get` for people, expected objects: use `kubectl get "
    "... -o yaml` or `-o json`";
constexpr std::string_view kDescription =
    "output of `kubectl describe` for people, expected objects: use `kubectl "
    "get ... -o yaml` or `-o json`";
constexpr std::string_view kEvents =
    "the section Events of `kubectl describe`, expected "
    "objects: use `kubectl get events -o json` and those of the workload";
constexpr std::string_view kGone =
    "kubectl's message that the object does not exist: pass the rest of its "
    "workload, `kubectl get jobs,pods,events -o json`";
constexpr std::string_view kRefused =
    "an error of kubectl, expected objects: `kubectl get ... -o json` must "
    "succeed first";
constexpr std::string_view kFence =
    "fenced as Markdown, expected the objects alone: leave out the lines that "
    "begin with ```";
constexpr std::string_view kPrompt =
    "a command with its output, expected the objects alone: leave out the "
    "line with the command";
constexpr PastedText kPastedTexts[] = {
    {"```", "", kFence},
    {"$ kubectl ", "", kPrompt},
    {"kubectl get ", "\n", kPrompt},
    {"NAME ", "", kGetTable},
    {"NAMESPACE ", "", kGetTable},
    {"LAST SEEN ", "", kGetTable},
    {"Name: ", "\nNamespace:", kDescription},
    {"Name: ", "\nLabels:", kDescription},
    {"Events:", "\n  Type ", kEvents},
    {"Error from server (NotFound)", "", kGone},
    {"No resources found", "", kGone},
    {"Error from server", "", kRefused},
    {"error: ", "", kRefused},
    {"bash: ", "kubectl: command not found", kRefused},
    {"The connection to the server ", "", kRefused},
    {"Unable to connect to the server", "", kRefused},
};

// Member names of common loggers (zap, logrus, slog, zerolog, bunyan and pino,
// Logback, structlog, python-json-logger, hclog, Docker, Google Cloud), the
// most usual first.
constexpr std::string_view kLevels[] = {"level",     "severity", "lvl",
                                        "levelname", "@level",   "log.level",
                                        "LEVEL",     "logLevel"};
constexpr std::string_view kTimes[] = {
    "ts", "time", "timestamp", "@timestamp", "asctime", "datetime", "t"};
constexpr std::string_view kTexts[] = {
    "msg", "message", "@message", "event", "log", "textPayload", "MESSAGE"};

// Longer lines are Kubernetes objects.
constexpr std::size_t kLongestLine = kMaxTextBytes;

using Members = std::vector<JsonMember>;

// Returns the value of the first name that is present; "null" if none is.
std::string_view Find(const Members& members,
                      std::span<const std::string_view> names) {
  for (const std::string_view name : names) {
    const auto found = std::ranges::find(members, name, &JsonMember::key);
    if (found != members.end()) return found->value;
  }
  return "null";
}

bool Has(const Members& members, std::span<const std::string_view> names) {
  return TypeOfJson(Find(members, names)) != JsonType::kNull;
}

// Returns whether a logger wrote the line.
bool IsLogged(std::string_view line) {
  const std::size_t begin = SkipJsonSpace(line);
  if (line.size() > kLongestLine || line.substr(begin, 1) != "{") return false;
  const absl::StatusOr<std::size_t> end = CheckJsonValue(line, begin);
  if (!end.ok() || SkipJsonSpace(line, *end) != line.size()) return false;
  const Members members = JsonMembers(line);
  const bool is_logged =
      TypeOfJson(Find(members, kTexts)) == JsonType::kString &&
      (Has(members, kLevels) || Has(members, kTimes));
  const bool is_object = std::ranges::find(members, "apiVersion",
                                           &JsonMember::key) != members.end();
  return is_logged && !is_object;
}

}  // namespace

std::string_view DescribePasted(std::string_view text) {
  for (const PastedText& pasted : kPastedTexts) {
    if (text.starts_with(pasted.begins) && text.find(pasted.has) != text.npos) {
      return pasted.what;
    }
  }
  // A row of pods with --no-headers: "ml train-0 0/1 Error 2 (5m ago) 5m".
  static const RE2 kRow(
      R"((?:\S+ +)?[a-z0-9.-]+ +\d+/\d+ +[A-Z][\w:/]+ +\d+(?: \(\w+ ago\))? +\d+[smhdy]\S*.*)");
  return RE2::FullMatch(std::string(text.substr(0, text.find('\n'))), kRow)
             ? kGetTable
             : "";
}

bool IsJsonLog(std::string_view log) {
  const std::size_t begin = SkipJsonSpace(log);
  return IsLogged(log.substr(begin, log.find('\n', begin) - begin));
}

std::string ReportOfLog(std::string_view log) {
  // The reason for a program's end is at the end of its log.
  std::string tail = TailOf(log);
  if (tail.size() < log.size()) {
    // Keeps whole lines, unless there is only one.
    const std::size_t line = tail.find('\n');
    if (line < tail.size() - 1) tail.erase(0, line + 1);
  }
  return absl::StrCat("{\"exit\":{\"message\":", QuoteJson(tail), "}}");
}

}  // namespace mulligan::cli
