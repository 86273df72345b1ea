#include "client/cli/base/yaml_to_json.h"

#include <exception>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "client/cli/base/json_text.h"
#include "client/cli/base/yaml_scalar.h"
#include "yaml-cpp/depthguard.h"
#include "yaml-cpp/yaml.h"

namespace mulligan::cli {
namespace {

constexpr size_t kMaxJsonBytes = size_t{64} << 20;

absl::Status ErrorAt(const YAML::Mark& mark, std::string_view what) {
  if (mark.is_null()) return absl::InvalidArgumentError(std::string(what));
  return absl::InvalidArgumentError(absl::StrFormat(
      "line %d, column %d: %s", mark.line + 1, mark.column + 1, what));
}

class Writer {
 public:
  absl::Status Write(const YAML::Node& node, int depth) {
    if (json_.size() > kMaxJsonBytes) {
      return ErrorAt(node.Mark(), "aliases expand to more than 64 MiB");
    }
    if (depth >= kMaxJsonDepth && !node.IsScalar()) {
      return ErrorAt(node.Mark(),
                     absl::StrFormat("expected at most %d nested levels, and "
                                     "no alias inside what it stands for",
                                     kMaxJsonDepth));
    }
    switch (node.Type()) {
      case YAML::NodeType::Map:
        return WriteMap(node, depth);
      case YAML::NodeType::Sequence:
        return WriteSequence(node, depth);
      case YAML::NodeType::Scalar:
        json_ += YamlScalarToJson(node.Scalar(), node.Tag());
        return absl::OkStatus();
      default:
        json_ += "null";
        return absl::OkStatus();
    }
  }

  std::string TakeJson() { return std::move(json_); }

 private:
  absl::Status WriteMap(const YAML::Node& map, int depth) {
    std::set<std::string> keys;
    json_.push_back('{');
    for (const auto& member : map) {
      const YAML::Node& key = member.first;
      if (!key.IsScalar()) {
        return ErrorAt(key.Mark(), "expected a scalar as key");
      }
      if (key.Scalar() == "<<" && key.Tag() == "?") {
        return ErrorAt(key.Mark(),
                       "merge keys (<<) are not supported: write the members "
                       "out");
      }
      if (!keys.insert(key.Scalar()).second) {
        return ErrorAt(key.Mark(), absl::StrFormat("duplicate key %s",
                                                   QuoteJson(key.Scalar())));
      }
      if (keys.size() > 1) json_.push_back(',');
      json_ += QuoteJson(key.Scalar());
      json_.push_back(':');
      if (absl::Status status = Write(member.second, depth + 1); !status.ok()) {
        return status;
      }
    }
    json_.push_back('}');
    return absl::OkStatus();
  }

  absl::Status WriteSequence(const YAML::Node& sequence, int depth) {
    bool first = true;
    json_.push_back('[');
    for (const YAML::Node& element : sequence) {
      if (!first) json_.push_back(',');
      first = false;
      if (absl::Status status = Write(element, depth + 1); !status.ok()) {
        return status;
      }
    }
    json_.push_back(']');
    return absl::OkStatus();
  }

  std::string json_;
};

absl::StatusOr<std::vector<std::string>> Convert(std::string_view yaml) {
  std::vector<std::string> documents;
  for (const YAML::Node& node : YAML::LoadAll(std::string(yaml))) {
    if (!node.IsDefined() || node.IsNull()) continue;
    Writer writer;
    if (absl::Status status = writer.Write(node, 0); !status.ok()) {
      return status;
    }
    documents.push_back(writer.TakeJson());
  }
  return documents;
}

}  // namespace

absl::StatusOr<std::vector<std::string>> YamlToJson(std::string_view yaml) {
  try {
    return Convert(yaml);
  } catch (const YAML::DeepRecursion&) {
    // Its mark is where the parser has read to, not where it gave up.
    return absl::InvalidArgumentError(
        absl::StrFormat("expected at most %d nested levels", kMaxJsonDepth));
  } catch (const YAML::Exception& e) {
    return ErrorAt(e.mark, absl::StrFormat("not YAML: %s", e.msg));
  } catch (const std::exception& e) {
    return absl::InvalidArgumentError(
        absl::StrFormat("not YAML: %s", e.what()));
  }
}

}  // namespace mulligan::cli
