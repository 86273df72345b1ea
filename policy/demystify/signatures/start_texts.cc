// What kubelet and runtimes say when a container cannot be created or started.
#include "policy/demystify/signatures/tables.h"

namespace mulligan::demystify {
namespace {

constexpr TextSignature Missing(std::string_view keyword, const char* pattern,
                                std::string_view name,
                                std::string_view meaning) {
  return ContainerText(keyword, pattern, name, v1::CONFIG_MISSING,
                       v1::Diagnosis::MEDIUM, meaning);
}

constexpr TextSignature Runtime(std::string_view keyword, const char* pattern,
                                std::string_view name,
                                std::string_view meaning) {
  return ContainerText(keyword, pattern, name, v1::SANDBOX_OR_MOUNT,
                       v1::Diagnosis::MEDIUM, meaning);
}

constexpr TextSignature kStartTexts[] = {
    // Accelerators, prepared by hooks before the program starts.
    ContainerText(
        "driver/library version mismatch", nullptr, "driver-mismatch",
        v1::GPU_FAULT, kMedium,
        "kernel driver and library of the node's GPU differ in version"),
    ContainerText("unknown device", "device error", "gpu-unknown-device",
                  v1::DEVICE_ADMISSION, kMedium,
                  "the GPU given to the container does not exist"),
    ContainerText("nvidia-container-cli: requirement error", nullptr,
                  "gpu-requirement", v1::CONFIG_MISSING, kMedium,
                  "the image wants a newer driver than the node's"),
    ContainerText("nvidia-container-cli",
                  "(initialization|detection|nvml|driver|ldcache"
                  "|timed out).{0,20}error|initialization error",
                  "gpu-hook", v1::GPU_FAULT, kMedium,
                  "the node's GPU could not be prepared"),
    ContainerText("nvml", "failed to initialize nvml", "nvml", v1::GPU_FAULT,
                  kMedium, "the node's GPU could not be reached"),
    ContainerText("unresolvable cdi devices", nullptr, "cdi",
                  v1::DEVICE_ADMISSION, kMedium,
                  "a device given to the container does not exist"),
    ContainerText("could not select device driver", nullptr, "no-device-driver",
                  v1::CONFIG_MISSING, kMedium,
                  "the node has no runtime for the device asked for"),
    ContainerText("error gathering device information", nullptr, "device-path",
                  v1::DEVICE_ADMISSION, kMedium,
                  "a device given to the container does not exist"),
    ContainerText("memory limit too low", nullptr, "init-oom",
                  v1::CONTAINER_OOM, kMedium,
                  "the memory limit does not even let the container start"),
    ContainerText("container init was oom-killed", nullptr, "init-oom-killed",
                  v1::CONTAINER_OOM, kMedium,
                  "the memory limit does not even let the container start"),
    Missing("minimum memory limit", nullptr, "memory-too-low",
            "the memory limit is below the runtime's minimum"),
    // Configuration.
    Missing("secret",
            "secrets? \"[^\"]*\" (not found|is forbidden)|"
            "couldn't find key .* in secret|references non-existent secret key",
            "no-secret", "a Secret or one of its keys is missing"),
    Missing("configmap",
            "configmaps? \"[^\"]*\" not found|"
            "couldn't find key .* in configmap",
            "no-config-map", "a ConfigMap or one of its keys is missing"),
    Missing("couldn't find key", nullptr, "no-key",
            "a key of a ConfigMap or Secret is missing"),
    Missing("non-existent config key", nullptr, "no-config-key",
            "a key of a ConfigMap or Secret is missing"),
    Missing("runasnonroot", nullptr, "run-as-non-root",
            "the image runs as root and the pod forbids it"),
    Missing("unable to find user", nullptr, "no-user",
            "the image has no such user"),
    Missing("no matching entries in passwd", nullptr, "no-passwd-entry",
            "the image has no such user"),
    Missing("apparmor", nullptr, "apparmor",
            "the AppArmor profile is not on the node"),
    Missing("seccomp profile", nullptr, "seccomp",
            "the seccomp profile is not on the node"),
    Missing("localhostprofile", nullptr, "security-profile",
            "a security profile is not on the node"),
    Missing("unknown capability", nullptr, "capability",
            "the runtime does not know a capability"),
    Missing("subpath", nullptr, "sub-path",
            "a volume's subPath is missing or wrong"),
    Missing("are you trying to mount a directory onto a file", nullptr,
            "mount-type", "a directory is mounted over a file, or the reverse"),
    Missing("read-only file system", nullptr, "read-only",
            "the image or volume is read-only where it must be written"),
    // The pod's sandbox and the kubelet's mounts, gone under the container.
    Runtime("sandbox",
            "(get|find|load|join)[^\\n]{0,20} sandbox|sandbox[^\\n]{0,80}(not "
            "found|not ready|not running|no running task)",
            "sandbox-gone", "the pod's sandbox went away"),
    Runtime("/proc/", "(lstat|stat|open|join|setns)[^\\n]{0,60}/proc/\\d+/ns/",
            "namespace-gone", "the pod's sandbox went away"),
    Runtime("stale", "stale (nfs )?file handle", "stale-mount",
            "the server of a volume went away"),
    Runtime("transport endpoint is not connected", nullptr, "mount-gone",
            "the driver of a volume went away"),
    Runtime("host is down", nullptr, "mount-host-down",
            "the server of a volume does not answer"),
    Runtime("/var/lib/kubelet/pods/",
            "/var/lib/kubelet/pods/[^\\n]{0,600}(no such file|file exists)",
            "kubelet-mount",
            "what the kubelet had mounted for the pod is not there"),
    Runtime("file exists", "\\bmkdir [^\\n]{0,300}: file exists", "mount-left",
            "a mount that was left on the node is in the way"),
    Missing("no command specified", nullptr, "no-command",
            "neither image nor pod names a command"),
    Missing("expandenv", nullptr, "env",
            "an environment variable cannot be expanded"),
    Missing("runtime handler", nullptr, "runtime-class",
            "the node does not have the pod's runtime class"),
    // The program.
    ContainerText("exec format error", nullptr, "exec-format",
                  v1::IMAGE_INVALID, kMedium,
                  "the program is built for another CPU"),
    Missing("executable file not found", nullptr, "no-executable",
            "the command is not in the image"),
    Missing("executable file", "executable file .* not found",
            "no-executable-crio", "the command is not in the image"),
    Missing("no such file or directory",
            "exec:|exec user process|starting container process|"
            "unable to start container process|exec failed|chdir to cwd|"
            "not found in \\$PATH|executable",
            "no-such-file",
            "the command or its directory is not in the "
            "image"),
    Missing("permission denied",
            "exec:|exec user process|starting container process|"
            "unable to start container process|chdir to cwd|permission denied",
            "not-executable", "the command is not executable"),
    Missing("is a directory", nullptr, "is-a-directory",
            "the command is a directory"),
    Missing("argument list too long", nullptr, "arguments-too-long",
            "arguments and environment are too long"),
    // The node's runtime.
    Runtime("os error",
            "(failed to|cannot) (start|create).{0,40}task.*"
            "\\(os error \\d+\\)",
            "shim-os-error", "the runtime itself failed"),
    Runtime("already in use by container", nullptr, "name-in-use",
            "the runtime still has a container of that name"),
    Runtime("is reserved for", nullptr, "name-reserved",
            "the runtime still has a container of that name"),
    Runtime("failed to reserve container name", nullptr, "reserve-name",
            "the runtime still has a container of that name"),
    Runtime("timed out", nullptr, "kubelet-timed-out",
            "what the container needs did not arrive in time"),
    Runtime("deadline exceeded", nullptr, "runtime-deadline",
            "the runtime did not answer in time"),
    Runtime("deadlineexceeded", nullptr, "runtime-deadline-code",
            "the runtime did not answer in time"),
    Runtime("transport is closing", nullptr, "runtime-closing",
            "the runtime went away"),
    Runtime("ttrpc: closed", nullptr, "shim-closed", "the runtime went away"),
    Runtime("shim disconnected", nullptr, "shim-disconnected",
            "the runtime went away"),
    Runtime("connection refused", nullptr, "runtime-refused",
            "the runtime went away"),
    Runtime("connection error", nullptr, "runtime-connection",
            "the runtime went away"),
    Runtime("cgroup", nullptr, "cgroup", "the node could not set up cgroups"),
    Runtime("resource temporarily unavailable", nullptr, "fork",
            "the node ran out of processes"),
    Runtime("too many open files", nullptr, "files",
            "the node ran out of file handles"),
    Runtime("no space left on device", nullptr, "no-space",
            "the node has no disk space"),
    Runtime("cannot allocate memory", nullptr, "no-memory",
            "the node could not start a process for want of memory"),
    Runtime("input/output error", nullptr, "io-error",
            "the node's disk failed"),
    Runtime("device or resource busy", nullptr, "busy",
            "the node could not mount the container's files"),
    Runtime("error committing", nullptr, "commit",
            "the node's image store failed"),
    Runtime("layer",
            "failed to (mount|get|find).{0,60}layer|"
            "layer (does not exist|not known)",
            "layer", "the node's image store failed"),
    Missing("error running hook", nullptr, "hook",
            "a hook of the runtime refused the container"),
    Missing("failed to start container", nullptr, "start-failed",
            "the container could not be started"),
    Missing("oci runtime", nullptr, "oci-runtime",
            "the runtime could not start the container"),
};

}  // namespace

const TextTable& StartTexts() {
  static const TextTable* const table = new TextTable("start", kStartTexts);
  return *table;
}

}  // namespace mulligan::demystify
