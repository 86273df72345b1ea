// Bytes on the heap, counted by replacing operator new.
#ifndef MULLIGAN_TESTS_BENCHMARK_COSTLY_ALLOCATED_H_
#define MULLIGAN_TESTS_BENCHMARK_COSTLY_ALLOCATED_H_

#include <cstddef>

namespace mulligan::testing {

// Resets the peak to the current use.
void ForgetPeak();

// The peak since the last ForgetPeak(), in bytes above the use at that time.
std::size_t PeakBytes();

}  // namespace mulligan::testing

#endif  // MULLIGAN_TESTS_BENCHMARK_COSTLY_ALLOCATED_H_
