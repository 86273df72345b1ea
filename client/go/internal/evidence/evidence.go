// Package evidence remembers the pods of failures: an evicted pod is often gone before its
// workload is told failed, and then nothing says why.
package evidence

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

// Pods are those that are kept. The zero value keeps none yet. What is lost with the
// process is only lost evidence, never a charge.
//
// A pod names its workload by a UID that nobody has checked, so it counts in its own
// namespace alone, and whoever names thousands loses his own first.
type Pods struct {
	lock sync.Mutex
	pods map[workload]map[types.UID]*corev1.Pod
}

// workload is what pods of a namespace name for their own.
type workload struct {
	namespace string
	uid       types.UID
}

// Keep remembers a pod that names owner as the workload it belongs to.
func (p *Pods) Keep(owner types.UID, pod *corev1.Pod) {
	p.lock.Lock()
	defer p.lock.Unlock()
	key := workload{pod.Namespace, owner}
	if p.pods == nil {
		p.pods = map[workload]map[types.UID]*corev1.Pod{}
	}
	if p.pods[key] == nil {
		for other := range p.pods {
			if len(p.pods) < maxKeptWorkloads {
				break
			}
			delete(p.pods, other)
		}
		p.pods[key] = map[types.UID]*corev1.Pod{}
	}
	if _, known := p.pods[key][pod.UID]; known || len(p.pods[key]) < maxKeptPods {
		p.pods[key][pod.UID] = pod
	}
}

// Drop forgets the pods of a workload.
func (p *Pods) Drop(namespace string, owner types.UID) {
	p.lock.Lock()
	defer p.lock.Unlock()
	delete(p.pods, workload{namespace, owner})
}

// Of returns the pods of a workload in no order, but for those with these UIDs.
func (p *Pods) Of(namespace string, owner types.UID, but map[types.UID]bool) []*corev1.Pod {
	p.lock.Lock()
	defer p.lock.Unlock()
	var kept []*corev1.Pod
	for uid, pod := range p.pods[workload{namespace, owner}] {
		if !but[uid] {
			kept = append(kept, pod)
		}
	}
	return kept
}

// AddTo completes a report with the workload's pods that could not be gathered any more.
func (p *Pods) AddTo(report *mulligan.Report, obj client.Object) {
	gathered := map[types.UID]bool{}
	for _, obj := range report.Objects() {
		if pod, ok := obj.(*corev1.Pod); ok {
			gathered[pod.UID] = true
		}
	}
	for _, pod := range p.Of(obj.GetNamespace(), obj.GetUID(), gathered) {
		report.Add(pod)
	}
}
