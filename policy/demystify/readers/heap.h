// Heaps that programs keep within the memory of their container.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_READERS_HEAP_H_
#define MULLIGAN_POLICY_DEMYSTIFY_READERS_HEAP_H_

#include <string_view>

namespace mulligan::demystify {

// Whether a line about memory is about such a heap, or what a program allows
// its workers.
bool IsAboutHeap(std::string_view line);

// Whether a log tells of an option that gives it a size of its own, so that it
// does not grow with the container.
bool FixesHeap(std::string_view log);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_READERS_HEAP_H_
