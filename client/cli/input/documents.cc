#include "client/cli/input/documents.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/base/errors.h"
#include "client/cli/base/json_text.h"
#include "client/cli/base/utf8.h"
#include "google/protobuf/descriptor.h"
#include "mulligan/v1/retry_decision_service.pb.h"
#include "policy/base/utf8.h"
#include "policy/limits.h"
#include "policy/request/kubernetes_codec.h"
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

// Returns what `text` is and what is expected instead: "an error of kubectl,
// expected objects: ...". Empty if it may be objects or a log.
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

// Returns whether the first line of `log` comes from a structured logger: a
// JSON object with a message, and a level or a time.
bool IsJsonLog(std::string_view log) {
  const std::size_t begin = SkipJsonSpace(log);
  return IsLogged(log.substr(begin, log.find('\n', begin) - begin));
}

// Returns the FailureReport, in JSON, of work with only the end of its log.
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

constexpr std::string_view kUtf8Mark = "\xef\xbb\xbf";

bool IsUtf16(std::string_view bytes) {
  const std::string_view mark = bytes.substr(0, 2);
  return mark == "\xff\xfe" || mark == "\xfe\xff";
}

bool IsOneLine(std::string_view text) {
  return text.find('\n', SkipJsonSpace(text)) >=
         text.find_last_not_of(" \t\r\n");
}

// A single word may be a name and is not a log.
bool IsMoreThanAWord(std::string_view text) {
  return !IsOneLine(text) || text.find(' ') != text.npos;
}

// Returns whether the first line that is not a comment may be YAML. Keys begin
// in lower case and plain values have no ": ", so "ValueError: bad" and "panic:
// runtime error: x" are logs.
bool BeginsLikeYaml(std::string_view text) {
  static const RE2& kBegin =
      *new RE2(R"((?:---|[%{\[]).*|-|)"
               R"((?:-\s+)?(?:["'][\w./-]+["']|[a-z][\w./-]*)\s*:)"
               R"((?:\s+(?:["'{\[|>&*!#].*|(?:[^:]|:\S)*))?)",
               RE2::Latin1);
  for (std::size_t at = SkipJsonSpace(text); at < text.size();
       at = SkipJsonSpace(text, at)) {
    std::string_view line = text.substr(at, text.find('\n', at) - at);
    at += line.size();
    if (line.front() == '#') continue;
    line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
    return RE2::FullMatch({line.data(), line.size()}, kBegin);
  }
  return false;
}

// Returns whether a line of `text` begins with a member of an object or a
// report, as all YAML that we read does.
bool NamesMember(std::string_view text) {
  std::set<std::string, std::less<>> members = {"apiVersion", "kind",
                                                "metadata"};
  for (const google::protobuf::Descriptor* type :
       {v1::FailureReport::descriptor(), v1::DecideRequest::descriptor(),
        v1::DecideResponse::descriptor(), v1::BudgetLedger::descriptor()}) {
    for (int i = 0; i < type->field_count(); ++i) {
      members.insert(std::string(type->field(i)->json_name()));
    }
  }
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view line = text.substr(at, text.find('\n', at) - at);
    at += line.size() + 1;
    const std::size_t start = line.find_first_not_of(" \t-{\"'");
    if (start == line.npos) continue;
    const std::string_view rest = line.substr(start);
    const std::size_t end = rest.find_first_of(" :\"'");
    if (end != rest.npos && members.contains(rest.substr(0, end)) &&
        rest.find(':') != rest.npos) {
      return true;
    }
  }
  return false;
}

// Returns a report of an end that has only the log as its message.
Documents LogAsReport(std::string_view source, std::string_view log) {
  Documents documents;
  documents.json.push_back(ReportOfLog(log));
  documents.warnings.push_back(absl::StrFormat(
      "%s: is a log, diagnosed by its text alone: add `kubectl get pod NAME -o "
      "json` to know more",
      source));
  return documents;
}

// Returns the report of a log; empty if the text may be objects.
std::optional<Documents> LogIn(std::string_view source, std::string_view text,
                               bool is_json) {
  const bool is_prose =
      IsMoreThanAWord(text) && (IsOneLine(text) || !BeginsLikeYaml(text));
  const bool is_log =
      is_json ? IsJsonLog(text) : is_prose && !NamesMember(text);
  if (!is_log) return std::nullopt;
  return LogAsReport(source, text);
}

// Moves from `text` if it is one value, because a list may be large.
absl::StatusOr<std::vector<std::string>> SplitJson(std::string& text) {
  std::vector<std::string> values;
  for (size_t at = SkipJsonSpace(text); at < text.size();) {
    const absl::StatusOr<size_t> end = CheckJsonValue(text, at);
    if (!end.ok()) return end.status();
    if (values.empty() && SkipJsonSpace(text, *end) == text.size()) {
      values.push_back(std::move(text));
      break;
    }
    values.push_back(text.substr(at, *end - at));
    at = SkipJsonSpace(text, *end);
  }
  return values;
}

absl::StatusOr<std::vector<std::string>> SplitYaml(std::string_view source,
                                                   std::string& text,
                                                   Documents& documents) {
  std::string clean = SanitizeUtf8(text);
  if (clean != text) {
    documents.warnings.push_back(absl::StrFormat(
        "%s: bytes that are not UTF-8 were replaced by U+FFFD", source));
  }
  absl::StatusOr<std::vector<std::string>> json = YamlToJson(clean);
  if (!json.ok() && clean.find("{{") != clean.npos) {
    return absl::Status(
        json.status().code(),
        absl::StrCat(json.status().message(),
                     "; if {{ }} is from a template, pass its output: "
                     "`helm template` or `kubectl get ... -o yaml`"));
  }
  return json;
}

constexpr std::pair<std::string_view, std::string_view> kRenames[] = {
    {"regarding", "involvedObject"},
    {"note", "message"},
    {"reportingController", "reportingComponent"},
    {"deprecatedSource", "source"},
    {"deprecatedFirstTimestamp", "firstTimestamp"},
    {"deprecatedLastTimestamp", "lastTimestamp"},
    {"deprecatedCount", "count"},
};

std::string_view CoreName(std::string_view name) {
  for (const auto& [from, to] : kRenames) {
    if (from == name) return to;
  }
  return name;
}

// Field 1, length-delimited: the metadata of every object.
constexpr char kMetadataTag = 0x0a;

constexpr std::array<std::string_view, 5> kPodPhases = {
    "Pending", "Running", "Succeeded", "Failed", "Unknown"};

bool Parse(std::string_view bytes, google::protobuf::Message& message) {
  return message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

absl::Status AddBare(std::string_view bytes, v1::FailureReport& report) {
  kubernetes::core::v1::Pod pod;
  if (Parse(bytes, pod) &&
      std::ranges::find(kPodPhases, pod.status().phase()) != kPodPhases.end()) {
    *report.add_pods() = std::move(pod);
    return absl::OkStatus();
  }
  kubernetes::batch::v1::Job job;
  if (Parse(bytes, job) && !job.metadata().name().empty() &&
      job.spec().has_template_()) {
    *report.add_jobs() = std::move(job);
    return absl::OkStatus();
  }
  return Invalid(
      "is binary data, expected JSON, YAML, or the protobuf of a Pod or Job");
}

absl::Status AddEnveloped(std::string_view bytes, v1::FailureReport& report) {
  const absl::StatusOr<EnvelopedObject> object =
      UnwrapKubernetesEnvelope(bytes);
  if (!object.ok()) return object.status();
  if (object->kind.empty()) {
    return Invalid(
        "the Kubernetes envelope names no kind: expected that of a Pod, Job, "
        "Node or Event (v1) behind the bytes 6b 38 73 00");
  }
  google::protobuf::Message* message = nullptr;
  if (object->kind == "Pod") message = report.add_pods();
  if (object->kind == "Job") message = report.add_jobs();
  if (object->kind == "Node") message = report.add_nodes();
  if (object->kind == "Event" && object->api_version == "v1") {
    message = report.add_events();
  }
  if (message == nullptr) {
    return Invalid(
        "is a %s of %s in protobuf, expected a Pod, Job, Node or Event (v1); "
        "fetch other kinds as JSON",
        Printable(object->kind), Printable(object->api_version));
  }
  if (Parse(object->raw, *message)) return absl::OkStatus();
  return Invalid(
      "the %s inside the envelope is damaged: expected its "
      "protobuf bytes",
      object->kind);
}

}  // namespace

bool LooksBinary(std::string_view bytes) {
  return std::ranges::any_of(bytes, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f' &&
           c != 0x1b;
  });
}

absl::StatusOr<Documents> SplitDocuments(std::string_view source,
                                         std::string bytes) {
  if (IsUtf16(bytes)) {
    return Invalid(
        "%s: is UTF-16, expected UTF-8 (in PowerShell: ... | Out-File "
        "-Encoding utf8)",
        source);
  }
  if (bytes.starts_with(kUtf8Mark)) {
    bytes.erase(0, kUtf8Mark.size());
  }
  if (SkipJsonSpace(bytes) == bytes.size()) {
    return Invalid("%s: is empty, expected Kubernetes objects as JSON or YAML",
                   source);
  }
  const char first = bytes[SkipJsonSpace(bytes)];
  const bool is_json = first == '{' || first == '[';
  if (!is_json && LooksBinary(bytes)) {
    return Invalid(
        "%s: is binary data, expected JSON, YAML or Kubernetes protobuf",
        source);
  }
  if (!is_json) {
    const std::string_view pasted = DescribePasted(bytes);
    if (!pasted.empty()) {
      return Invalid("%s: is %s", source, pasted);
    }
  }
  if (std::optional<Documents> log = LogIn(source, bytes, is_json)) {
    return *std::move(log);
  }
  Documents documents;
  absl::StatusOr<std::vector<std::string>> values =
      is_json ? SplitJson(bytes) : SplitYaml(source, bytes, documents);
  // YAML's flow style begins like JSON.
  if (!values.ok() && is_json &&
      (source.ends_with(".yaml") || source.ends_with(".yml"))) {
    values = SplitYaml(source, bytes, documents);
  }
  if (!values.ok()) {
    // Logs may begin with brackets: "[rank0]: ...".
    if (first == '[' && IsMoreThanAWord(bytes) && !NamesMember(bytes)) {
      return LogAsReport(source, bytes);
    }
    return Prefixed(source, values.status());
  }
  bool repaired = false;
  for (std::string& value : *values) repaired |= RepairText(value);
  if (repaired) {
    documents.warnings.push_back(absl::StrFormat(
        "%s: text that is not UTF-8 was replaced by U+FFFD", source));
  }
  documents.json = *std::move(values);
  return documents;
}

KubernetesObject::KubernetesObject(std::string_view input,
                                   std::string_view json)
    : source(input), text(json), members(JsonMembers(json)) {
  kind = String("kind");
  api_version = String("apiVersion");
}

std::string_view KubernetesObject::Find(std::string_view key) const {
  for (const JsonMember& member : members) {
    if (member.key == key) return member.value;
  }
  return "null";
}

std::string KubernetesObject::String(std::string_view key) const {
  return JsonStringValue(Find(key));
}

std::string KubernetesObject::Label() const {
  std::string label(source);
  if (!kind.empty()) label += ": " + kind;
  for (const JsonMember& member : JsonMembers(Find("metadata"))) {
    if (member.key == "name") label += " " + JsonStringValue(member.value);
  }
  return Printable(label);
}

std::string CoreEventJson(const KubernetesObject& event) {
  std::string json = "{";
  for (const JsonMember& member : event.members) {
    if (json.size() > 1) json.push_back(',');
    json += QuoteJson(CoreName(member.key));
    json.push_back(':');
    json += member.value;
  }
  json.push_back('}');
  return json;
}

bool LooksLikeProtobuf(std::string_view bytes) {
  if (HasKubernetesEnvelope(bytes)) return true;
  return !bytes.empty() && bytes.front() == kMetadataTag && LooksBinary(bytes);
}

absl::Status AddProtobuf(std::string_view bytes, v1::FailureReport& report) {
  return HasKubernetesEnvelope(bytes) ? AddEnveloped(bytes, report)
                                      : AddBare(bytes, report);
}

}  // namespace mulligan::cli
