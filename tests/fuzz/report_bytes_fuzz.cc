// Any bytes as a DecideRequest on the wire.
#include <cstddef>
#include <cstdint>

#include "mulligan/v1/retry_decision_service.pb.h"
#include "tests/fuzz/decide_properties.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  mulligan::v1::DecideRequest request;
  if (request.ParseFromArray(data, static_cast<int>(size))) {
    mulligan::CheckDecideProperties(request);
  }
  return 0;
}
