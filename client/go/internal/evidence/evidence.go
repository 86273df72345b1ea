// Package evidence remembers the pods of failures. An evicted pod is often gone before
// its workload is marked failed, and then nothing shows why.
package evidence

import (
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"mulligan.dev/mulligan"
)

const (
	// A gang's first failed members show what happened.
	maxKeptPods      = 32
	maxKeptWorkloads = 4096
)

// Pods remembers pods. The zero value is ready. Losing it with the process loses only
// evidence, never a charge.
//
// A pod names its workload by an unchecked UID. So it counts only in its own namespace.
type Pods struct {
	lock sync.Mutex
	pods map[workload]map[types.UID]*corev1.Pod
}

// workload is the workload that pods of a namespace claim to belong to.
type workload struct {
	namespace string
	uid       types.UID
}

// Keep remembers a pod that names owner as its workload.
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
	known := p.pods[key][pod.UID]
	if known != nil && known.Status.Phase == corev1.PodFailed && known.DeletionTimestamp == nil && pod.DeletionTimestamp != nil {
		// It failed first. Times in whole seconds would not show that.
		return
	}
	if known != nil || len(p.pods[key]) < maxKeptPods {
		p.pods[key][pod.UID] = pod
	}
}

// Drop forgets the pods of a workload.
func (p *Pods) Drop(namespace string, owner types.UID) {
	p.lock.Lock()
	defer p.lock.Unlock()
	delete(p.pods, workload{namespace, owner})
}

// Of returns the pods of a workload, without those in but, in no order.
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

// AddTo adds the workload's pods that could no longer be gathered.
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
