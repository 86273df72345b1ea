// Texts of a request that are not UTF-8.
#ifndef MULLIGAN_SERVER_RPC_ODD_TEXT_H_
#define MULLIGAN_SERVER_RPC_ODD_TEXT_H_

#include <google/protobuf/message.h>

namespace mulligan {

// Puts U+FFFD for what is not UTF-8 in texts of `message` and all it contains,
// as Go does when it writes Kubernetes' objects as JSON. An answer may repeat
// any of them, and one that holds other bytes cannot be read.
void RepairTexts(google::protobuf::Message& message);

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_RPC_ODD_TEXT_H_
