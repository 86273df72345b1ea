#include "client/conformance/absent.h"

namespace mulligan::conformance {

CaseInput WithoutNulls(CaseInput input) {
  if (!input.input.is_object()) return input;
  for (auto member = input.input.begin(); member != input.input.end();) {
    member = member->is_null() ? input.input.erase(member) : ++member;
  }
  return input;
}

}  // namespace mulligan::conformance
