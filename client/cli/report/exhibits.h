// Selects a few failures that represent a group.
#ifndef MULLIGAN_CLIENT_CLI_REPORT_EXHIBITS_H_
#define MULLIGAN_CLIENT_CLI_REPORT_EXHIBITS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "client/cli/report/spent.h"
#include "mulligan/v1/diagnosis.pb.h"

namespace mulligan::cli {

struct Exhibit {
  // The hash of its workload.
  std::uint64_t key = 0;
  // "Job ml/train".
  std::string workload;
  // Seconds since 1970.
  std::int64_t observed = 0;
  Spent lost;
  // Diagnosis.problem, else its summary; empty if only the workload matters.
  std::string problem;
  v1::FirstStep first_step;
};

// The costliest exhibits, one per workload. The result does not depend on the
// order of additions.
class Exhibits {
 public:
  // The default number per group.
  static constexpr std::size_t kFew = 3;

  explicit Exhibits(std::size_t most = kFew) : most_(most) {}

  void Add(Exhibit example);
  Exhibits& operator+=(const Exhibits& other);
  const std::vector<Exhibit>& all() const { return all_; }

 private:
  std::size_t most_;
  std::vector<Exhibit> all_;
};

// Returns at most `most` of the costliest.
inline std::span<const Exhibit> FirstOf(const Exhibits& examples,
                                        std::size_t most) {
  return std::span(examples.all()).first(std::min(most, examples.all().size()));
}

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_REPORT_EXHIBITS_H_
