package mulligan

import (
	"context"
	"sync"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// How long a read is shared with other questions.
	memoryLasts = 5 * time.Second
	// Times in objects are whole seconds, and an Event follows what it reports.
	memorySettles = 2 * time.Second
)

// memory shares reads between concurrent questions. Its zero value is ready; nil shares
// nothing.
type memory struct {
	lock sync.Mutex
	kept map[string]*memo
}

type memo struct {
	// Held while reading; others wait for the result.
	turn chan struct{}
	// Guarded by turn.
	begun time.Time
	found any
	// Guarded by the memory's lock.
	wanted time.Time
}

// remembered returns what read returns, now or for another question. It shares only
// reads that began after this question was put, or after its subject's last change
// (since) plus memorySettles. So a shared read shows all that this question could have
// seen, as far as the cluster's clocks agree to memorySettles.
func remembered[T any](ctx context.Context, m *memory, what string, since time.Time, read func() (T, error)) (T, error) {
	if m == nil {
		return read()
	}
	var none T
	put := time.Now()
	known := m.of(what, put)
	select {
	case known.turn <- struct{}{}:
	case <-ctx.Done():
		return none, ctx.Err()
	}
	defer func() { <-known.turn }()
	settled := known.begun.After(since.Add(memorySettles)) && put.Sub(known.begun) < memoryLasts
	if found, ok := known.found.(T); ok && (settled || known.begun.After(put)) {
		return found, nil
	}
	begun := time.Now()
	found, err := read()
	if err != nil {
		return none, err
	}
	known.begun, known.found = begun, found
	return found, nil
}

// of returns the memo, and drops memos that were not wanted for long.
func (m *memory) of(what string, now time.Time) *memo {
	m.lock.Lock()
	defer m.lock.Unlock()
	if m.kept == nil {
		m.kept = map[string]*memo{}
	}
	for other, known := range m.kept {
		if now.Sub(known.wanted) > 2*memoryLasts {
			delete(m.kept, other)
		}
	}
	if m.kept[what] == nil {
		m.kept[what] = &memo{turn: make(chan struct{}, 1)}
	}
	m.kept[what].wanted = now
	return m.kept[what]
}

// lastChange returns the latest time in the workload, its Jobs and pods.
func (g *gatherer) lastChange(root client.Object) time.Time {
	latest := latestTime{root.GetCreationTimestamp().Time}
	for _, subject := range g.subjects {
		latest.see(subject.GetCreationTimestamp())
		if job, ok := subject.(*batchv1.Job); ok {
			for _, condition := range job.Status.Conditions {
				latest.see(condition.LastTransitionTime)
			}
		}
	}
	for _, pod := range g.pods {
		latest.seePod(pod)
	}
	return latest.Time
}

type latestTime struct{ time.Time }

func (l *latestTime) see(t metav1.Time) {
	if t.After(l.Time) {
		l.Time = t.Time
	}
}

func (l *latestTime) seePod(pod *corev1.Pod) {
	l.see(pod.CreationTimestamp)
	if pod.DeletionTimestamp != nil {
		// The timestamp is when the grace period ends.
		var grace time.Duration
		if seconds := pod.DeletionGracePeriodSeconds; seconds != nil {
			grace = time.Duration(*seconds) * time.Second
		}
		l.see(metav1.NewTime(pod.DeletionTimestamp.Add(-grace)))
	}
	for _, condition := range pod.Status.Conditions {
		l.see(condition.LastTransitionTime)
	}
	for _, containers := range [][]corev1.ContainerStatus{pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses} {
		for _, container := range containers {
			for _, state := range []corev1.ContainerState{container.State, container.LastTerminationState} {
				if state.Running != nil {
					l.see(state.Running.StartedAt)
				}
				if state.Terminated != nil {
					l.see(state.Terminated.FinishedAt)
				}
			}
		}
	}
}
