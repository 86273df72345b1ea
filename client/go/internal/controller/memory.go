package controller

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// memory holds what a process remembers of existing workloads between two looks. It may
// be lost at any time.
type memory struct {
	lock      sync.Mutex
	workloads map[types.NamespacedName]remembered
}

type remembered struct {
	// The object with the name. Data of earlier objects of that name is dropped.
	uid types.UID
	// Since when a pod is in trouble while the work runs; zero if none is.
	troubled time.Time
	// The version that reports how the last attempt failed (kinds.Retrying); nil if the
	// object still does, or it was asked about.
	retrying *unstructured.Unstructured
	// When that version was seen.
	retryingAt time.Time
	// The last message or its subject, so that it is not repeated.
	said string
	// The state of work that cannot start, and since when.
	stuck      string
	stuckSince time.Time
	// Whether it was reported why it has no rules that follow the verdicts.
	withoutRules bool
}

// of lets edit read and change what is remembered of a workload.
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

// forget removes and returns what is remembered of a workload that is gone.
func (m *memory) forget(key client.ObjectKey) remembered {
	m.lock.Lock()
	defer m.lock.Unlock()
	known := m.workloads[key]
	delete(m.workloads, key)
	return known
}
