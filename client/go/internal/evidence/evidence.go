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
// A pod names its workload by an unchecked UID, so it counts only in its own namespace.
// When there are too many workloads, the namespace with the most loses one. So no
// namespace loses any while it has at most an equal share.
type Pods struct {
	lock sync.Mutex
	// By namespace, none of them empty.
	of        map[string]workloads
	workloads int
}

// workloads are the pods of a namespace by UID, by the UID of the workload that they
// claim to belong to.
type workloads map[types.UID]map[types.UID]*corev1.Pod

// Keep remembers a pod that names owner as its workload.
func (p *Pods) Keep(owner types.UID, pod *corev1.Pod) {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.of[pod.Namespace][owner] == nil {
		p.add(pod.Namespace, owner)
	}
	pods := p.of[pod.Namespace][owner]
	known := pods[pod.UID]
	if known != nil && known.Status.Phase == corev1.PodFailed && known.DeletionTimestamp == nil && pod.DeletionTimestamp != nil {
		// It failed first. Times in whole seconds would not show that.
		return
	}
	if known != nil || len(pods) < maxKeptPods {
		pods[pod.UID] = pod
	}
}

func (p *Pods) add(namespace string, owner types.UID) {
	if p.of == nil {
		p.of = map[string]workloads{}
	}
	if p.of[namespace] == nil {
		p.of[namespace] = workloads{}
	}
	p.of[namespace][owner] = map[types.UID]*corev1.Pod{}
	if p.workloads++; p.workloads <= maxKeptWorkloads {
		return
	}
	most := namespace
	for other := range p.of {
		if n := len(p.of[other]); n > len(p.of[most]) || most == namespace && n == len(p.of[most]) {
			most = other
		}
	}
	for other := range p.of[most] {
		if most != namespace || other != owner {
			p.drop(most, other)
			return
		}
	}
}

// Drop forgets the pods of a workload.
func (p *Pods) Drop(namespace string, owner types.UID) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.drop(namespace, owner)
}

func (p *Pods) drop(namespace string, owner types.UID) {
	if p.of[namespace][owner] == nil {
		return
	}
	p.workloads--
	if delete(p.of[namespace], owner); len(p.of[namespace]) == 0 {
		delete(p.of, namespace)
	}
}

// Of returns the pods of a workload, without those in but, in no order.
func (p *Pods) Of(namespace string, owner types.UID, but map[types.UID]bool) []*corev1.Pod {
	p.lock.Lock()
	defer p.lock.Unlock()
	var kept []*corev1.Pod
	for uid, pod := range p.of[namespace][owner] {
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
