// The objects that own pods: their conditions, states and messages.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_READERS_OPERATOR_READER_H_
#define MULLIGAN_POLICY_DEMYSTIFY_READERS_OPERATOR_READER_H_

#include <cstdint>
#include <optional>

#include "policy/demystify/candidate.h"
#include "policy/demystify/context.h"

namespace mulligan::demystify {

// Adds what Jobs, JobSet, RayJob, RayCluster, TrainJob, SparkApplication and
// kubeflow v1 job say.
void ReadOperators(const Context& context, Candidates& facts);

// Adds what the Kueue Workload says.
void ReadQueue(const Context& context, Candidates& facts);

// Whether an answer with this HTTP code says that something failed.
inline bool IsErrorCode(std::int32_t http_code) { return http_code >= 400; }

// Adds what report.creation_error says.
void ReadCreationError(const Context& context, Candidates& facts);

// Adds what report.exit says; fills `exit_code` when there is one.
void ReadExit(const Context& context, Candidates& facts,
              std::optional<std::int32_t>& exit_code);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_READERS_OPERATOR_READER_H_
