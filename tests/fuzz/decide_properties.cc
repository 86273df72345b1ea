#include "tests/fuzz/decide_properties.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "google/protobuf/timestamp.pb.h"
#include "policy/decide.h"
#include "policy/loader/load.h"
#include "policy/request/validate.h"

namespace mulligan {
namespace {

void Require(bool holds, const char* property,
             const google::protobuf::Message& message) {
  if (holds) return;
  std::fprintf(stderr, "property fails: %s\n%s\n", property,
               message.DebugString().c_str());
  std::abort();
}

const PolicySet& EmbeddedPolicies() {
  static const PolicySet* const policies = [] {
    Issues issues;
    return LoadPolicies({}, issues).release();
  }();
  return *policies;
}

// Map entries in a fixed order, unlike SerializeAsString().
std::string Bytes(const google::protobuf::Message& message) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream out(&bytes);
    google::protobuf::io::CodedOutputStream coded(&out);
    coded.SetSerializationDeterministic(true);
    message.SerializeToCodedStream(&coded);
  }
  return bytes;
}

absl::Status DecideAt(const v1::DecideRequest& request,
                      v1::DecideResponse& response) {
  google::protobuf::Timestamp now;
  now.set_seconds(1'800'000'000);
  return Decide(request, EmbeddedPolicies(), now, response);
}

void CheckVerdict(const v1::DecideResponse& response) {
  Require(response.decision().action() != v1::Decision::ACTION_UNSPECIFIED,
          "a verdict has an action", response);
  Require(response.diagnosis().cause() != v1::CAUSE_UNSPECIFIED,
          "a verdict names a cause", response);
  const v1::Accounting& accounting = response.accounting();
  Require(accounting.units() == 0 || accounting.units() == 1,
          "a failure costs 0 or 1", response);
  for (const v1::BudgetState& budget : accounting.budgets()) {
    Require(budget.used() >= 0 && budget.remaining() >= 0,
            "budgets are not negative", response);
    const bool paid = budget.name() == accounting.charged_to() &&
                      accounting.units() == 1 && !accounting.duplicate();
    Require(!paid || budget.used() <= budget.limit(),
            "no charge goes beyond its limit", response);
  }
}

// `ours` is the answer to the same request without the operator's verdict.
void CheckNatively(v1::DecideRequest request, const v1::DecideResponse& ours) {
  request.set_compare_native(true);
  v1::DecideResponse compared;
  Require(DecideAt(request, compared).ok(), "comparing refuses nothing",
          request);
  Require(Bytes(compared.decision()) == Bytes(ours.decision()) &&
              Bytes(compared.ledger()) == Bytes(ours.ledger()),
          "comparing changes nothing", request);

  request.set_compare_native(false);
  request.clear_inline_policy();
  request.set_policy("native");
  v1::DecideResponse native;
  const absl::Status status = DecideAt(request, native);
  Require(status.ok() || absl::IsInvalidArgument(status),
          "an operator answers or the report is at fault", request);
  if (status.ok()) CheckVerdict(native);
}

}  // namespace

void CheckDecideProperties(const v1::DecideRequest& request) {
  v1::DecideResponse response;
  const absl::Status status = DecideAt(request, response);
  if (!Validate(request, Owners(request.report())).empty()) {
    Require(absl::IsInvalidArgument(status), "what is invalid is refused",
            request);
  }
  if (!status.ok()) return;
  CheckVerdict(response);

  v1::DecideResponse again;
  Require(DecideAt(request, again).ok() && Bytes(again) == Bytes(response),
          "the same request gives the same bytes", request);

  v1::DecideRequest repeated = request;
  *repeated.mutable_ledger() = response.ledger();
  v1::DecideResponse next;
  Require(DecideAt(repeated, next).ok(), "the returned ledger is accepted",
          repeated);
  const bool recorded = response.accounting().units() > 0;
  // A waiting failure is judged again, after its charge is taken back.
  const bool settled =
      recorded && response.decision().action() != v1::Decision::WAIT;
  Require(!settled || next.accounting().duplicate(),
          "a charged failure is recognised", repeated);
  Require(!recorded || Bytes(next.ledger()) == Bytes(response.ledger()),
          "a repeated failure leaves the ledger alone", repeated);

  CheckNatively(request, response);
}

}  // namespace mulligan
