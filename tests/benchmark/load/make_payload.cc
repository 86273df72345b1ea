// Turns a DecideRequest in proto JSON (standard input) into the bytes of one
// request, or of a BatchDecideRequest of N of them with different failure ids:
//
//   make_payload [N] < request.json > request.bin
#include <google/protobuf/util/json_util.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <string>

#include "absl/strings/str_format.h"
#include "mulligan/v1/retry_decision_service.pb.h"

int main(int argc, char** argv) {
  const std::string json(std::istreambuf_iterator<char>(std::cin), {});
  mulligan::v1::DecideRequest request;
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  const auto parsed =
      google::protobuf::util::JsonStringToMessage(json, &request, options);
  if (!parsed.ok()) {
    std::cerr << parsed.ToString() << "\n";
    return 1;
  }
  if (argc < 2) return request.SerializeToOstream(&std::cout) ? 0 : 1;
  mulligan::v1::BatchDecideRequest batch;
  for (int i = 0; i < std::atoi(argv[1]); ++i) {
    *batch.add_requests() = request;
    batch.mutable_requests(i)->mutable_report()->set_failure_id(
        absl::StrFormat("failure-%d", i));
  }
  return batch.SerializeToOstream(&std::cout) ? 0 : 1;
}
