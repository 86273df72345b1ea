// The failed pod that both core benchmarks use.
#ifndef MULLIGAN_TESTS_BENCHMARK_TWO_CONTAINER_POD_H_
#define MULLIGAN_TESTS_BENCHMARK_TWO_CONTAINER_POD_H_

namespace mulligan {

// About 1.5 KB on the wire: labels, annotations, conditions, two containers.
inline constexpr char kTwoContainerPod[] = R"pb(
  metadata {
    name: "train-7f6b9-0"
    namespace: "ml-team"
    uid: "0b6e7f0c-8a3e-4c5e-9a53-2f1f7a0c1d2e"
    resource_version: "184467"
    creation_timestamp { seconds: 1700000000 }
    labels { key: "batch.kubernetes.io/job-name" value: "train-7f6b9" }
    labels {
      key: "batch.kubernetes.io/controller-uid"
      value: "5a1b0c9e-1111-4222-8333-444455556666"
    }
    labels { key: "batch.kubernetes.io/job-completion-index" value: "0" }
    labels { key: "app" value: "train" }
    annotations { key: "kubectl.kubernetes.io/default-container" value: "main" }
    annotations {
      key: "sidecar.istio.io/status"
      value: "{\"containers\":[\"istio-proxy\"],\"revision\":\"default\"}"
    }
    owner_references {
      api_version: "batch/v1"
      kind: "Job"
      name: "train-7f6b9"
      uid: "5a1b0c9e-1111-4222-8333-444455556666"
      controller: true
    }
  }
  spec {
    node_name: "gke-pool-1-2f9c"
    restart_policy: "Never"
    termination_grace_period_seconds: 30
    containers { name: "main" image: "registry.example/team/train:1.4" }
    containers { name: "istio-proxy" image: "registry.example/proxy:1.20" }
  }
  status {
    phase: "Failed"
    host_ip: "10.0.0.7"
    pod_ip: "10.4.1.23"
    qos_class: "Burstable"
    start_time { seconds: 1700000000 }
    conditions {
      type: "Initialized"
      status: "True"
      last_transition_time { seconds: 1700000001 }
    }
    conditions {
      type: "Ready"
      status: "False"
      reason: "PodFailed"
      last_transition_time { seconds: 1700000630 }
    }
    conditions {
      type: "ContainersReady"
      status: "False"
      reason: "PodFailed"
      last_transition_time { seconds: 1700000630 }
    }
    conditions {
      type: "PodScheduled"
      status: "True"
      last_transition_time { seconds: 1700000000 }
    }
    container_statuses {
      name: "main"
      image: "registry.example/team/train:1.4"
      image_id: "registry.example/team/train@sha256:0123456789abcdef0123456789"
      container_id: "containerd://fedcba9876543210fedcba9876543210fedcba98765"
      state {
        terminated {
          exit_code: 137
          reason: "OOMKilled"
          started_at { seconds: 1700000005 }
          finished_at { seconds: 1700000629 }
          container_id: "containerd://fedcba9876543210fedcba9876543210fedcba9"
        }
      }
    }
    container_statuses {
      name: "istio-proxy"
      image: "registry.example/proxy:1.20"
      image_id: "registry.example/proxy@sha256:9876543210abcdef9876543210"
      container_id: "containerd://0123456789abcdef0123456789abcdef0123456789a"
      state {
        terminated {
          exit_code: 0
          reason: "Completed"
          started_at { seconds: 1700000005 }
          finished_at { seconds: 1700000630 }
        }
      }
    }
  }
)pb";

}  // namespace mulligan

#endif  // MULLIGAN_TESTS_BENCHMARK_TWO_CONTAINER_POD_H_
