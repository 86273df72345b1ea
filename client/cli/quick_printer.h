// A message as compact proto JSON, quickly.
#ifndef MULLIGAN_CLIENT_CLI_QUICK_PRINTER_H_
#define MULLIGAN_CLIENT_CLI_QUICK_PRINTER_H_

#include <string>

#include "google/protobuf/message.h"

namespace mulligan::cli {

// Appends what PrintProtoJson prints with JsonLayout::kCompact, without the
// line break. False, with `json` as it was, when the message has something rare
// that is PrintProtoJson's to print or to refuse.
bool QuickPrint(const google::protobuf::Message& message, std::string& json);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_QUICK_PRINTER_H_
