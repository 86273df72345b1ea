// Memory of open requests, with a common bound.
#ifndef MULLIGAN_SERVER_ADMISSION_MEMORY_GAUGE_H_
#define MULLIGAN_SERVER_ADMISSION_MEMORY_GAUGE_H_

#include <atomic>
#include <cstddef>
#include <utility>

namespace mulligan {

// Counts bytes against a bound. Thread-safe.
class MemoryGauge {
 public:
  explicit MemoryGauge(std::size_t bound) : bound_(bound) {}

  // Bytes that are returned on destruction.
  class Share {
   public:
    Share() = default;
    Share(MemoryGauge* gauge, std::size_t bytes)
        : gauge_(gauge), bytes_(bytes) {}
    Share(Share&& other) noexcept
        : gauge_(std::exchange(other.gauge_, nullptr)), bytes_(other.bytes_) {}
    Share& operator=(Share&& other) noexcept {
      std::swap(gauge_, other.gauge_);
      std::swap(bytes_, other.bytes_);
      return *this;
    }
    ~Share() {
      if (gauge_ != nullptr) gauge_->used_.fetch_sub(bytes_);
    }

    // Whether the bytes were available.
    explicit operator bool() const { return gauge_ != nullptr; }

   private:
    MemoryGauge* gauge_ = nullptr;
    std::size_t bytes_ = 0;
  };

  // Returns an empty share if `bytes` more would exceed the bound.
  Share Take(std::size_t bytes) {
    if (used_.fetch_add(bytes) + bytes <= bound_) return {this, bytes};
    used_.fetch_sub(bytes);
    return {};
  }

  std::size_t used() const { return used_.load(std::memory_order_relaxed); }

 private:
  const std::size_t bound_;
  std::atomic<std::size_t> used_ = 0;
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_ADMISSION_MEMORY_GAUGE_H_
