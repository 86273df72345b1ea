#include "tests/benchmark/costly/allocated.h"

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace {

// The program has one thread.
std::size_t used = 0;
std::size_t peak = 0;
std::size_t start = 0;

void* Allocate(std::size_t size) {
  void* const block = std::malloc(size);
  if (block == nullptr) std::abort();
  used += malloc_usable_size(block);
  peak = std::max(peak, used);
  return block;
}

void Free(void* block) {
  used -= malloc_usable_size(block);
  std::free(block);
}

}  // namespace

void* operator new(std::size_t size) { return Allocate(size); }
void* operator new[](std::size_t size) { return Allocate(size); }
void operator delete(void* block) noexcept { Free(block); }
void operator delete[](void* block) noexcept { Free(block); }
void operator delete(void* block, std::size_t) noexcept { Free(block); }
void operator delete[](void* block, std::size_t) noexcept { Free(block); }

namespace mulligan::testing {

void ForgetPeak() { start = peak = used; }

std::size_t PeakBytes() { return peak - start; }

}  // namespace mulligan::testing
