#include "policy/native/go_text.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "policy/limits.h"

namespace mulligan {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;  // in nanoseconds

// Returns `nanos` in `unit`s, without trailing zeros: 1500, 1000 -> "1.5".
std::string Decimal(std::uint64_t nanos, std::uint64_t unit) {
  std::string text = absl::StrCat(nanos / unit);
  std::uint64_t rest = nanos % unit;
  if (rest == 0) return text;
  text += '.';
  while (rest != 0) {
    unit /= 10;
    absl::StrAppend(&text, rest / unit);
    rest %= unit;
  }
  return text;
}

struct Unit {
  std::uint64_t nanos;
  std::string_view name;
};
constexpr std::array<Unit, 3> kBelowASecond = {{
    {1'000'000, "ms"},
    {1'000, "\xC2\xB5s"},
    {1, "ns"},
}};

std::string Positive(std::uint64_t nanos) {
  for (const Unit& unit : kBelowASecond) {
    if (nanos < kSecond && nanos >= unit.nanos) {
      return absl::StrFormat("%s%s", Decimal(nanos, unit.nanos), unit.name);
    }
  }
  const std::uint64_t minutes = nanos / kSecond / 60;
  const std::string seconds = Decimal(nanos - minutes * 60 * kSecond, kSecond);
  if (minutes == 0) return absl::StrCat(seconds, "s");
  if (minutes < 60) return absl::StrCat(minutes, "m", seconds, "s");
  return absl::StrCat(minutes / 60, "h", minutes % 60, "m", seconds, "s");
}

constexpr std::size_t kNameLength = 63;
constexpr std::size_t kSubdomainLength = 253;

constexpr char kNamePattern[] = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
constexpr char kSubdomainPattern[] =
    "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";

// Characters with their own escape in Go's %q.
constexpr std::array<std::pair<char, char>, 5> kEscapes = {
    {{'"', '"'}, {'\\', '\\'}, {'\n', 'n'}, {'\t', 't'}, {'\r', 'r'}}};

std::string NameRule() {
  return absl::StrFormat(
      "must consist of alphanumeric characters, '-', '_' or '.', and must "
      "start and end with an alphanumeric character (e.g. 'MyName',  or "
      "'my.name',  or '123-abc', regex used for validation is '%s')",
      kNamePattern);
}

std::vector<std::string> SubdomainFaults(const std::string& prefix) {
  static const RE2& subdomain = *new RE2(kSubdomainPattern);
  if (prefix.empty()) return {"prefix part must be non-empty"};
  std::vector<std::string> faults;
  if (prefix.size() > kSubdomainLength) {
    faults.push_back(absl::StrFormat(
        "prefix part must be no more than %d bytes", kSubdomainLength));
  }
  if (!RE2::FullMatch(prefix, subdomain)) {
    faults.push_back(absl::StrFormat(
        "prefix part a lowercase RFC 1123 subdomain must consist of lower case "
        "alphanumeric characters, '-' or '.', and must start and end with an "
        "alphanumeric character (e.g. 'example.com', regex used for validation "
        "is '%s')",
        kSubdomainPattern));
  }
  return faults;
}

std::vector<std::string> QualifiedNameFaults(std::string name) {
  static const RE2& pattern = *new RE2(kNamePattern);
  const auto slashes = std::ranges::count(name, '/');
  if (slashes > 1) {
    return {
        absl::StrFormat("a qualified name %s with an optional DNS subdomain "
                        "prefix and '/' (e.g. 'example.com/MyName')",
                        NameRule())};
  }
  std::vector<std::string> faults;
  if (slashes == 1) {
    const std::size_t slash = name.find('/');
    faults = SubdomainFaults(name.substr(0, slash));
    name.erase(0, slash + 1);
  }
  if (name.empty()) {
    faults.emplace_back("name part must be non-empty");
  } else if (name.size() > kNameLength) {
    faults.push_back(absl::StrFormat("name part must be no more than %d bytes",
                                     kNameLength));
  }
  if (!RE2::FullMatch(name, pattern)) {
    faults.push_back(absl::StrFormat("name part %s", NameRule()));
  }
  return faults;
}

}  // namespace

std::optional<std::int64_t> GoInteger(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  std::int64_t value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (error != std::errc() || end != last) return std::nullopt;
  return value;
}

std::string GoDuration(absl::Duration duration) {
  const std::int64_t nanos = absl::ToInt64Nanoseconds(duration);
  if (nanos >= 0) return Positive(static_cast<std::uint64_t>(nanos));
  return absl::StrCat("-", Positive(0 - static_cast<std::uint64_t>(nanos)));
}

std::string GoTimestamp(absl::Time time) {
  return absl::FormatTime("%E4Y-%m-%d %H:%M:%E*S +0000 UTC", time,
                          absl::UTCTimeZone());
}

std::string FormatFieldError(const FieldError& error) {
  std::string text = absl::StrFormat("%s: %s", error.field, error.type);
  if (!error.value.empty()) absl::StrAppend(&text, ": ", error.value);
  if (!error.detail.empty()) absl::StrAppend(&text, ": ", error.detail);
  return text;
}

std::string ChildField(std::string_view path, std::string_view name) {
  return path.empty() ? std::string(name)
                      : absl::StrFormat("%s.%s", path, name);
}

std::string IndexField(std::string_view path, int index) {
  return absl::StrFormat("%s[%d]", path, index);
}

std::string QuotedValue(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto* const escape =
        std::ranges::find(kEscapes, c, &std::pair<char, char>::first);
    if (escape != kEscapes.end()) {
      quoted += {'\\', escape->second};
    } else if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') {
      quoted += absl::StrFormat("\\x%02x", static_cast<unsigned char>(c));
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

void FieldErrors::push_back(FieldError error) {
  if (size() >= kMaxAnswerWarnings) return;
  std::vector<FieldError>::push_back(std::move(error));
}

void FieldErrors::Invalid(std::string field, std::string value,
                          std::string detail) {
  push_back(
      {"Invalid value", std::move(field), std::move(value), std::move(detail)});
}

void FieldErrors::Invalid(std::string field, std::int64_t value,
                          std::string detail) {
  Invalid(std::move(field), absl::StrCat(value), std::move(detail));
}

void FieldErrors::NotSupported(std::string field, std::string_view value,
                               const std::vector<std::string_view>& supported) {
  push_back({kUnsupportedValue, std::move(field), QuotedValue(value),
             "supported values: " +
                 absl::StrJoin(supported, ", ",
                               [](std::string* out, std::string_view each) {
                                 *out += QuotedValue(each);
                               })});
}

void FieldErrors::Duplicate(std::string field, std::int64_t value) {
  push_back({"Duplicate value", std::move(field), absl::StrCat(value), ""});
}

void FieldErrors::TooMany(std::string field, std::int64_t size, int limit) {
  push_back({"Too many", std::move(field), absl::StrCat(size),
             absl::StrFormat("must have at most %d items", limit)});
}

void CheckNonNegative(std::string field, std::int64_t value,
                      FieldErrors& errors) {
  if (value >= 0) return;
  errors.Invalid(std::move(field), value, "must be greater than or equal to 0");
}

void CheckAtMost(std::string field, std::int64_t value, std::int64_t limit,
                 std::string_view why, FieldErrors& errors) {
  if (value <= limit) return;
  errors.Invalid(
      std::move(field), value,
      absl::StrFormat("must be less than or equal to %d%s", limit, why));
}

void CheckQualifiedName(const std::string& field, const std::string& name,
                        FieldErrors& errors) {
  for (std::string& fault : QualifiedNameFaults(name)) {
    errors.Invalid(field, QuotedValue(name), std::move(fault));
  }
}

}  // namespace mulligan
