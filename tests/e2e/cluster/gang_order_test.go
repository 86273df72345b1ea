package cluster

import (
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// peerEndsFirst ends the first worker of an attempt with less memory before the third,
// which ran out of memory first: its kubelet reports three seconds later.
func peerEndsFirst(size int, memory string) ending {
	enough := resource.MustParse(memory)
	var lock sync.Mutex
	seen := map[int]map[string]bool{}
	lost := map[int]time.Time{}
	return func(pod *corev1.Pod) bool {
		if pod.Spec.Containers[0].Resources.Limits.Memory().Cmp(enough) >= 0 {
			return succeeds(pod)
		}
		lock.Lock()
		defer lock.Unlock()
		attempt := jobSetAttempt(pod)
		if seen[attempt] == nil {
			seen[attempt] = map[string]bool{}
		}
		seen[attempt][pod.Name] = true
		// After the whole gang runs.
		if len(seen[attempt]) < size {
			return false
		}
		switch pod.Labels["jobset.sigs.k8s.io/job-index"] {
		case "0":
			lost[attempt] = time.Now()
			return says(peerLost)(pod)
		case "2":
			if died := lost[attempt]; !died.IsZero() && time.Since(died) > 3*time.Second {
				return runsOutOfMemory(pod)
			}
		}
		return false
	}
}

const peerLost = "torch.distributed.DistBackendError: NCCL error: remote process exited or there was a network error; Connection closed by remote peer"
