package controller

import (
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

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
type evidence struct {
	lock sync.Mutex
	pods map[types.UID]map[types.UID]*corev1.Pod
}

func (e *evidence) keep(workload types.UID, pod *corev1.Pod) {
	e.lock.Lock()
	defer e.lock.Unlock()
	if e.pods == nil {
		e.pods = map[types.UID]map[types.UID]*corev1.Pod{}
	}
	kept := e.pods[workload]
	if kept == nil {
		if len(e.pods) >= maxKeptWorkloads {
			return
		}
		kept = map[types.UID]*corev1.Pod{}
		e.pods[workload] = kept
	}
	if _, known := kept[pod.UID]; known || len(kept) < maxKeptPods {
		kept[pod.UID] = pod
	}
}

func (e *evidence) drop(workload types.UID) {
	e.lock.Lock()
	defer e.lock.Unlock()
	delete(e.pods, workload)
}

// addTo completes a report with the pods that could not be gathered any more.
func (e *evidence) addTo(report *mulligan.Report, workload types.UID) {
	gathered := map[types.UID]bool{}
	for _, obj := range report.Objects() {
		if pod, ok := obj.(*corev1.Pod); ok {
			gathered[pod.UID] = true
		}
	}
	e.lock.Lock()
	defer e.lock.Unlock()
	for uid, pod := range e.pods[workload] {
		if !gathered[uid] {
			report.Add(pod)
		}
	}
}
