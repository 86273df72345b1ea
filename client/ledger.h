// Keeps the ledger between two answers on the caller's own object.
#ifndef MULLIGAN_CLIENT_LEDGER_H_
#define MULLIGAN_CLIENT_LEDGER_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "mulligan/v1/ledger.pb.h"

namespace mulligan {

// The annotation with a ledger as compact proto JSON, also read by `mulligan
// explain` (docs/cli.md).
inline constexpr char kLedgerAnnotation[] = "mulligan.dev/ledger";

// The longest value of the annotation; the service's answers never exceed it.
inline constexpr std::size_t kMaxLedgerAnnotationBytes = 16 << 10;

// Returns the ledger in an annotation. Empty for blank text, and for the ledger
// of an object with another UID than `uid` (a copied annotation); then send
// none, and the service uses the operator's counters. An empty `uid` matches
// every ledger. INVALID_ARGUMENT if the text is not a ledger. Drops fields of
// later versions.
absl::StatusOr<std::optional<v1::BudgetLedger>> LedgerFromAnnotation(
    std::string_view text, std::string_view uid);

// Returns the annotation's value for the ledger of an answer; empty for an
// empty one. INVALID_ARGUMENT beyond kMaxLedgerAnnotationBytes. Write it before
// acting, with the resource version at which the ledger was read: of two
// callers that decide at the same time, only one may store.
absl::StatusOr<std::string> LedgerToAnnotation(const v1::BudgetLedger& ledger);

// Returns the ledger for an object that replaces its owner: keeps what was
// spent, and resets UID and operator's count.
v1::BudgetLedger HandOnLedger(v1::BudgetLedger ledger);

}  // namespace mulligan

#endif  // MULLIGAN_CLIENT_LEDGER_H_
