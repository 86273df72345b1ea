// Taking logged decisions again, under other policies.
#ifndef MULLIGAN_CLIENT_CLI_REPLAY_REPLAY_H_
#define MULLIGAN_CLIENT_CLI_REPLAY_REPLAY_H_

#include <cstddef>
#include <cstdint>
#include <functional>

#include "client/cli/replay/log_blocks.h"
#include "client/cli/replay/replay_result.h"
#include "policy/rules/policy_set.h"

namespace mulligan::cli {

// Of `count` shards, which together have every line once, number `index`, from
// 0: the completion index of an Indexed Job.
struct Shard {
  std::size_t index = 0;
  std::size_t count = 1;

  bool Has(std::size_t line) const { return line % count == index; }
};

struct ReplayProgress {
  std::int64_t bytes_read = 0;
  // Of all files; 0: not known.
  std::int64_t bytes = 0;
  Count lines = 0;
};

struct ReplaySettings {
  Shard shard;
  // At least 1.
  unsigned threads = 1;
  // Called from time to time by the thread that called Replay; may be empty.
  std::function<void(const ReplayProgress&)> on_progress = nullptr;
};

// Decides each line of `logs` under `policies` and compares. The result is the
// same for any number of threads. What is not a DecisionRecord is counted and
// named, and stops nothing; nor does a file that cannot be read to its end.
ReplayResult Replay(LogBlocks& logs, const PolicySet& policies,
                    const ReplaySettings& settings);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_REPLAY_REPLAY_H_
