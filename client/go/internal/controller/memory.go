package controller

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// memory is what a process keeps in mind of workloads between two looks, for as long as
// they are there. It may be lost at any time.
type memory struct {
	lock      sync.Mutex
	workloads map[types.NamespacedName]remembered
}

type remembered struct {
	// What has the name; what is known of an earlier one of the name is not kept.
	uid types.UID
	// Since when a pod is in trouble while it runs; zero: none is.
	troubled time.Time
	// The last sentence about waiting, so that it is not said again and again.
	said string
	// How what cannot start looks, and since when.
	stuck      string
	stuckSince time.Time
	// It was said why it has no rules that follow the verdicts.
	withoutRules bool
}

// of lets edit see and change what is remembered of a workload.
func (m *memory) of(key client.ObjectKey, uid types.UID, edit func(*remembered)) {
	m.lock.Lock()
	defer m.lock.Unlock()
	known := m.workloads[key]
	if known.uid != uid {
		known = remembered{uid: uid}
	}
	edit(&known)
	if m.workloads == nil {
		m.workloads = map[types.NamespacedName]remembered{}
	}
	m.workloads[key] = known
}

// forget returns what a workload was that is not there any more.
func (m *memory) forget(key client.ObjectKey) remembered {
	m.lock.Lock()
	defer m.lock.Unlock()
	known := m.workloads[key]
	delete(m.workloads, key)
	return known
}
