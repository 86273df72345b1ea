// Memory that the allocator holds.
#ifndef MULLIGAN_SERVER_ADMISSION_ALLOCATOR_H_
#define MULLIGAN_SERVER_ADMISSION_ALLOCATOR_H_

namespace mulligan {

// Returns memory that this thread freed to the system. mimalloc does so only
// while the thread keeps allocating, so a burst's memory would stay until the
// next one.
void ReturnFreedMemory();

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_ADMISSION_ALLOCATOR_H_
