// Heaps that programs keep within the memory of their container, and what else
// a JVM keeps beside its heap.
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

// Whether a line tells of memory beside the heap of a JVM that does not grow
// with the container: what is told of classes never does, and direct memory,
// which may be as large as the heap, not where `log` tells of an option that
// sets its size, or that of a heap which does not follow the container either.
bool IsAreaOfItsOwn(std::string_view line, std::string_view log,
                    bool heap_follows);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_READERS_HEAP_H_
