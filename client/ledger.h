// The ledger between two answers, on the caller's own object.
#ifndef MULLIGAN_CLIENT_LEDGER_H_
#define MULLIGAN_CLIENT_LEDGER_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "mulligan/v1/ledger.pb.h"

namespace mulligan {

// Annotation that holds a ledger as compact proto JSON. `mulligan explain`
// reads the same (docs/cli.md).
inline constexpr char kLedgerAnnotation[] = "mulligan.dev/ledger";

// Longest value of the annotation; what the service returns is never longer.
inline constexpr std::size_t kMaxLedgerAnnotationBytes = 16 << 10;

// The ledger in an annotation. Absent for a blank text and for the ledger of
// another object than that with UID `uid` (a copied annotation): send none
// then, the service counts what the operator's own counters show. An empty
// `uid` ties to nothing. INVALID_ARGUMENT when the text is no ledger. Fields of
// later versions are dropped.
absl::StatusOr<std::optional<v1::BudgetLedger>> LedgerFromAnnotation(
    std::string_view text, std::string_view uid);

// The value of the annotation for the ledger of an answer; empty for an empty
// one. INVALID_ARGUMENT beyond kMaxLedgerAnnotationBytes. Write it with the
// resource version the ledger was read at, before acting: two callers who
// decide at the same time must not both store.
absl::StatusOr<std::string> LedgerToAnnotation(const v1::BudgetLedger& ledger);

// The ledger for the object that takes the place of the one it was made for:
// what was spent stays spent, UID and operator's count begin anew.
v1::BudgetLedger HandOnLedger(v1::BudgetLedger ledger);

}  // namespace mulligan

#endif  // MULLIGAN_CLIENT_LEDGER_H_
