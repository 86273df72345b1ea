package controller

import (
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/controller/kinds"
	"mulligan.dev/mulligan/internal/controller/records"
	"mulligan.dev/mulligan/internal/words"
	"mulligan.dev/mulligan/mulligantest"
)

var jobs = schema.GroupResource{Group: "batch", Resource: "jobs"}

func terminating() error {
	err := apierrors.NewForbidden(jobs, "train-r2", nil)
	err.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: corev1.NamespaceTerminatingCause}}
	return err
}

// refusing is a world with a decided failed Job, whose API server answers the creation
// of the next with refusal.
func refusing(t *testing.T, refusal func() error) (w *world, tries *int) {
	t.Helper()
	w, tries = newWorld(t, nil, failedJob()), new(int)
	w.service.Next(mulligantest.Cause(mulliganv1.Cause_CONTAINER_OOM))
	w.reconciler = w.another(interceptor.NewClient(w.client.(client.WithWatch), onWrites(func(verb string, obj client.Object, do func() error) error {
		if _, ok := obj.(*records.RetryRecord); ok || verb != "create" {
			return do()
		}
		*tries++
		if err := refusal(); err != nil {
			return err
		}
		return do()
	})), w.options)
	w.look(t)
	w.clock = w.clock.Add(11 * time.Second)
	return w, tries
}

func TestWhatTheAPIServerRefusesEnds(t *testing.T) {
	for _, test := range []struct {
		name string
		err  error
		// Whether it is tried again.
		again bool
	}{
		{"a spec that is not valid", apierrors.NewInvalid(schema.GroupKind{Group: "batch", Kind: "Job"}, "train-r2", nil), false},
		{"a request that is not valid", apierrors.NewBadRequest("no"), false},
		{"a refusal that repeats the spec", apierrors.NewBadRequest("no: " + strings.Repeat("é", 1<<20)), false},
		{"too large", apierrors.NewRequestEntityTooLargeError("no"), false},
		{"a namespace that goes", terminating(), false},
		{"a quota", apierrors.NewForbidden(jobs, "train-r2", nil), true},
	} {
		t.Run(test.name, func(t *testing.T) {
			w, tries := refusing(t, func() error { return test.err })
			w.look(t)
			want := records.RetryRefused
			if test.again {
				want = records.RetryNotCreated
			}
			if got := w.record(t).Status.State; got != want {
				t.Errorf("it is %s, want %s", got, want)
			}
			for range 100 {
				result := w.look(t)
				w.clock = w.clock.Add(max(result.RequeueAfter, time.Second))
			}
			rec := w.record(t)
			if rec.Status.State != records.RetryRefused || !strings.Contains(rec.Status.FirstStep, words.Cut(test.err.Error(), maxRefusal)) || len(rec.Status.FirstStep) > 1000 {
				t.Errorf("in the end it is %s, first step %q", rec.Status.State, rec.Status.FirstStep)
			}
			if bound := map[bool]int{false: 1, true: 30}[test.again]; *tries > bound {
				t.Errorf("tried %d times, want at most %d", *tries, bound)
			}
			if said := w.said(); !strings.Contains(said, "RetryNotCreated Not tried again: ") || strings.Count(said, "RetryNotCreated") > 2 {
				t.Errorf("Events:\n%s", said)
			}
		})
	}
}

func TestTransientRefusalIsCleared(t *testing.T) {
	full := true
	w, _ := refusing(t, func() error {
		if full {
			return apierrors.NewForbidden(jobs, "train-r2", nil)
		}
		return nil
	})
	if result := w.look(t); result.RequeueAfter != shortestRefusal {
		t.Errorf("tried again after %v, want %v", result.RequeueAfter, shortestRefusal)
	}
	w.clock = w.clock.Add(time.Minute)
	if result := w.look(t); result.RequeueAfter != time.Minute {
		t.Errorf("tried again after %v, want as long as it has been refused", result.RequeueAfter)
	}
	full = false
	w.look(t)
	if rec := w.record(t); rec.Status.State != records.Retrying || rec.Status.FirstStep != "" || rec.Status.Attempt != 2 || len(w.jobs(t)) != 2 {
		t.Errorf("got %+v", rec.Status)
	}
}

func TestUnavailableAPIServerIsNoRefusal(t *testing.T) {
	w, _ := refusing(t, func() error { return apierrors.NewServiceUnavailable("away") })
	request := ctrl.Request{NamespacedName: client.ObjectKey{Namespace: "ml", Name: "train"}}
	w.clock = w.clock.Add(2 * triedFor)
	for range 3 {
		if _, err := w.Reconcile(t.Context(), request); err == nil {
			t.Fatal("no error: the queue would not come back with a pause")
		}
	}
	if got := w.record(t).Status.State; got != records.Retrying {
		t.Errorf("it is %s", got)
	}
}

// If the API server refuses a record, that is reported, and nothing else is done.
func TestNothingIsDoneWithoutARecord(t *testing.T) {
	w := newWorld(t, nil, failedJob())
	w.service.Next(mulligantest.Cause(mulliganv1.Cause_CONTAINER_OOM))
	w.reconciler = w.another(interceptor.NewClient(w.client.(client.WithWatch), onWrites(func(_ string, obj client.Object, _ func() error) error {
		return apierrors.NewForbidden(schema.GroupResource{Resource: "retryrecords"}, obj.GetName(), nil)
	})), w.options)
	if _, err := w.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKey{Namespace: "ml", Name: "train"}}); err == nil {
		t.Error("no error")
	}
	if said := w.said(); !strings.Contains(said, "RecordNotWritten") || strings.Contains(said, "RetryGranted") {
		t.Errorf("Events:\n%s", said)
	}
}

func TestNamesThatFitNowhereEnd(t *testing.T) {
	w := newWorld(t, nil, failedJob(func(j *batchv1.Job) { j.Name = "t" }))
	w.service.Next(mulligantest.Cause(mulliganv1.Cause_CONTAINER_OOM))
	w.reconciler.kind = cramped{jobKind}
	w.looks(t, "t", 3)
	if rec := w.record(t); rec.Status.State != records.RetryRefused || !strings.Contains(rec.Status.FirstStep, "leaves 3 characters") {
		t.Errorf("got %+v", rec.Status)
	}
}

// Without the kind nothing is stored that others could write; observations are reported
// once.
func TestWithoutRecordsInTheClusterItIsOnlyObserved(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.Mode = Observe }, failedJob())
	w.reconciler.records = &memoryStore{}
	w.service.Next(mulligantest.Cause(mulliganv1.Cause_CONTAINER_OOM))
	for range 3 {
		w.look(t)
		w.clock = w.clock.Add(time.Minute)
	}
	if asked := len(w.service.Requests()); asked != 1 || len(w.jobs(t)) != 1 || w.record(t) != nil {
		t.Errorf("asked %d times, %d Jobs", asked, len(w.jobs(t)))
	}
	if said := w.said(); strings.Count(said, "WouldRetry") != 1 {
		t.Errorf("Events:\n%s", said)
	}
}

// cramped is a kind whose operator leaves hardly any room for names.
type cramped struct{ kinds.Kind }

func (cramped) MaxName(*unstructured.Unstructured) int { return 3 }
