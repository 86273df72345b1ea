#include <exception>
#include <iostream>

#include "client/cli/flags.h"
#include "google/protobuf/stubs/logging.h"

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  std::cin.tie(nullptr);
  mulligan::cli::Streams streams{std::cin, std::cout, std::cerr};
  // Protobuf's own complaints about input; ours name file and field.
  google::protobuf::SetLogHandler(nullptr);
  try {
    return mulligan::cli::RunCommandLine(argc, argv, streams);
  } catch (const std::exception& e) {
    mulligan::cli::PrintError(streams, e.what());
    return mulligan::cli::kExitInternal;
  }
}
