// Null members of a case.
#ifndef MULLIGAN_CLIENT_CONFORMANCE_ABSENT_H_
#define MULLIGAN_CLIENT_CONFORMANCE_ABSENT_H_

#include "client/conformance/case.h"

namespace mulligan::conformance {

// The case without the members of its input that are null: they say nothing,
// and an evaluator need not know them.
CaseInput WithoutNulls(CaseInput input);

}  // namespace mulligan::conformance

#endif  // MULLIGAN_CLIENT_CONFORMANCE_ABSENT_H_
