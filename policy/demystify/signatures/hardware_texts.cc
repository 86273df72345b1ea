// Faults of accelerators, interconnects and machines (NVIDIA XID catalogue,
// CUDA runtime errors 46, 100, 214, 802, 803, 999, NCCL, TPU, AMD).
#include "policy/demystify/signatures/application_texts.h"

namespace mulligan::demystify {
namespace {

constexpr TextSignature Gpu(std::string_view keyword, const char* pattern,
                            std::string_view name, std::string_view meaning) {
  return AppText(keyword, pattern, name, v1::GPU_FAULT, kMedium,
                 Tier::kSpecific, kNoFlags, meaning);
}

constexpr TextSignature Fabric(std::string_view keyword, const char* pattern,
                               std::string_view name, std::uint8_t flags,
                               std::string_view meaning) {
  return AppText(keyword, pattern, name, v1::FABRIC_FAULT,
                 flags == kNoFlags ? kMedium : kLow, Tier::kSpecific, flags,
                 meaning);
}

constexpr TextSignature kHardwareTexts[] = {
    Fabric("sxid", nullptr, "sxid", kNoFlags, "an NVSwitch failed"),
    Gpu("fallen off the bus", nullptr, "off-the-bus",
        "the GPU no longer answers on its bus"),
    Gpu("gpu is lost", nullptr, "gpu-lost", "the GPU no longer answers"),
    Gpu("gpu_is_lost", nullptr, "gpu-is-lost", "the GPU no longer answers"),
    Gpu("uncorrectable ecc", nullptr, "ecc",
        "the GPU's memory has an uncorrectable error"),
    Gpu("cuda_error_ecc_uncorrectable", nullptr, "ecc-code",
        "the GPU's memory has an uncorrectable error"),
    Gpu("cudaerroreccuncorrectable", nullptr, "ecc-runtime",
        "the GPU's memory has an uncorrectable error"),
    Gpu("ecc error", "(double|multi)[- ]bit ecc|ecc error encountered",
        "ecc-error", "the GPU's memory has an uncorrectable error"),
    Gpu("double bit ecc", nullptr, "double-bit-ecc",
        "the GPU's memory has an uncorrectable error"),
    Gpu("row remap", "row remap\\w* (fail|pending)", "row-remap",
        "the GPU could not repair its memory"),
    Gpu("requires reset", "gpu .{0,40}requires reset", "gpu-reset",
        "the GPU has to be reset"),
    Gpu("no cuda-capable device", nullptr, "no-device",
        "the program saw no GPU"),
    Gpu("cuda_error_no_device", nullptr, "no-device-code",
        "the program saw no GPU"),
    Gpu("no cuda gpus are available", nullptr, "no-gpus",
        "the program saw no GPU"),
    Gpu("busy or unavailable",
        "devices?(\\(s\\))? (is/)?are busy or unavailable", "device-busy",
        "the GPU is in a state in which nobody can use it"),
    Gpu("cuda_error_devices_unavailable", nullptr, "devices-unavailable",
        "the GPU is in a state in which nobody can use it"),
    Gpu("driver/library version mismatch", nullptr, "driver-mismatch",
        "kernel driver and library differ in version"),
    Gpu("system not yet initialized", nullptr, "fabric-manager",
        "the node's fabric manager is not running (CUDA 802)"),
    Gpu("cuda_error_system_not_ready", nullptr, "system-not-ready",
        "the node's fabric manager is not running (CUDA 802)"),
    Gpu("failed to initialize nvml", nullptr, "nvml",
        "the node's GPU could not be reached"),
    Gpu("nvml: unknown error", nullptr, "nvml-unknown",
        "the container lost its GPU"),
    Gpu("found no nvidia driver", nullptr, "no-nvidia-driver",
        "the program saw no GPU driver"),
    Gpu("couldn't communicate with the nvidia driver", nullptr, "no-driver",
        "the node's GPU driver does not answer"),
    Gpu("cuda unknown error", nullptr, "cuda-unknown",
        "the GPU could not be set up (CUDA 999)"),
    Gpu("cuda_error_unknown", nullptr, "cuda-unknown-code",
        "the GPU could not be used (CUDA 999)"),
    Gpu("cuda initialization",
        "unexpected error from cudagetdevicecount|cuda "
        "initialization: (cuda )?unknown error",
        "cuda-init", "the GPU could not be set up"),
    Gpu("hardware stack error", nullptr, "stack-error", "the GPU faulted"),
    Gpu("gpu hang", "gpu (hang|reset)", "amd-hang", "the GPU hung"),
    Gpu("hsa_status_error",
        "hsa_status_error_(exception|out_of_registers|"
        "hardware)|hardware exception",
        "amd-hsa", "the GPU faulted"),
    Gpu("ras error", "uncorrectable.{0,20}ras|ras error", "amd-ras",
        "the GPU's memory has an error"),
    // The master of a TPU session names the worker whose chips failed.
    AppText("tpu session error", "tpu session error from worker", "tpu-session",
            v1::GPU_FAULT, kMedium, Tier::kSpecific, kNamesMember,
            "the chips of a TPU worker failed"),
    Gpu("chip_driver_error", nullptr, "tpu-driver",
        "the chips of a TPU failed"),
    Blaming(kConfiguration, kCannotRecover,
            AppText("worker addresses", "expected \\d+ worker addresses",
                    "tpu-addresses", v1::CONFIG_USER_ERROR, kMedium,
                    Tier::kSpecific, kNoFlags,
                    "the workers named do not fit the TPU slice")),
    Gpu("tpu initialization failed", nullptr, "tpu-initialization",
        "a TPU could not be set up"),
    Gpu("no tpu platform", nullptr, "no-tpu", "the program saw no TPU"),
    Gpu("tpu is already in use", nullptr, "tpu-in-use",
        "the TPU is held by somebody else"),
    Gpu("unable to determine the device handle", nullptr, "device-handle",
        "the GPU no longer answers"),
    Gpu("tpu",
        "tpu.{0,60}(unhealthy|hardware (error|failure)|health check "
        "fail|chip .*(error|fail))|failed to (initialize|open).{0,30}\\btpu|"
        "/dev/accel\\d+[^\\n]{0,60}\\b(fatal|error)",
        "tpu", "a TPU failed"),
    Gpu("neuron",
        "(unable|failed|could not|no) [^\\n]{0,40}neuron (driver|device|core)|"
        "nrt_(init|load|execute)[^\\n]{0,60}(fail|error|status=[1-9])",
        "neuron", "the Neuron device could not be used"),
    Gpu("no hip gpus are available", nullptr, "no-hip-gpus",
        "the program saw no GPU"),
    Gpu("hiperrornodevice", nullptr, "hip-no-device", "the program saw no GPU"),
    Gpu("device acquire failed", nullptr, "gaudi-acquire",
        "the accelerator is held by somebody else"),
    Gpu("device or resource busy", "/dev/(accel|vfio|nvidia|kfd)",
        "accelerator-busy", "the accelerator is held by somebody else"),
    // Interconnects. A completion error also follows the death of a peer.
    Fabric("nvlink", "nvlink.{0,60}(error|fail|down|inactive|fatal)", "nvlink",
           kNoFlags, "NVLink failed"),
    Fabric("nvswitch", "nvswitch.{0,60}(error|fail|fatal)", "nvswitch",
           kNoFlags, "an NVSwitch failed"),
    Fabric("link down",
           "(ib|mlx|roce|rdma|port|nic|hca|infiniband|efa)"
           "[^\\n]{0,80}link down|link down[^\\n]{0,60}(mlx|ib)",
           "link-down", kNoFlags, "a network link went down"),
    Fabric("link is down", nullptr, "link-is-down", kNoFlags,
           "a network link went down"),
    Fabric("port error", "(ib_|async )?(event|port).{0,40}port (error|down)",
           "ib-port", kNoFlags, "an InfiniBand port failed"),
    Fabric("ibv_event", "fatal|err", "ib-event", kNoFlags,
           "the InfiniBand adapter reported an error"),
    Fabric("network is breakdown", nullptr, "node-network", kNoFlags,
           "the node's network failed its check"),
    Fabric("node check",
           "node check.{0,40}(fail|abnormal)|fault nodes are: "
           "\\[\\d",
           "node-check", kNoFlags, "the node failed its check"),
    Fabric("got completion",
           "completion.{0,80}(with error|status=|error) ?"
           "(12|10|5|\\d)",
           "ib-completion", kPeerEffect,
           "an InfiniBand transfer failed: link trouble, or the peer died"),
    Fabric("transport retry count exceeded", nullptr, "ib-retry", kPeerEffect,
           "an InfiniBand transfer failed: link trouble, or the peer died"),
    Fabric("retry exceeded error", nullptr, "ib-retry-error", kPeerEffect,
           "an InfiniBand transfer failed: link trouble, or the peer died"),
    AppText("cannot allocate memory",
            "(ibv_\\w+|regist\\w+ memory|memory regist\\w+|reg_mr|memlock|lock"
            "(ed|ing)? memory)[^\\n]{0,120}cannot allocate memory",
            "locked-memory", v1::CONFIG_USER_ERROR, kMedium, Tier::kSpecific,
            kNoFlags, "the process may not lock enough memory for its network"),
    AppText("memlock", "memlock[^\\n]{0,80}(low|limit|small|insufficient)",
            "memlock", v1::CONFIG_USER_ERROR, kMedium, Tier::kSpecific,
            kNoFlags, "the process may not lock enough memory for its network"),
    Fabric("ibv_", "ibv_\\w+.{0,20}(failed|error)", "ib-verbs", kPeerEffect,
           "an InfiniBand call failed"),
    Fabric("libfabric",
           "(libfabric|ofi|efa).{0,80}(error|fail|unresponsive|"
           "unreachable)",
           "efa", kPeerEffect, "the interconnect failed, or the peer died"),
    Fabric("unresponsive receiver", nullptr, "efa-unresponsive", kPeerEffect,
           "the interconnect failed, or the peer died"),
    // The machine.
    AppText("kernel panic", nullptr, "kernel-panic", v1::NODE_LOST, kMedium,
            Tier::kSpecific, kNoFlags, "the node's kernel crashed"),
    AppText("machine check",
            "machine check (exception|error)|mce: \\[hardware "
            "error\\]",
            "machine-check", v1::NODE_LOST, kMedium, Tier::kSpecific, kNoFlags,
            "the machine's hardware failed"),
    AppText("hardware error", "\\[hardware error\\]", "hardware-error",
            v1::NODE_LOST, kMedium, Tier::kSpecific, kNoFlags,
            "the machine's hardware failed"),
    AppText("soft lockup", nullptr, "soft-lockup", v1::NODE_LOST, kLow,
            Tier::kConvention, kNoFlags, "the node's kernel is stuck"),
    Blaming(kInfrastructure,
            AppText("node is a straggler", nullptr, "straggler", v1::HANG, kLow,
                    Tier::kConvention, kNoFlags,
                    "the node is much slower than its "
                    "peers")),
    // The provider or a peer layer told the program.
    AppText("spot",
            "spot (instance )?(termination|interruption) notice|"
            "spot.{0,40}(reclaim|interrupted|will be terminated)",
            "spot-notice", v1::SPOT_RECLAIMED, kMedium, Tier::kSpecific,
            kNoFlags, "the program saw the notice of a spot reclaim"),
    AppText("node preempted", "(tpu|vm|gce|instance|node).{0,40}preempted",
            "machine-preempted", v1::SPOT_RECLAIMED, kLow, Tier::kConvention,
            kNoFlags, "the program saw that its machine was preempted"),
    AppText("maintenance event",
            "(terminate_on_host_maintenance|host "
            "maintenance|maintenance event)",
            "maintenance", v1::NODE_SHUTDOWN, kLow, Tier::kConvention, kNoFlags,
            "the program saw that its machine is maintained"),
};

}  // namespace

std::span<const TextSignature> HardwareTexts() { return kHardwareTexts; }

}  // namespace mulligan::demystify
