#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "absl/strings/ascii.h"
#include "client/cli/input/quick_reader.h"

namespace mulligan::cli {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

WireKind KindOfMessage(const Descriptor& type) {
  const std::string& name = type.full_name();
  if (name == "google.protobuf.Timestamp") return WireKind::kTimestamp;
  if (name == "google.protobuf.Duration") return WireKind::kDuration;
  if (name == "google.protobuf.Value") return WireKind::kAmount;
  return name.starts_with("google.protobuf.") ? WireKind::kOther
                                              : WireKind::kMessage;
}

constexpr std::pair<FieldDescriptor::Type, WireKind> kKinds[] = {
    {FieldDescriptor::TYPE_INT32, WireKind::kInt32},
    {FieldDescriptor::TYPE_INT64, WireKind::kInt64},
    {FieldDescriptor::TYPE_UINT32, WireKind::kUint32},
    {FieldDescriptor::TYPE_BOOL, WireKind::kBool},
    {FieldDescriptor::TYPE_ENUM, WireKind::kEnum},
    {FieldDescriptor::TYPE_DOUBLE, WireKind::kDouble},
    {FieldDescriptor::TYPE_STRING, WireKind::kString},
};

WireKind KindOf(const FieldDescriptor& field) {
  if (field.type() == FieldDescriptor::TYPE_MESSAGE) {
    return KindOfMessage(*field.message_type());
  }
  for (const auto& [type, kind] : kKinds) {
    if (type == field.type()) return kind;
  }
  return WireKind::kOther;
}

std::string Fold(std::string_view name) {
  std::string folded;
  for (const char c : name) {
    if (c != '_') {
      folded.push_back(absl::ascii_tolower(static_cast<unsigned char>(c)));
    }
  }
  return folded;
}

}  // namespace

class WireType::Builder {
 public:
  const WireType& Of(const Descriptor& type) {
    const auto [place, is_new] = types_.try_emplace(&type);
    if (!is_new) return *place->second;
    place->second = std::make_unique<WireType>();
    WireType& built = *place->second;
    built.type_ = &type;
    // Sized once, because the tables hold pointers to the fields.
    built.fields_.resize(static_cast<std::size_t>(type.field_count()));
    for (int i = 0; i < type.field_count(); ++i) {
      Add(*type.field(i), built.fields_[static_cast<std::size_t>(i)], built);
    }
    return built;
  }

 private:
  void Add(const FieldDescriptor& field, WireField& made, WireType& type) {
    made.number = static_cast<std::uint32_t>(field.number());
    made.kind = KindOf(field);
    made.repeated = field.is_repeated();
    made.map = field.is_map();
    made.index = field.index();
    if (const auto* oneof = field.real_containing_oneof(); oneof != nullptr) {
      made.oneof = oneof->index();
    }
    made.name = field.json_name();
    if (made.kind == WireKind::kMessage) {
      made.message = &Of(*field.message_type());
    }
    if (made.kind == WireKind::kEnum) made.names = field.enum_type();
    for (const std::string& name :
         {field.json_name(), field.name(), field.camelcase_name()}) {
      type.by_name_.emplace(name, &made);
      type.folded_.insert(Fold(name));
    }
  }

  std::map<const Descriptor*, std::unique_ptr<WireType>> types_;
};

const WireType& WireType::Of(const Descriptor& type) {
  static std::mutex mutex;
  static auto* const builder = new Builder;  // never destroyed
  const std::lock_guard lock(mutex);
  return builder->Of(type);
}

bool WireType::MayMean(std::string_view name) const {
  return folded_.contains(Fold(name));
}

}  // namespace mulligan::cli
