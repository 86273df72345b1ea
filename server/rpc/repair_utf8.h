// Repair of strings that are not UTF-8.
#ifndef MULLIGAN_SERVER_RPC_REPAIR_UTF8_H_
#define MULLIGAN_SERVER_RPC_REPAIR_UTF8_H_

#include <google/protobuf/message.h>

namespace mulligan {

// Replaces invalid UTF-8 in `message` and all that it contains with U+FFFD, as
// Go does when it writes Kubernetes' objects as JSON. Answers may repeat these
// strings, and a message with invalid ones cannot be read.
void ReplaceInvalidUtf8(google::protobuf::Message& message);

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_RPC_REPAIR_UTF8_H_
