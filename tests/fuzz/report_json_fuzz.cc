// Any text as a DecideRequest in JSON with unknown fields ignored, like kubectl
// output pasted into a request.
#include <google/protobuf/util/json_util.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "mulligan/v1/retry_decision_service.pb.h"
#include "tests/fuzz/decide_properties.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  const std::string text(data, data + size);
  mulligan::v1::DecideRequest request;
  if (google::protobuf::util::JsonStringToMessage(text, &request, options)
          .ok()) {
    mulligan::CheckDecideProperties(request);
  }
  return 0;
}
