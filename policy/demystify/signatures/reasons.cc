// Reasons and states, each one string in one field.
#include <algorithm>
#include <span>

#include "policy/demystify/signatures/rows.h"
#include "policy/demystify/signatures/tables.h"

namespace mulligan::demystify {
namespace {

// Returns the row "<source>/<word>" of a table.
const Signature* FindJoined(std::span<const Signature> rows,
                            std::string_view source, std::string_view word) {
  if (word.empty()) return nullptr;
  char key[128];
  const std::size_t size = source.size() + 1 + word.size();
  if (size > sizeof(key)) return nullptr;
  source.copy(key, source.size());
  key[source.size()] = '/';
  word.copy(key + source.size() + 1, word.size());
  return Find(rows, {key, size});
}

}  // namespace

const Signature* FindPodReason(std::string_view reason) {
  if (reason.empty()) return nullptr;
  // OutOfcpu, OutOfmemory, OutOfpods, OutOfnvidia.com/gpu and the like.
  if (reason.size() > 5 && reason.substr(0, 5) == "OutOf") {
    return &sign::kOutOf;
  }
  return Find(rows::PodReasons(), reason);
}

const Signature* FindDisruptionReason(std::string_view reason) {
  return Find(rows::DisruptionReasons(), reason);
}

const Signature& UnknownDisruption() { return sign::kUnknownDisruption; }

const Signature* FindTerminatedReason(std::string_view reason) {
  return Find(rows::TerminatedReasons(), reason);
}

const Signature* FindWaitingReason(std::string_view reason) {
  return Find(rows::WaitingReasons(), reason);
}

const EventSignature* FindEvent(std::string_view reason) {
  const std::span<const EventSignature> events = rows::Events();
  const auto row =
      std::lower_bound(events.begin(), events.end(), reason,
                       [](const EventSignature& a, std::string_view b) {
                         return a.row.key < b;
                       });
  return row != events.end() && row->row.key == reason ? &*row : nullptr;
}

const EventSignature& OtherEvent() {
  // Without a known message the event says nothing.
  static constexpr EventSignature kOther = {
      {"", v1::UNKNOWN, kLow, Tier::kHint, kTextWeight, kNoFlags, ""},
      Stage::kRun,
      Texts::kAny,
      true};
  return kOther;
}

const Signature* FindStatusReason(std::string_view reason) {
  return Find(rows::StatusReasons(), reason);
}

const Signature* FindHttpCode(std::int32_t code) {
  for (const HttpCodeSignature& http : rows::HttpCodes()) {
    if (code >= http.first && code <= http.last) return &http.row;
  }
  return nullptr;
}

const Signature& BuildFailure() { return sign::kBuildFailure; }
const Signature& NoAnswer() { return sign::kNoAnswer; }

const Signature* FindEvictedReason(std::string_view reason) {
  const Signature* row = Find(rows::EvictedReasons(), reason);
  if (row != nullptr) return row;
  // Reasons of later releases keep the prefix.
  return reason.starts_with("Deactivated") ? &sign::kDeactivatedEviction
                                           : &sign::kUnknownEviction;
}

const Signature* FindOperatorState(std::string_view state) {
  return Find(rows::OperatorStates(), state);
}

const Signature* FindOperatorState(std::string_view source,
                                   std::string_view state) {
  // A named rule's name follows the reason (KEP-4443).
  if (state.starts_with("PodFailurePolicy_")) state = "PodFailurePolicy";
  return FindJoined(rows::OperatorStates(), source, state);
}

const Signature* FindSchedulerState(std::string_view scheduler,
                                    std::string_view word) {
  return FindJoined(rows::SchedulerStates(), scheduler, word);
}

}  // namespace mulligan::demystify
