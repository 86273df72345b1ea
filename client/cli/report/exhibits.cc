#include "client/cli/report/exhibits.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

namespace mulligan::cli {
namespace {

bool IsCostlier(const Exhibit& a, const Exhibit& b) {
  const auto key = [](const Exhibit& of) {
    return std::tuple(-of.lost.accelerator, -of.lost.core, -of.lost.pod,
                      of.observed, std::string_view(of.workload), of.key,
                      std::string_view(of.problem),
                      std::string_view(of.first_step.text()));
  };
  return key(a) < key(b);
}

}  // namespace

void Exhibits::Add(Exhibit example) {
  if (all_.size() == most_ && !IsCostlier(example, all_.back())) return;
  const auto same = std::ranges::find(all_, example.key, &Exhibit::key);
  if (same != all_.end()) {
    if (!IsCostlier(example, *same)) return;
    all_.erase(same);
  }
  all_.insert(std::ranges::upper_bound(all_, example, IsCostlier),
              std::move(example));
  if (all_.size() > most_) all_.pop_back();
}

Exhibits& Exhibits::operator+=(const Exhibits& other) {
  for (const Exhibit& example : other.all_) Add(example);
  return *this;
}

}  // namespace mulligan::cli
