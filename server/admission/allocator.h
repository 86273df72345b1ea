// What the process asks of its allocator.
#ifndef MULLIGAN_SERVER_ADMISSION_ALLOCATOR_H_
#define MULLIGAN_SERVER_ADMISSION_ALLOCATOR_H_

namespace mulligan {

// Gives the system back what this thread has freed. mimalloc does so by itself
// only while the thread goes on allocating: without it the memory of a burst
// stays until the next one.
void GiveBackMemory();

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_ADMISSION_ALLOCATOR_H_
