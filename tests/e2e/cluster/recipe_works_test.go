package cluster

import (
	"cmp"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// works are pieces of an operator's work that fail equally often and then succeed.
type works struct {
	*cluster
	*operator
	namespace        string
	pieces, failures int
	lock             sync.Mutex
	// Attempts up to this one end; later ones continue.
	over int
	of   map[string]*attempts
}

// attempts of a piece of work.
type attempts struct {
	// What tells the attempts apart: the UID of each one's pod, or its RayCluster, in which
	// KubeRay replaces a lost head. And the pods that were ended as failed.
	pods []string
	lost []*corev1.Pod
	// Ray jobs by id, and how often KubeRay has asked for them.
	jobs  []string
	asked map[string]int
}

// begin creates pieces of work whose attempts run until they may end.
func (o *operator) begin(t *testing.T, pieces, failures int) *works {
	t.Helper()
	w := &works{
		cluster: shared, operator: o, namespace: shared.namespace(t), pieces: pieces, failures: failures,
		of: map[string]*attempts{},
	}
	if o.prepare != nil {
		o.prepare(t, w)
	}
	w.play(t, w.namespace, w.end)
	for i := range pieces {
		obj := o.piece(t, w.namespace)
		obj.SetName(fmt.Sprintf("work-%d", i))
		must(t, w.Create(t.Context(), obj))
	}
	w.waitFor(t, 1, pieces)
	return w
}

func (w *works) attemptsOf(name string) *attempts {
	if w.of[name] == nil {
		w.of[name] = &attempts{asked: map[string]int{}}
	}
	return w.of[name]
}

// end ends the pod of an attempt that may end.
func (w *works) end(pod *corev1.Pod) bool {
	w.lock.Lock()
	defer w.lock.Unlock()
	of := w.attemptsOf(w.operator.of(pod))
	n := nth(&of.pods, cmp.Or(pod.Labels["ray.io/cluster"], string(pod.UID)))
	if n >= w.over || !w.runs(of, n) || n < len(of.lost) && of.lost[n].UID != pod.UID {
		return false
	}
	if n >= w.failures {
		return succeeds(pod)
	}
	of.lost = append(of.lost[:min(n, len(of.lost))], pod.DeepCopy())
	return w.fails(pod)
}

// runs returns whether the operator has recorded that this attempt, from 0, has begun.
// KubeRay has recorded Ray's answer once it asks again.
func (w *works) runs(of *attempts, n int) bool {
	return n < len(of.pods) && (w.kind != rayJobKind || n < len(of.jobs) && of.asked[of.jobs[n]] > 1)
}

// answer answers for Ray, which notices a lost head after Kubernetes.
func (w *works) answer(_ int, id string) (status, message string) {
	w.lock.Lock()
	defer w.lock.Unlock()
	of := w.attemptsOf(withoutSuffix(id))
	n := nth(&of.jobs, id)
	of.asked[id]++
	switch {
	case n >= w.failures && n < w.over && w.runs(of, n):
		return raySucceeds(n)
	case n < len(of.lost) && w.isGone(of.lost[n]):
		return "FAILED", rayLostItsNode
	}
	return rayRuns(n)
}

// let allows attempts up to this one, from 1, to end.
func (w *works) let(n int) {
	w.lock.Lock()
	defer w.lock.Unlock()
	w.over = n
	if w.lateAgain && n >= w.failures {
		w.over = never
	}
}

// begun returns how many pieces of work had at least n attempts.
func (w *works) begun(n int) int {
	w.lock.Lock()
	defer w.lock.Unlock()
	count := 0
	for _, of := range w.of {
		if w.runs(of, n-1) {
			count++
		}
	}
	return count
}

// patience returns how long the work may take.
func (w *works) patience() time.Duration {
	return 2*long + time.Duration(w.pieces)*time.Second
}

// waitFor waits until this many pieces of work had n attempts.
func (w *works) waitFor(t *testing.T, n, pieces int) {
	t.Helper()
	eventually(t, w.patience(), func() string {
		if count := w.begun(n); count < pieces {
			return fmt.Sprintf("%d of %d have had %d attempts; Events %q", count, pieces, n, w.someEvents(t))
		}
		return ""
	})
}

func (w *works) someEvents(t *testing.T) []string {
	events := w.allEvents(t, w.namespace)
	return events[:min(len(events), 20)]
}

// objects returns all pieces of work.
func (w *works) objects(t *testing.T) []unstructured.Unstructured {
	t.Helper()
	return w.cluster.objects(t, w.namespace, w.kind)
}

// the returns the only piece of work.
func (w *works) the(t *testing.T) *unstructured.Unstructured {
	t.Helper()
	return &w.objects(t)[0]
}

// endOf returns how work of any kind has ended: "complete", "failed" or "".
func endOf(obj *unstructured.Unstructured) string {
	status := deploymentStatus(obj) + sparkState(obj)
	is := func(kind string) bool {
		return strings.EqualFold(status, kind) || conditionOf(obj, kind).status == "True"
	}
	switch {
	case is("Complete"), is("Completed"):
		return "complete"
	case is("Failed"):
		return "failed"
	}
	return ""
}

// decided returns how many pieces of work had n attempts or have ended.
func (w *works) decided(t *testing.T, n int) int {
	t.Helper()
	return max(w.begun(n), w.ended(t))
}

// ended returns how many pieces of work have ended.
func (w *works) ended(t *testing.T) int {
	t.Helper()
	count := 0
	for _, obj := range w.objects(t) {
		if endOf(&obj) != "" {
			count++
		}
	}
	return count
}

// allEnd lets all attempts end, and waits for the end of the work.
func (w *works) allEnd(t *testing.T) {
	t.Helper()
	w.let(never)
	eventually(t, w.patience(), func() string {
		if count := w.ended(t); count < w.pieces {
			return fmt.Sprintf("%d of %d have ended; Events %q", count, w.pieces, w.someEvents(t))
		}
		return ""
	})
}

// wantEach checks that all work is complete, with one retry and one charge for each failure,
// and none counted as the work's own fault.
func (w *works) wantEach(t *testing.T) {
	t.Helper()
	w.want(t, outcome{end: "complete", attempts: w.failures + 1, charged: int32(w.failures)})
}

func (w *works) want(t *testing.T, want outcome) {
	t.Helper()
	for _, obj := range w.objects(t) {
		w.lock.Lock()
		got := outcome{end: endOf(&obj), attempts: len(w.attemptsOf(obj.GetName()).pods)}
		w.lock.Unlock()
		charged := charges(t, &obj)
		wrong := false
		for budget, units := range charged {
			got.charged += units
			if budget == "unexplained" {
				got.unexplained = units
				continue
			}
			wrong = wrong || budget != w.budget
		}
		if w.counter != nil {
			counted, _, _ := unstructured.NestedInt64(obj.Object, append([]string{"status"}, w.counter...)...)
			got.counted = counted - w.least
		}
		if got != want || wrong {
			t.Errorf("%s ended as %+v, charged %v, want %+v of %s; status %v", obj.GetName(), got, charged, want, w.budget, obj.Object["status"])
		}
	}
}

// isHeld returns "" if the only piece of work waits for its second attempt, and nothing of
// the first is left.
func (w *works) isHeld(t *testing.T) string {
	t.Helper()
	obj := w.the(t)
	left := 0
	if w.below.Kind != "" {
		left = len(w.cluster.objects(t, w.namespace, w.below))
	}
	status := fmt.Sprint(obj.Object["status"])
	running, charged := w.running(t, w.namespace), charges(t, obj)
	if running != 0 || left != 0 || charged[w.budget] != 1 || w.begun(2) != 0 || !strings.Contains(status, w.held) {
		return fmt.Sprintf("%d pods run, %d %ss are there, charged %v, want none and %s once; status %s", running, left, w.below.Kind, charged, w.budget, status)
	}
	return ""
}
