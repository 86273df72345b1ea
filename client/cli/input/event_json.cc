#include "client/cli/input/event_json.h"

#include <array>
#include <string_view>

namespace mulligan::cli {
namespace {

struct Rename {
  std::string_view from;
  std::string_view to;
};

constexpr std::array<Rename, 7> kRenames = {{
    {"regarding", "involvedObject"},
    {"note", "message"},
    {"reportingController", "reportingComponent"},
    {"deprecatedSource", "source"},
    {"deprecatedFirstTimestamp", "firstTimestamp"},
    {"deprecatedLastTimestamp", "lastTimestamp"},
    {"deprecatedCount", "count"},
}};

std::string_view CoreName(std::string_view name) {
  for (const Rename& rename : kRenames) {
    if (rename.from == name) return rename.to;
  }
  return name;
}

}  // namespace

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

}  // namespace mulligan::cli
