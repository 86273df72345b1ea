#include "tests/oracle/recorded.h"

#include <re2/re2.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "client/cli/base/json_text.h"
#include "client/cli/base/proto_json.h"
#include "policy/decide.h"

namespace mulligan::oracle {
namespace {

using google::protobuf::Value;

absl::StatusOr<std::string> Unpack(const std::filesystem::path& file) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> in(
      gzopen(file.c_str(), "rb"), gzclose);
  if (in == nullptr) {
    return absl::NotFoundError(absl::StrCat(file.string(), ": cannot be read"));
  }
  std::string text;
  std::array<char, 1 << 16> buffer;
  int size = 0;
  while ((size = gzread(in.get(), buffer.data(), buffer.size())) > 0) {
    text.append(buffer.data(), static_cast<std::size_t>(size));
  }
  if (size < 0) {
    return absl::DataLossError(absl::StrCat(file.string(), ": not gzip"));
  }
  return text;
}

absl::Status ReadInstead(std::string_view list, Recorded& recorded) {
  google::protobuf::ListValue values;
  const absl::Status status = cli::ParseProtoJson(list, values);
  for (const Value& value : values.values()) {
    recorded.instead.push_back(value.struct_value());
  }
  return status;
}

absl::Status ReadLine(std::string_view line, Recorded& recorded) {
  for (const cli::JsonMember& member : cli::JsonMembers(line)) {
    absl::Status status;
    if (member.key == "id") {
      recorded.id = cli::JsonStringValue(member.value);
    } else if (member.key == "request") {
      status = cli::ParseProtoJson(member.value, recorded.request);
    } else if (member.key == "expect") {
      status = cli::ParseProtoJson(member.value, recorded.expect);
    } else if (member.key == "point") {
      recorded.point = cli::JsonStringValue(member.value);
    } else if (member.key == "instead") {
      status = ReadInstead(member.value, recorded);
    }
    if (!status.ok()) return status;
  }
  return recorded.id.empty() ? absl::InvalidArgumentError("no id")
                             : absl::OkStatus();
}

double Seconds(const google::protobuf::Duration& duration) {
  return static_cast<double>(duration.seconds()) + duration.nanos() * 1e-9;
}

double Counter(const v1::NativeVerdict& native, const std::string& name) {
  const auto found = native.counters().find(name);
  return found == native.counters().end() ? 0
                                          : static_cast<double>(found->second);
}

// The refusals of the API server or webhook within our refusal.
std::vector<std::string> Refusals(std::string_view message) {
  static const RE2* const refusal = new RE2(
      "(?s)report\\.(?:jobs\\[0\\]|jobSet|rayJob)\\.(.*?); the [^;]*? refuses "
      "such an? \\w+");
  std::vector<std::string> words;
  re2::StringPiece rest(message.data(), message.size());
  for (std::string word; RE2::FindAndConsume(&rest, *refusal, &word);) {
    // A JobSet's webhook names no field.
    if (absl::StrContains(std::string(message), "report.jobSet.")) {
      RE2::Replace(&word, "^\\S+: Invalid value: ", "");
    }
    words.push_back(word);
  }
  std::sort(words.begin(), words.end());
  return words;
}

Value Text(const std::string& text) {
  Value value;
  value.set_string_value(text);
  return value;
}
Value Number(double number) {
  Value value;
  value.set_number_value(number);
  return value;
}
Value Truth(bool truth) {
  Value value;
  value.set_bool_value(truth);
  return value;
}
Value List(const std::vector<std::string>& texts) {
  Value value;
  value.mutable_list_value();
  for (const std::string& text : texts) {
    *value.mutable_list_value()->add_values() = Text(text);
  }
  return value;
}

bool IsTerminal(const std::string& verdict) {
  return verdict == "Failed" || verdict == "Complete" ||
         verdict == "Completed" || verdict == "FailJobSet";
}

// The answer under the names of `expect`.
std::map<std::string, Value> Said(
    const absl::StatusOr<v1::DecideResponse>& answer) {
  if (!answer.ok()) {
    return {
        {"refused", Truth(true)},
        {"refusals", List(Refusals(std::string(answer.status().message())))}};
  }
  const v1::NativeVerdict& native = answer->native();
  const auto name = [](int number, const std::string& text) {
    return number == 0 ? std::string() : text;
  };
  return {
      {"refused", Truth(false)},
      {"verdict", Text(native.verdict())},
      {"reason", Text(native.reason())},
      {"message", Text(native.message())},
      {"chargedTo", Text(native.charged_to())},
      {"action",
       Text(name(native.action(), v1::Decision::Action_Name(native.action())))},
      {"scope",
       Text(name(native.scope(), v1::Decision::Scope_Name(native.scope())))},
      {"terminal", Truth(IsTerminal(native.verdict()))},
      {"counted", Truth(!native.charged_to().empty())},
      {"used", Number(static_cast<double>(native.used()))},
      {"failed", Number(Counter(native, "failed"))},
      {"succeeded", Number(Counter(native, "succeeded"))},
      {"delay", Number(Seconds(native.delay()))}};
}

bool Same(const Value& want, const Value& got) {
  if (want.kind_case() == Value::kListValue &&
      got.kind_case() != Value::kListValue) {
    return std::any_of(want.list_value().values().begin(),
                       want.list_value().values().end(),
                       [&got](const Value& one) { return Same(one, got); });
  }
  return want.SerializeAsString() == got.SerializeAsString();
}

// To a millisecond, or to a second for a whole number.
bool SameDelay(double want, double got) {
  return want == std::floor(want) ? std::floor(got) == want
                                  : std::abs(got - want) < 0.0015;
}

// For a reader: texts without quotes, `a | b` for any of a list.
std::string Show(const Value& value) {
  switch (value.kind_case()) {
    case Value::kStringValue:
      return value.string_value().empty() ? "\"\"" : value.string_value();
    case Value::kNumberValue:
      // StrCat would round a count to six digits.
      return value.number_value() == std::floor(value.number_value())
                 ? absl::StrCat(static_cast<int64_t>(value.number_value()))
                 : absl::StrCat(value.number_value());
    case Value::kBoolValue:
      return value.bool_value() ? "true" : "false";
    case Value::kListValue: {
      std::vector<std::string> shown;
      for (const Value& one : value.list_value().values()) {
        shown.push_back(Show(one));
      }
      return absl::StrJoin(shown, " | ");
    }
    case Value::kStructValue: {
      std::map<std::string, std::string> shown;
      for (const auto& [name, one] : value.struct_value().fields()) {
        shown[name] = Show(one);
      }
      return absl::StrCat(
          "{", absl::StrJoin(shown, ", ", absl::PairFormatter(": ")), "}");
    }
    default:
      return "nothing";
  }
}

// The counters of the answer that `want` names.
Value Counters(const Value& want, const v1::NativeVerdict& native) {
  Value got;
  got.mutable_struct_value();
  for (const auto& [name, unused] : want.struct_value().fields()) {
    (*got.mutable_struct_value()->mutable_fields())[name] =
        Number(Counter(native, name));
  }
  return got;
}

Value SortedDetails(const Value& list) {
  std::vector<std::string> texts;
  for (const Value& value : list.list_value().values()) {
    texts.push_back(value.string_value());
  }
  std::sort(texts.begin(), texts.end());
  return List(texts);
}

std::map<std::string, Difference> DifferencesFrom(
    const google::protobuf::Struct& expect,
    const absl::StatusOr<v1::DecideResponse>& answer) {
  const std::map<std::string, Value> said = Said(answer);
  std::map<std::string, Difference> differences;
  for (const auto& [name, want] : expect.fields()) {
    const auto found = said.find(name);
    Value got = found == said.end() ? Value() : found->second;
    bool same = false;
    if (name == "counters" && answer.ok()) {
      got = Counters(want, answer->native());
      same = Show(want) == Show(got);
    } else if (found == said.end()) {
      same = false;
    } else if (name == "delay") {
      same = SameDelay(want.number_value(), got.number_value());
    } else if (name == "refusals") {
      same = Same(SortedDetails(want), got);
    } else {
      same = Same(want, got);
    }
    if (!same) differences[name] = {Show(want), Show(got)};
  }
  return differences;
}

}  // namespace

absl::StatusOr<std::vector<Recorded>> ReadRecorded(
    const std::filesystem::path& file) {
  const absl::StatusOr<std::string> text = Unpack(file);
  if (!text.ok()) return text.status();
  std::vector<Recorded> all;
  int number = 0;
  for (const absl::string_view piece : absl::StrSplit(*text, '\n')) {
    ++number;
    const std::string_view line(piece.data(), piece.size());
    if (line.empty()) continue;
    if (absl::Status status = ReadLine(line, all.emplace_back());
        !status.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat(file.filename().string(), ":", number, ": ",
                       std::string(status.message())));
    }
  }
  return all;
}

absl::StatusOr<v1::DecideResponse> Ask(const Recorded& recorded,
                                       const PolicySet& policies) {
  v1::DecideResponse response;
  const absl::Status status = Decide(recorded.request, policies, {}, response);
  if (!status.ok()) return status;
  return response;
}

std::map<std::string, Difference> Differences(
    const Recorded& recorded,
    const absl::StatusOr<v1::DecideResponse>& answer) {
  return DifferencesFrom(recorded.expect, answer);
}

bool IsExplained(const Recorded& recorded,
                 const absl::StatusOr<v1::DecideResponse>& answer) {
  return std::any_of(recorded.instead.begin(), recorded.instead.end(),
                     [&](const google::protobuf::Struct& expect) {
                       return DifferencesFrom(expect, answer).empty();
                     });
}

absl::StatusOr<std::map<std::string, std::set<std::string>>> ReadKnown(
    const std::filesystem::path& file) {
  std::map<std::string, std::set<std::string>> known;
  std::ifstream in(file);
  if (!in) return absl::NotFoundError(file.string());
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line.front() == '#') continue;
    const std::vector<std::string> columns = absl::StrSplit(line, '\t');
    if (columns.size() != 3 || columns[1].empty()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "\"", line, "\": expected id, members and point, separated by tabs"));
    }
    const std::vector<std::string> members = absl::StrSplit(columns[1], ',');
    known[columns[0]] = {members.begin(), members.end()};
  }
  return known;
}

}  // namespace mulligan::oracle
