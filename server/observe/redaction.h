// Fields that are kept out of the decision log.
#ifndef MULLIGAN_SERVER_OBSERVE_REDACTION_H_
#define MULLIGAN_SERVER_OBSERVE_REDACTION_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"

namespace mulligan {

// Blanks fields of messages of one type. Immutable; safe to share.
class Redaction {
 public:
  // Blanks nothing.
  Redaction() = default;

  // `paths` name fields of `type`, such as
  // "request.report.pods.metadata.annotations", by JSON or schema names. They
  // apply to each item of a list. A field is blanked with its contents, a map
  // as a whole. INVALID_ARGUMENT names a path that does not exist and where it
  // ends.
  static absl::StatusOr<Redaction> Of(const google::protobuf::Descriptor& type,
                                      const std::vector<std::string>& paths);

  void Apply(google::protobuf::Message& message) const;

  const std::vector<std::string>& paths() const { return paths_; }

 private:
  using Path = std::vector<const google::protobuf::FieldDescriptor*>;

  std::vector<std::string> paths_;
  std::vector<Path> fields_;  // for each path, the outermost first
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_OBSERVE_REDACTION_H_
