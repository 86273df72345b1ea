// Reads Slurm's output about a job: `sacct --json`, `scontrol show job --json`
// (Slurm 23.02 and later) and the text of `scontrol show job`.
#ifndef MULLIGAN_CLIENT_CLI_INPUT_SLURM_H_
#define MULLIGAN_CLIENT_CLI_INPUT_SLURM_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "mulligan/v1/report.pb.h"

namespace mulligan::cli {

// Returns whether a JSON object is the output of one of these commands.
bool IsSlurmJson(std::string_view json);
// Returns whether a text is that of `scontrol show job`.
bool IsSlurmText(std::string_view text);

// Returns the report about the last ended attempt of a job. INVALID_ARGUMENT
// for several jobs, or if no attempt has ended.
absl::StatusOr<v1::FailureReport> ReadSlurmJson(std::string_view json);
absl::StatusOr<v1::FailureReport> ReadSlurmText(std::string_view text);

// Sets the signal of a step if it says more than the exit code of the script.
void AddStepSignal(std::int32_t signal, v1::EndedAttempt& attempt);

using SlurmFieldMap = std::map<std::string, std::string>;

// Returns the fields of the one job or partition that `scontrol show` printed.
// INVALID_ARGUMENT if a field occurs twice: there are several jobs, or a text
// of the user, which may have line breaks, imitates a field.
absl::StatusOr<SlurmFieldMap> SlurmFields(std::string_view text);

// Returns the address of job `number` alone: "7", "3_1" for a task of an array,
// "4+0" for a component of a heterogeneous job. scontrol and sacct take the
// number of such a job for the whole. `text` is that of `scontrol show job`.
absl::StatusOr<std::string> SlurmAddress(std::string_view text,
                                         std::string_view number);

// Returns at most 5000 host names: n1, n2 and gpu01 for "n[1-2],gpu01".
std::vector<std::string> ExpandHosts(const std::string& list);

// Parses a size such as "4000M" or "2.5G" into MiB; 0 if it is invalid.
double SlurmMebibytes(std::string size);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_INPUT_SLURM_H_
