// Latencies in log-linear buckets.
#ifndef MULLIGAN_TESTS_BENCHMARK_LOAD_HISTOGRAM_H_
#define MULLIGAN_TESTS_BENCHMARK_LOAD_HISTOGRAM_H_

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace mulligan::load {

// 64 buckets per power of two of nanoseconds: an error below 1.6 %. Not
// thread-safe: each thread has its own, and they are merged at the end.
class Histogram {
 public:
  Histogram() : counts_(64 * 64) {}

  void Add(std::uint64_t nanoseconds) {
    ++counts_[Index(nanoseconds)];
    ++total_;
  }

  void Merge(const Histogram& other) {
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      counts_[i] += other.counts_[i];
    }
    total_ += other.total_;
  }

  std::uint64_t total() const { return total_; }

  // The latency that the share `quantile` of the calls did not exceed.
  double QuantileMicroseconds(double quantile) const {
    const auto wanted =
        static_cast<std::uint64_t>(quantile * static_cast<double>(total_));
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      seen += counts_[i];
      if (seen > wanted) return static_cast<double>(Lowest(i)) / 1000.0;
    }
    return 0;
  }

 private:
  static std::size_t Index(std::uint64_t value) {
    if (value < 64) return value;
    const auto shift =
        static_cast<std::size_t>(63 - std::countl_zero(value) - 6);
    return std::min<std::size_t>((shift + 1) * 64 + ((value >> shift) & 63),
                                 64 * 64 - 1);
  }

  static std::uint64_t Lowest(std::size_t index) {
    if (index < 64) return index;
    return (64 + (index & 63)) << (index / 64 - 1);
  }

  std::vector<std::uint64_t> counts_;
  std::uint64_t total_ = 0;
};

}  // namespace mulligan::load

#endif  // MULLIGAN_TESTS_BENCHMARK_LOAD_HISTOGRAM_H_
