// Access to a failure's record in the ledger.
#ifndef MULLIGAN_POLICY_REQUEST_RECORDED_H_
#define MULLIGAN_POLICY_REQUEST_RECORDED_H_

#include "absl/time/time.h"
#include "mulligan/v1/ledger.pb.h"
#include "policy/base/times.h"
#include "policy/request/kubernetes_codec.h"

namespace mulligan {

// Returns when the failure ended, or, if that is unknown, when it was observed.
inline absl::Time RecordedEnd(const v1::AttemptRecord& record) {
  return ToTime(IsSet(record.finished_at()) ? record.finished_at()
                                            : record.observed_at());
}

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_REQUEST_RECORDED_H_
