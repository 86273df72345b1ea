// Heaps with their own limit, and JVM memory outside the heap.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_READERS_HEAP_H_
#define MULLIGAN_POLICY_DEMYSTIFY_READERS_HEAP_H_

#include <string_view>

namespace mulligan::demystify {

// Returns whether a line about memory is about such a heap or workers' limits.
bool IsAboutHeap(std::string_view line);

// Returns whether a log has an option that fixes the heap's size, so that it
// does not grow with the container.
bool FixesHeap(std::string_view log);

// Returns whether a line is about JVM memory outside the heap that does not
// grow with the container. Class memory never does. Direct memory, which may be
// as large as the heap, does not if `log` has an option for its size. Nor does
// it if `log` fixes the heap's size and `heap_follows` is false.
bool IsAreaOfItsOwn(std::string_view line, std::string_view log,
                    bool heap_follows);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_READERS_HEAP_H_
