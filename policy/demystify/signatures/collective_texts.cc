// What members of a gang say when another member is gone, late or cannot be
// met: NCCL, Gloo, torchrun, JAX, MPI, Ray, Spark, TensorFlow. Never the root
// while a member has a cause of its own.
#include "policy/demystify/signatures/application_texts.h"

namespace mulligan::demystify {
namespace {

constexpr TextSignature Cascade(std::string_view keyword, const char* pattern,
                                std::string_view name) {
  return AppText(keyword, pattern, name, v1::COLLECTIVE_CASCADE, kLow,
                 Tier::kSpecific, kPeerEffect,
                 "another member of the gang died or left");
}

constexpr TextSignature Meeting(std::string_view keyword, const char* pattern,
                                std::string_view name) {
  return AppText(keyword, pattern, name, v1::RENDEZVOUS_FAILED, kMedium,
                 Tier::kSpecific, kPeerEffect,
                 "the members of the gang could not meet");
}

constexpr TextSignature Stuck(std::string_view keyword, const char* pattern,
                              std::string_view name) {
  return AppText(keyword, pattern, name, v1::HANG, kLow, Tier::kSpecific,
                 kPeerEffect, "a collective operation did not finish in time");
}

constexpr TextSignature kCollectiveTexts[] = {
    // A network error inside a collective, above its own time-out.
    Cascade("connection closed by remote peer", nullptr, "nccl-remote-closed"),
    Cascade("connection closed by peer", nullptr, "gloo-peer-closed"),
    Cascade("connection closed by localrank",
            "connection closed by localrank "
            "\\d+(?s:.)*(remote|abort)",
            "nccl-local-closed"),
    Cascade("ncclremoteerror", nullptr, "nccl-remote-error"),
    Cascade("remote process exited", nullptr, "nccl-remote-exited"),
    Cascade("a remote process exiting prematurely", nullptr,
            "nccl-remote-premature"),
    // Watchdogs.
    Stuck("collective operation timeout", nullptr, "collective-timeout"),
    Stuck("collective timeout", nullptr, "collective-timeout-text"),
    Stuck("ran for", "ran for \\d+ milliseconds before timing out",
          "nccl-ran-for"),
    Stuck("heartbeat monitor timed out", nullptr, "nccl-heartbeat"),
    Stuck("watchdog",
          "watchdog[^\\n]{0,80}(timeout|timed out|expired|hang|"
          "stuck)",
          "watchdog"),
    Stuck("stuck in", "(collective|allreduce|nccl|barrier)", "stuck"),
    // Members that never met. Where a setting keeps them apart, it stays so.
    AppText("ssh: could not resolve hostname",
            "ssh: could not resolve hostname.*(orte|prte|mpirun|plm|daemon)",
            "mpi-host", v1::RENDEZVOUS_FAILED, kMedium, Tier::kSpecific,
            kPeerEffect, "mpirun could not reach a worker by its name"),
    AppText("orte daemon has unexpectedly failed", nullptr, "mpi-daemon-failed",
            v1::RENDEZVOUS_FAILED, kMedium, Tier::kSpecific, kPeerEffect,
            "mpirun lost its daemon on a worker before it answered"),
    AppText("unable to reliably start one or more daemons", nullptr,
            "mpi-daemons", v1::RENDEZVOUS_FAILED, kMedium, Tier::kSpecific,
            kPeerEffect, "mpirun could not start its daemon on a worker"),
    Blaming(kConfiguration, kCannotRecover,
            Meeting("no socket interface found", nullptr, "nccl-no-interface")),
    Blaming(kConfiguration, kCannotRecover,
            Meeting("remote=[127.", "fullmesh|gloo|rendezvous|store",
                    "gloo-loopback")),
    Meeting("rendezvous",
            "rendezvous[^\\n]{0,120}(fail|timed? ?out|error|close"
            "d)|(fail|timed? ?out|timeout|error)[^\\n]{0,80}rendezvous|"
            "next_rendezvous|dynamic_rendezvous",
            "rendezvous"),
    Meeting("connectfullmesh failed", nullptr, "gloo-full-mesh"),
    Meeting("distnetworkerror", nullptr, "torch-dist-network"),
    Meeting("diststoreerror", nullptr, "torch-dist-store"),
    Meeting("etcd", "\\betcd\\.etcd\\w+:", "torch-etcd-store"),
    Meeting("tcpstore", nullptr, "torch-tcp-store"),
    Meeting("client socket has", "client socket has (failed|timed out)",
            "torch-client-socket"),
    Meeting("wait timeout after", nullptr, "torch-store-wait"),
    Meeting("socket timeout", "store\\.get|rendezvous|_initialize_workers",
            "torch-store-timeout"),
    Meeting("store->get", "(timeout|reset|closed|fail)", "torch-store-get"),
    Meeting("waiting for clients", "timed out[^\\n]{0,60}waiting for clients",
            "torch-waiting-clients"),
    Meeting("for all workers to join", nullptr, "workers-join"),
    Meeting("waiting for tasks to start", nullptr, "horovod-start"),
    Meeting("barrier timed out", nullptr, "jax-barrier"),
    Meeting("front-end process within", "did not receive response",
            "vllm-front-end"),
    Meeting("connecting to coordinator",
            "(fail|timed? ?out|deadline|unavailab)", "jax-coordinator"),
    Meeting("could not connect to all", nullptr, "connect-all"),
    Meeting("distributed service",
            "(failed|unable|timed? ?out)[^\\n]{0,60}"
            "(connect|initiali)[^\\n]{0,60}distributed service",
            "jax-distributed"),
    Meeting("bootstrap",
            "bootstrap[^\\n]{0,80}(fail|no socket interface|"
            "timed? ?out|error)",
            "nccl-bootstrap"),
    // The launcher of torch tells how a child ended; who killed it stays open,
    // and its other children are only torn down.
    // The OOM killer picks one process; a container is ended as a whole.
    Blaming(kResourceLimit,
            AppText("exitcode", "exitcode *: *-9\\b", "torch-child-killed",
                    v1::SIGKILL_UNEXPLAINED, kLow, Tier::kConvention, kNoFlags,
                    "torchrun saw a child being killed")),
    AppText("exitcode", "exitcode *: *-15\\b", "torch-child-terminated",
            v1::SIGTERM_UNEXPLAINED, kLow, Tier::kConvention, kNoFlags,
            "torchrun saw a child being asked to stop"),
    AppText("exitcode", "exitcode *: *-(4|5|6|7|8|11)\\b",
            "torch-child-crashed", v1::CRASH_SIGNAL, kMedium, Tier::kConvention,
            kPeerEffect, "torchrun saw a child crash"),
    AppText("death signal", "received \\S+ death signal", "torch-death-signal",
            v1::SIGTERM_UNEXPLAINED, kLow, Tier::kConvention, kNoFlags,
            "torchrun was asked to stop"),
    AppText("signalexception", "got signal: (1|2|15)\\b", "torch-signal",
            v1::SIGTERM_UNEXPLAINED, kLow, Tier::kConvention, kNoFlags,
            "torchrun was asked to stop"),
    AppText("process receives a sigterm", nullptr, "ray-worker-sigterm",
            v1::SIGTERM_UNEXPLAINED, kLow, Tier::kConvention, kNoFlags,
            "Ray saw a worker being asked to stop"),
    // Echoes.
    Cascade("socketprogress", nullptr, "nccl-socket"),
    Cascade("proxy call to rank", nullptr, "nccl-proxy"),
    Cascade("unhandled system error", "nccl", "nccl-system-error"),
    AppText("unhandled cuda error", "nccl", "nccl-cuda-error", v1::FABRIC_FAULT,
            kLow, Tier::kSpecific, kPeerEffect,
            "NCCL met an error of the GPU or its links"),
    Cascade("nccl developers", nullptr, "nccl-internal"),
    Cascade("nccl communicator was aborted", nullptr, "nccl-aborted"),
    Cascade("ncclcommabort", nullptr, "nccl-comm-abort"),
    Cascade("nccl error",
            "nccl error[^\\n]{0,200}(remote|connection|socket|"
            "unhandled system|abort)",
            "nccl-error"),
    Cascade("broken pipe", "(nccl|gloo|mpi|rank|allreduce|all_reduce|store)",
            "collective-broken-pipe"),
    Cascade("gloo",
            "gloo[^\\n]{0,160}(connection|socket|read error|timed out|"
            "timeout|reset|closed)",
            "gloo"),
    Cascade("connection reset by peer",
            "(gloo|nccl|allreduce|all_reduce|rank ?"
            "\\d|torch.distributed|processgroup|horovod)",
            "collective-reset"),
    Cascade("socket closed", "(grpc|tpu|jax|xla|rank|coordination|peer)",
            "grpc-socket-closed"),
    Cascade("coordination service", nullptr, "jax-coordination-service"),
    Cascade("coordinationservice", nullptr, "jax-coordination"),
    Cascade("jax distributed service detected fatal errors", nullptr,
            "jax-fatal"),
    Cascade("other tasks",
            "(fatal|error|died|fail|crash)[^\\n]{0,80}other "
            "tasks|other tasks[^\\n]{0,80}(fail|die|crash)",
            "other-tasks"),
    Cascade("heartbeat timeout", nullptr, "heartbeat-timeout"),
    Cascade("missed heartbeat", nullptr, "missed-heartbeat"),
    Cascade("tasks have crashed", nullptr, "tasks-crashed"),
    Cascade("program terminated with a slice", nullptr, "tpu-slice"),
    Cascade("megascale", "(error|fail|timeout|unavailable)", "tpu-megascale"),
    Cascade("lost communication with a remote daemon", nullptr, "mpi-daemon"),
    Cascade("mpi_abort was invoked", nullptr, "mpi-abort"),
    Cascade("mpi_err_other", nullptr, "mpi-other"),
    Cascade("mpi_err_proc_failed", nullptr, "mpi-proc-failed"),
    Cascade("fatal error in", "fatal error in (internal_|p?mpi_)", "mpi-fatal"),
    Cascade("errors_impl.",
            "errors_impl\\.(unavailable|aborted|cancelled)error", "tf-peer"),
    Cascade("cancellederror", nullptr, "futures-cancelled"),
    Cascade("killedworker", nullptr, "dask-killed-worker"),
    Cascade("commclosederror", nullptr, "dask-closed"),
    Cascade("executorlostfailure", nullptr, "spark-executor-lost"),
    Cascade("association with remote system", "association.*failed",
            "akka-association"),
    Cascade("the heartbeat of", "(task|job|resource)manager.*timed out",
            "flink-heartbeat"),
    Cascade("horovodinternalerror", nullptr, "horovod"),
    Cascade("horovod has been shut down", nullptr, "horovod-shutdown"),
    Stuck("one or more tensors were submitted", nullptr, "horovod-stalled"),
    AppText("childfailederror", nullptr, "torch-child-failed", v1::APP_ERROR,
            kLow, Tier::kConvention, kPeerEffect,
            "torchrun saw a child fail; why is not in its words"),
    AppText("closing signal", "sending process \\d+ closing signal",
            "torch-closing", v1::APP_ERROR, kLow, Tier::kConvention,
            kPeerEffect, "torchrun tore its children down"),
    AppText("message truncated", "nccl|net/ib|net/socket|received",
            "nccl-truncated", v1::APP_ERROR, kMedium, Tier::kSpecific, kNoFlags,
            "two ranks sent and expected different sizes"),
    Cascade("peer ",
            "peer[^\\n]{0,40}(closed|died|gone|disconnected|lost|"
            "unreachable|reset)",
            "peer-gone"),
    // A member of Ray or Spark saw another part die.
    AppText("node running this task", "node (running|where)", "ray-node",
            v1::NODE_LOST, kLow, Tier::kConvention, kPeerEffect,
            "Ray lost the node of a task"),
    AppText("nodediederror", nullptr, "ray-node-died", v1::NODE_LOST, kLow,
            Tier::kConvention, kPeerEffect, "Ray lost the node of a task"),
    AppText("node has died", "actor", "ray-actor-node", v1::NODE_LOST, kLow,
            Tier::kConvention, kPeerEffect, "Ray lost the node of an actor"),
    AppText("node was terminated", "ray|raylet", "ray-node-terminated",
            v1::NODE_LOST, kLow, Tier::kConvention, kPeerEffect,
            "Ray lost a node"),
    AppText("marked dead", "raylet|node|gcs", "ray-marked-dead", v1::NODE_LOST,
            kLow, Tier::kConvention, kPeerEffect, "Ray lost a node"),
    Cascade("worker unexpectedly exits", nullptr, "ray-worker-exit"),
    Cascade("killed while executing a task", nullptr, "ray-worker-killed"),
    Cascade("actordiederror", nullptr, "ray-actor-died"),
    Cascade("rayactorerror", nullptr, "ray-actor-error"),
    Cascade("actor died unexpectedly", nullptr, "ray-actor"),
    Cascade("workercrashederror", nullptr, "ray-worker-crashed"),
    Cascade("actorunavailableerror", nullptr, "ray-actor-unavailable"),
    Cascade("objectlosterror", nullptr, "ray-object-lost"),
    Cascade("ownerdiederror", nullptr, "ray-owner-died"),
    Blaming(kControlPlane,
            AppText("failed to connect to ray", nullptr, "ray-connect",
                    v1::DEPENDENCY_UNAVAILABLE, kMedium, Tier::kSpecific,
                    kPeerEffect, "the Ray head does not answer")),
    Blaming(
        kControlPlane,
        AppText("gcs",
                "gcs[^\\n]{0,80}(unavailable|timed? ?out|failed to connect|"
                "connection)|failed to connect to gcs",
                "ray-gcs", v1::DEPENDENCY_UNAVAILABLE, kLow, Tier::kSpecific,
                kPeerEffect, "the Ray head does not answer")),
    AppText("deadlock detected", "transaction|sharelock|sql", "sql-deadlock",
            v1::APP_ERROR, kMedium, Tier::kSpecific, kNoFlags,
            "two transactions locked each other out"),
    AppText("deadlock found when trying to get lock", nullptr, "mysql-deadlock",
            v1::APP_ERROR, kMedium, Tier::kSpecific, kNoFlags,
            "two transactions locked each other out"),
    AppText("deadlock",
            "deadlock(ed)? (detected|found)|all goroutines are "
            "asleep",
            "deadlock", v1::HANG, kMedium, Tier::kSpecific, kNoFlags,
            "the program blocked itself"),
    AppText("no progress", "no progress (for|in|since|made)", "no-progress",
            v1::HANG, kMedium, Tier::kSpecific, kNoFlags,
            "the program made no progress"),
    AppText("hang detected", nullptr, "hang-detected", v1::HANG, kMedium,
            Tier::kSpecific, kPeerEffect, "the program made no progress"),
};

}  // namespace

std::span<const TextSignature> CollectiveTexts() { return kCollectiveTexts; }

}  // namespace mulligan::demystify
