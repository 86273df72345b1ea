#include "client/conformance/compare.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"

namespace mulligan::conformance {
namespace {

using Property = bool (*)(const Json& wanted, const Json& actual);

// Member under which an answer lists its wordings. No peer's object has it.
constexpr const char* kWordings = "in words";
// Member under which an answer lists the elements of an open list.
constexpr const char* kOpenList = "open list";
constexpr const char* kTolerance = "toleranceSeconds";
constexpr std::string_view kNever = "Never";

// Printable whatever it holds: peers' texts need not be UTF-8.
std::string Dump(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// One text, or the texts of a list; empty when `wanted` is neither, so that
// nothing is asserted by mistake.
std::vector<std::string> Texts(const Json& wanted) {
  if (wanted.is_string()) return {wanted.get<std::string>()};
  if (!wanted.is_array()) return {};
  std::vector<std::string> texts;
  for (const Json& text : wanted) {
    if (!text.is_string()) return {};
    texts.push_back(text.get<std::string>());
  }
  return texts;
}

bool ContainsText(const Json& actual, const std::string& text) {
  return actual.is_string() &&
         actual.get_ref<const std::string&>().find(text) != std::string::npos;
}

bool ContainsAll(const Json& wanted, const Json& actual) {
  const auto texts = Texts(wanted);
  return !texts.empty() &&
         std::all_of(texts.begin(), texts.end(), [&](const std::string& text) {
           return ContainsText(actual, text);
         });
}

bool ContainsNone(const Json& wanted, const Json& actual) {
  const auto texts = Texts(wanted);
  return !texts.empty() &&
         std::none_of(texts.begin(), texts.end(), [&](const std::string& text) {
           return ContainsText(actual, text);
         });
}

bool FoundBy(const Json& wanted, const Json& actual) {
  if (!wanted.is_string() || !actual.is_string()) return false;
  const RE2 expression(wanted.get<std::string>(), RE2::Quiet);
  return expression.ok() &&
         RE2::PartialMatch(actual.get<std::string>(), expression);
}

bool IsOneOf(const Json& wanted, const Json& actual) {
  return wanted.is_array() &&
         std::any_of(wanted.begin(), wanted.end(), [&](const Json& candidate) {
           return Differences(candidate, actual).empty();
         });
}

bool IsAtLeast(const Json& wanted, const Json& actual) {
  return wanted.is_number() && actual.is_number() &&
         actual.get<double>() >= wanted.get<double>();
}

struct PropertyName {
  std::string_view suffix;
  Property holds;
};

// Longer names first: "NotContains" ends in "Contains" too.
constexpr std::array<PropertyName, 5> kProperties = {{
    {"NotContains", ContainsNone},
    {"Contains", ContainsAll},
    {"Regex", FoundBy},
    {"OneOf", IsOneOf},
    {"AtLeast", IsAtLeast},
}};

void Compare(const std::string& path, const Json& expect, const Json& actual,
             std::vector<std::string>& differences);

// Whether `holds` for the answer, or for one of its wordings.
template <typename Test>
bool HoldsForSome(const Json& actual, const Test& holds) {
  if (!actual.is_object() || !actual.contains(kWordings)) return holds(actual);
  const Json& wordings = actual[kWordings];
  return std::any_of(wordings.begin(), wordings.end(), holds);
}

// "xNever" next to the list "xHistory".
bool CompareNever(const std::string& path, const std::string& name,
                  const Json& unwanted, const Json& actual,
                  std::vector<std::string>& differences) {
  if (!std::string_view(name).ends_with(kNever)) return false;
  const std::string history =
      name.substr(0, name.size() - kNever.size()) + "History";
  if (!actual.contains(history) || !actual[history].is_array()) return false;
  const Json& values = actual[history];
  if (std::find(values.begin(), values.end(), unwanted) != values.end()) {
    differences.push_back(absl::StrFormat("%s.%s: %s is among %s", path, name,
                                          Dump(unwanted), Dump(values)));
  }
  return true;
}

// Each element wanted has one that meets it.
void CompareOpenList(const std::string& path, const Json& expect,
                     const Json& elements,
                     std::vector<std::string>& differences) {
  for (const Json& wanted : expect) {
    if (std::none_of(elements.begin(), elements.end(), [&](const Json& there) {
          return Differences(wanted, there).empty();
        })) {
      differences.push_back(absl::StrFormat("%s: expected %s among %s", path,
                                            Dump(wanted), Dump(elements)));
    }
  }
}

// Handles `name` as a property of the member it names. False: it is none.
bool CompareProperty(const std::string& path, const std::string& name,
                     const Json& wanted, const Json& actual,
                     std::vector<std::string>& differences) {
  for (const PropertyName& property : kProperties) {
    if (name.size() <= property.suffix.size() ||
        !std::string_view(name).ends_with(property.suffix)) {
      continue;
    }
    const std::string member =
        name.substr(0, name.size() - property.suffix.size());
    if (!actual.contains(member)) continue;
    if (!HoldsForSome(actual[member], [&](const Json& wording) {
          return property.holds(wanted, wording);
        })) {
      differences.push_back(absl::StrFormat("%s.%s: expected %s, got %s", path,
                                            name, Dump(wanted),
                                            Dump(actual[member])));
    }
    return true;
  }
  return false;
}

// Whether `wanted` only says that there is an error, or none, where the answer
// says which.
bool AssertsPresence(const std::string& name, const Json& wanted,
                     const Json& actual) {
  return name == "error" && wanted.is_boolean() &&
         (actual.is_string() || actual.is_null());
}

void CompareMembers(const std::string& path, const Json& expect,
                    const Json& actual, std::vector<std::string>& differences) {
  const double tolerance =
      expect.contains(kTolerance) && expect[kTolerance].is_number()
          ? expect[kTolerance].get<double>()
          : 0;
  for (const auto& [name, wanted] : expect.items()) {
    const std::string member_path = absl::StrFormat("%s.%s", path, name);
    if (tolerance > 0 && name == kTolerance) continue;
    if (tolerance > 0 && wanted.is_number() && actual.contains(name) &&
        actual[name].is_number() &&
        std::abs(wanted.get<double>() - actual[name].get<double>()) <=
            tolerance) {
      continue;
    }
    if (actual.contains(name)) {
      const Json& answer = actual[name];
      const bool presence = AssertsPresence(name, wanted, answer);
      Compare(member_path, wanted,
              presence ? Json(answer.is_string() &&
                              !answer.get_ref<const std::string&>().empty())
                       : answer,
              differences);
    } else if (!CompareProperty(path, name, wanted, actual, differences) &&
               !CompareNever(path, name, wanted, actual, differences)) {
      differences.push_back(absl::StrFormat("%s: expected %s, not answered",
                                            member_path, Dump(wanted)));
    }
  }
}

void Compare(const std::string& path, const Json& expect, const Json& actual,
             std::vector<std::string>& differences) {
  if (HoldsForSome(actual, [&](const Json& wording) {
        return &wording != &actual && Differences(expect, wording).empty();
      })) {
    return;
  }
  if (expect.is_array() && actual.is_object() && actual.contains(kOpenList)) {
    return CompareOpenList(path, expect, actual[kOpenList], differences);
  }
  if (expect.is_object() && actual.is_object()) {
    return CompareMembers(path, expect, actual, differences);
  }
  if (expect.is_array() && actual.is_array() &&
      expect.size() == actual.size()) {
    for (std::size_t i = 0; i < expect.size(); ++i) {
      Compare(absl::StrFormat("%s[%d]", path, i), expect[i], actual[i],
              differences);
    }
    return;
  }
  if (expect != actual) {
    differences.push_back(absl::StrFormat("%s: expected %s, got %s", path,
                                          Dump(expect), Dump(actual)));
  }
}

}  // namespace

std::vector<std::string> Differences(const Json& expect, const Json& actual) {
  std::vector<std::string> differences;
  Compare("expect", expect, actual, differences);
  return differences;
}

Json OpenList(Json elements) { return {{kOpenList, std::move(elements)}}; }

Json Described(std::vector<Json> wordings) {
  return Described(std::move(wordings), Json::object());
}

Json Described(std::vector<Json> wordings, Json members) {
  members[kWordings] = std::move(wordings);
  return members;
}

}  // namespace mulligan::conformance
