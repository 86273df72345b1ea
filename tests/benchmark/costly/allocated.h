// Bytes on the heap, counted by replacing operator new.
#ifndef MULLIGAN_TESTS_BENCHMARK_COSTLY_ALLOCATED_H_
#define MULLIGAN_TESTS_BENCHMARK_COSTLY_ALLOCATED_H_

#include <cstddef>

namespace mulligan::testing {

// Forgets the highest use so far.
void ForgetPeak();

// The highest use since, beyond the use at that time.
std::size_t PeakBytes();

}  // namespace mulligan::testing

#endif  // MULLIGAN_TESTS_BENCHMARK_COSTLY_ALLOCATED_H_
