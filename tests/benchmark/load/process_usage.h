// Resource usage of another process.
#ifndef MULLIGAN_TESTS_BENCHMARK_LOAD_PROCESS_USAGE_H_
#define MULLIGAN_TESTS_BENCHMARK_LOAD_PROCESS_USAGE_H_

namespace mulligan::load {

// CPU seconds of all threads so far; 0 if `pid` is 0 or gone.
double CpuSeconds(int pid);

// Resident memory in KiB; 0 if `pid` is 0 or gone.
long ResidentKib(int pid);

}  // namespace mulligan::load

#endif  // MULLIGAN_TESTS_BENCHMARK_LOAD_PROCESS_USAGE_H_
