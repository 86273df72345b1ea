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
	// What was read for one question is shared with others for so long.
	memoryLasts = 5 * time.Second
	// Times in objects are whole seconds, and an Event comes after what it tells of.
	memorySettles = 2 * time.Second
)

// memory shares what many questions that come together would read each for itself. Its
// zero value is ready; a nil one shares nothing.
type memory struct {
	lock sync.Mutex
	kept map[string]*memo
}

type memo struct {
	// Held by whoever reads; others wait for what is found.
	turn chan struct{}
	// Guarded by turn.
	begun time.Time
	found any
	// Guarded by the memory's lock.
	wanted time.Time
}

// remembered returns what read finds, now or for another question: one whose reading
// began after this question was put, or some time after what this one is about had
// happened (since). So nothing is shared that this question could not have seen as well,
// as far as the clocks of the cluster agree to memorySettles.
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

// of returns the memo, and drops those that nobody has wanted for long.
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

// lastChange is the latest time that the workload, its Jobs and pods tell of.
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
		// It says when the grace is over.
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
