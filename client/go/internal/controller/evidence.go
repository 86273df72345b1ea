package controller

import (
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"mulligan.dev/mulligan"
)

const (
	// A gang's first members tell what happened.
	maxKeptPods      = 32
	maxKeptWorkloads = 4096
)

// evidence remembers the pods of failures: an evicted pod is often gone before its
// workload is told failed, and then nothing says why. What is lost with the process
// is only lost evidence, never a charge.
//
// A pod names its workload by a UID that nobody has checked, so it counts in its own
// namespace alone, and whoever names thousands loses his own first.
type evidence struct {
	lock sync.Mutex
	pods map[workload]map[types.UID]*corev1.Pod
}

// workload is what pods of a namespace name for their own.
type workload struct {
	namespace string
	uid       types.UID
}

func (e *evidence) keep(owner types.UID, pod *corev1.Pod) {
	e.lock.Lock()
	defer e.lock.Unlock()
	key := workload{pod.Namespace, owner}
	if e.pods == nil {
		e.pods = map[workload]map[types.UID]*corev1.Pod{}
	}
	if e.pods[key] == nil {
		for other := range e.pods {
			if len(e.pods) < maxKeptWorkloads {
				break
			}
			delete(e.pods, other)
		}
		e.pods[key] = map[types.UID]*corev1.Pod{}
	}
	if _, known := e.pods[key][pod.UID]; known || len(e.pods[key]) < maxKeptPods {
		e.pods[key][pod.UID] = pod
	}
}

func (e *evidence) drop(namespace string, owner types.UID) {
	e.lock.Lock()
	defer e.lock.Unlock()
	delete(e.pods, workload{namespace, owner})
}

// addTo completes a report with the workload's pods that could not be gathered any more.
func (e *evidence) addTo(report *mulligan.Report, obj client.Object) {
	gathered := map[types.UID]bool{}
	for _, obj := range report.Objects() {
		if pod, ok := obj.(*corev1.Pod); ok {
			gathered[pod.UID] = true
		}
	}
	e.lock.Lock()
	defer e.lock.Unlock()
	for uid, pod := range e.pods[workload{obj.GetNamespace(), obj.GetUID()}] {
		if !gathered[uid] {
			report.Add(pod)
		}
	}
}
