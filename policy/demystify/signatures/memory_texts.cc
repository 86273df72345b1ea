// Memory and storage that ran out: of accelerators, of the process, of disks.
#include "policy/demystify/signatures/application_texts.h"

namespace mulligan::demystify {
namespace {

constexpr TextSignature GpuOom(std::string_view keyword, const char* pattern,
                               std::string_view name) {
  return AppText(keyword, pattern, name, v1::GPU_OOM, kMedium, Tier::kSpecific,
                 kNoFlags, "the accelerator's memory ran out");
}

constexpr TextSignature Oom(std::string_view keyword, const char* pattern,
                            std::string_view name, std::string_view meaning) {
  return AppText(keyword, pattern, name, v1::CONTAINER_OOM, kMedium,
                 Tier::kSpecific, kNoFlags, meaning);
}

constexpr TextSignature Storage(std::string_view keyword, const char* pattern,
                                std::string_view name,
                                std::string_view meaning) {
  return AppText(keyword, pattern, name, v1::STORAGE_EXHAUSTED, kMedium,
                 Tier::kSpecific, kNoFlags, meaning);
}

constexpr TextSignature kMemoryTexts[] = {
    GpuOom("cuda out of memory", nullptr, "cuda-oom"),
    GpuOom("cuda_error_out_of_memory", nullptr, "cuda-oom-code"),
    GpuOom("cudaerrormemoryallocation", nullptr, "cuda-oom-runtime"),
    GpuOom("torch.cuda.outofmemoryerror", nullptr, "torch-cuda-oom"),
    GpuOom("torch.outofmemoryerror", nullptr, "torch-oom"),
    GpuOom("out of memory",
           "(cuda|cudnn|cublas|nccl|gpu|hip|rocm|xpu|npu|hbm|"
           "device|vram)[^\\n]{0,120}out of memory|out of memory[^\\n]{0,80}("
           "gpu|cuda|hbm|device memory)",
           "gpu-oom"),
    GpuOom("resource exhausted",
           "resource exhausted[^\\n]{0,200}(hbm|allocat|out of memory|memory "
           "space)",
           "xla-oom-text"),
    GpuOom("hiperroroutofmemory", nullptr, "hip-oom"),
    GpuOom("cublas_status_alloc_failed", nullptr, "cublas-alloc"),
    GpuOom("cudnn_status_alloc_failed", nullptr, "cudnn-alloc"),
    GpuOom("failed to cuda", "failed to cuda (calloc|malloc|host alloc)",
           "nccl-alloc"),
    GpuOom("resource_exhausted",
           "resource_exhausted.{0,200}(hbm|allocat|out "
           "of memory|oom|memory space)",
           "xla-oom"),
    Oom("oom when allocating", "oom when allocating.{0,200}device:cpu",
        "tf-oom-host", "the process got no memory"),
    GpuOom("out_of_memory: cuda", nullptr, "rmm-oom"),
    GpuOom("unable to allocate cuda", nullptr, "ggml-oom"),
    GpuOom("resourceexhaustederror",
           "oom when allocating|allocat|out of "
           "memory",
           "tf-oom"),
    GpuOom("oom when allocating tensor", nullptr, "tf-oom-tensor"),
    GpuOom("memory space hbm", nullptr, "tpu-hbm"),
    GpuOom("no available memory for the cache blocks", nullptr, "vllm-cache"),
    GpuOom("kv cache",
           "larger than.{0,80}kv cache|kv cache.{0,120}(larger than|not "
           "enough|insufficient|"
           "no available memory)|(not enough|insufficient).{0,60}kv cache",
           "vllm-kv-cache"),
    GpuOom("gpu memory",
           "less than desired gpu memory utilization|gpu memory[^\\n]{0,60}"
           "could not be allocated",
           "gpu-memory"),
    // Shared memory, before what the process is told about memory.
    Storage("insufficient shared memory", nullptr, "shm",
            "/dev/shm is too small"),
    Storage("out of shared memory", nullptr, "shared-memory",
            "/dev/shm is too small"),
    Storage("shared memory segment",
            "(error|fail)[^\\n]{0,60}shared memory segment|shared memory "
            "segment[^\\n]{0,80}(fail|no space)",
            "shm-segment", "/dev/shm is too small"),
    Storage("posix_fallocate failed", nullptr, "shm-fallocate",
            "/dev/shm is too small"),
    Storage("bus error",
            "(dataloader|data loader|worker)[^\\n]{0,120}bus error|bus "
            "error[^\\n]{0,120}(dataloader|worker|shared memory)",
            "loader-bus-error", "/dev/shm is too small for the data loader"),
    Storage("physical address", "non-?exist[ae]nt physical address",
            "bus-no-page", "a mapped file, mostly in /dev/shm, has no room"),
    Storage("</torch_", "(unable to (mmap|write)|truncat)[^\\n]{0,80}</torch_",
            "torch-shm", "/dev/shm is too small"),
    // The process or its cgroup.
    Oom("oom-kill", nullptr, "oom-kill", "the kernel's OOM killer struck"),
    Oom("oom_kill", nullptr, "oom-kill-count",
        "the kernel's OOM killer struck"),
    Oom("oomkilled", nullptr, "oomkilled", "a container was OOM-killed"),
    Oom("oom killer",
        "(invoked|triggered|kernel|linux|cgroup)[^\\n]{0,40}oom killer|oom "
        "killer "
        "(killed|invoked|terminated|struck|triggered)",
        "oom-killer", "the kernel's OOM killer struck"),
    Oom("out of memory: kill", nullptr, "kernel-oom",
        "the kernel's OOM killer struck"),
    Oom("killed process", "killed process \\d+", "kernel-killed",
        "the kernel's OOM killer struck"),
    // Java, Julia, Ray and their like; those of accelerators stand above.
    Oom("outofmemoryerror", nullptr, "oom-error",
        "the program ran out of memory"),
    Oom("outofmemoryexception", nullptr, "oom-exception",
        "the program ran out of memory"),
    Oom("java heap space", nullptr, "java-heap", "the JVM's heap is full"),
    Oom("gc overhead limit exceeded", nullptr, "java-gc",
        "the JVM's heap is full"),
    // A number before it is the scheduler's, of nodes.
    Oom("insufficient memory", "(^|[^\\d\\s])\\s*insufficient memory",
        "insufficient-memory", "the process got no memory"),
    Oom("not enough memory", nullptr, "not-enough-memory",
        "the process got no memory"),
    Oom("allocation failed - javascript", nullptr, "node-alloc",
        "the JavaScript heap is full"),
    Oom("allocate memory",
        "(cannot|can't|could not|couldn't|unable to|fail(ed)? to) allocate "
        "memory",
        "enomem", "the process got no memory"),
    Oom("errno 12", "\\[errno 12\\]", "errno-12", "the process got no memory"),
    Oom("std::bad_alloc", nullptr, "bad-alloc", "the process got no memory"),
    Oom("memoryerror", "\\bmemoryerror\\b", "python-memory-error",
        "the process got no memory"),
    Oom("_arraymemoryerror", nullptr, "numpy-memory-error",
        "the process got no memory"),
    Oom("unable to allocate", "unable to allocate .{0,40}(bytes|[kmgt]i?b)",
        "unable-to-allocate", "the process got no memory"),
    Oom("memory allocation of", "memory allocation of \\d+ bytes failed",
        "rust-alloc", "the process got no memory"),
    Oom("virtual memory exhausted", nullptr, "virtual-memory",
        "the process got no memory"),
    Oom("allowed memory size of", nullptr, "php-memory",
        "the process reached its own memory limit"),
    Oom("cannot allocate vector of size", nullptr, "r-memory",
        "the process got no memory"),
    Oom("vector memory", "vector memory (exhausted|limit)", "r-vector-memory",
        "the process got no memory"),
    Oom("killed by signal: killed", "dataloader worker|worker", "torch-worker",
        "a worker process was killed, most often for memory"),
    Oom("possible container oom", nullptr, "spark-executor-oom",
        "Spark lost executors that were killed, most likely for memory"),
    Oom("exceeding memory limits", nullptr, "spark-memory-limits",
        "an executor exceeded its memory"),
    Oom("exceeding physical memory limits", nullptr, "yarn-memory",
        "an executor exceeded its memory"),
    Oom("killed due to memory pressure", nullptr, "ray-memory-monitor",
        "Ray's memory monitor killed a worker"),
    Oom("node running low on memory", nullptr, "ray-low-memory",
        "Ray's memory monitor killed a worker"),
    Oom("exceeded 95% memory budget", nullptr, "dask-memory",
        "Dask restarted a worker for its memory"),
    Oom("memory limit",
        "(exceeded|over|reached|above).{0,60}memory limit|"
        "memory limit.{0,40}exceeded",
        "memory-limit", "the process exceeded a memory limit"),
    Oom("out of memory",
        "(process|worker|container|task|job|executor|ran|"
        "killed|fatal|error|exit)[^\\n]{0,60}out of memory|^out of memory|"
        "out of memory(\\.|!|$| error|, malloc)",
        "out-of-memory", "the process ran out of memory"),
    // Disks.
    Blaming(
        kInfrastructure, kMayRecover,
        AppText("watch",
                "(watch|notify)[^\\n]{0,80}(no space left|enospc)|limit for "
                "(number of )?file watchers",
                "watches-full", v1::APP_ERROR, kMedium, Tier::kSpecific,
                kNoFlags, "the node has no file watches left")),
    Storage("/dev/shm",
            "/dev/shm.{0,120}(no space|full|too small|bus error|"
            "exhaust|not enough)|(bus error|no space).{0,120}/dev/shm",
            "shm-full", "/dev/shm is full"),
    Storage("no space left on device", nullptr, "enospc",
            "a file system the program writes to is full"),
    Storage("pytorchstreamwriter failed writing", nullptr, "torch-writer",
            "a checkpoint could not be written: most often the disk is full"),
    Storage("unexpected pos", "unexpected pos \\d+ vs \\d+",
            "torch-writer-position",
            "a checkpoint could not be written: most often the disk is full"),
    Storage("enospc", "\\bENOSPC\\b", "enospc-code",
            "a file system the program writes to is full"),
    Storage("errno 28", nullptr, "errno-28",
            "a file system the program writes to is full"),
    Storage("disk quota exceeded", nullptr, "disk-quota",
            "the program used up its disk quota"),
    Storage("disk full", nullptr, "disk-full",
            "a file system the program writes to is full"),
    Storage("disk is full", nullptr, "disk-is-full",
            "a file system the program writes to is full"),
    Storage("outofdiskerror", nullptr, "ray-disk",
            "Ray's object store has no disk space"),
    Storage("storefull", "(plasma|object)storefull", "ray-store-full",
            "Ray's object store is full"),
    Storage("not enough", "not enough (free |disk )*space", "not-enough-disk",
            "a file system the program writes to is full"),
    Storage("insufficient disk space", nullptr, "insufficient-disk",
            "a file system the program writes to is full"),
};

}  // namespace

std::span<const TextSignature> MemoryTexts() { return kMemoryTexts; }

}  // namespace mulligan::demystify
