#include "server/admission/allocator.h"

// mimalloc's, if the program is linked with it (MULLIGAN_USE_MIMALLOC).
extern "C" __attribute__((weak)) void mi_collect(bool force);

namespace mulligan {

void ReturnFreedMemory() {
  if (mi_collect != nullptr) mi_collect(/*force=*/true);
}

}  // namespace mulligan
