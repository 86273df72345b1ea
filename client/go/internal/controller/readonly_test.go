package controller

import (
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/mulligantest"
)

// readOnly is a world whose controller only reads except in some namespaces, and what
// it wrote nevertheless.
func readOnly(t *testing.T, edit func(*Options), objects ...client.Object) (*world, *[]string) {
	t.Helper()
	w := newWorld(t, func(o *Options) {
		o.Mode, o.ReadOnly = Observe, true
		edit(o)
		if err := o.Validate(); err != nil {
			t.Fatal(err)
		}
	}, objects...)
	written := &[]string{}
	watched := interceptor.NewClient(w.client.(client.WithWatch), onWrites(func(verb string, obj client.Object, do func() error) error {
		*written = append(*written, verb+" "+obj.GetNamespace()+"/"+obj.GetName())
		return do()
	}))
	w.reconciler = w.another(watched, w.options)
	w.reconciler.records = dividedStore{cluster: clusterStore{client: watched, live: watched}, memory: &memoryStore{}, options: w.options}
	w.reconciler.asker.counted = w.options.CountObserved
	return w, written
}

func TestWhoOnlyReadsWritesNothing(t *testing.T) {
	for _, cause := range []mulliganv1.Cause{mulliganv1.Cause_CONTAINER_OOM, mulliganv1.Cause_IMAGE_INVALID, mulliganv1.Cause_CREATE_REJECTED, mulliganv1.Cause_CONFIG_MISSING} {
		t.Run(cause.String(), func(t *testing.T) {
			w, written := readOnly(t, func(*Options) {}, failedJob())
			w.service.Next(mulligantest.Cause(cause), mulligantest.Cause(cause))
			for range 3 {
				w.look(t)
				w.clock = w.clock.Add(time.Minute)
			}
			if len(*written) > 0 {
				t.Errorf("written: %v", *written)
			}
			if w.said() == "" {
				t.Error("no Event")
			}
			if asked := len(w.service.Requests()); cause == mulliganv1.Cause_CONTAINER_OOM && asked != 1 {
				t.Errorf("asked %d times, want once: it is remembered", asked)
			}
		})
	}
}

// The rest of the cluster is only read while the controller acts in one namespace.
func TestItActsInTheNamespacesThatWereNamed(t *testing.T) {
	there := failedJob(func(j *batchv1.Job) { j.Namespace, j.UID = "act", "uid-act" })
	w, written := readOnly(t, func(o *Options) { o.ActIn = []string{"act"} }, failedJob(), there,
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "act"}})
	w.service.Next(mulligantest.Cause(mulliganv1.Cause_CONTAINER_OOM), mulligantest.Cause(mulliganv1.Cause_CONTAINER_OOM))
	for range 2 {
		for _, namespace := range []string{"ml", "act"} {
			if _, err := w.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKey{Namespace: namespace, Name: "train"}}); err != nil {
				t.Fatal(err)
			}
		}
		w.clock = w.clock.Add(11 * time.Second)
	}
	retries := 0
	for _, what := range *written {
		if !strings.Contains(what, " act/") {
			t.Errorf("written: %s", what)
		}
		if strings.HasPrefix(what, "create act/train-r2") {
			retries++
		}
	}
	if retries != 1 {
		t.Errorf("%d retries in the namespace, want one: %v", retries, *written)
	}
	for _, request := range w.service.Requests() {
		want := mulliganv1.DecideRequest_PREVIEW
		if request.GetReport().GetJobs()[0].GetMetadata().GetNamespace() == "act" {
			want = mulliganv1.DecideRequest_PURPOSE_UNSPECIFIED
		}
		if request.GetPurpose() != want {
			t.Errorf("asked with %v, want %v", request.GetPurpose(), want)
		}
	}
	if said := w.said(); !strings.Contains(said, "WouldRetry") || !strings.Contains(said, "RetryGranted") {
		t.Errorf("Events:\n%s", said)
	}
}

// Observations for a trial are counted, with the operator's own verdict and the end.
func TestCountsObservedOnRequest(t *testing.T) {
	for _, counted := range []bool{false, true} {
		w, written := readOnly(t, func(o *Options) { o.CountObserved = counted }, failedJob(running))
		job := w.jobs(t)["train"]
		w.ofTroubledPod(t.Context(), podOf(job))
		w.clock = w.clock.Add(time.Minute)
		w.service.Next(mulligantest.Cause(mulliganv1.Cause_IMAGE_INVALID, braked), mulligantest.Cause(mulliganv1.Cause_SUCCEEDED))
		w.look(t)
		job.Status = batchv1.JobStatus{Succeeded: 1, Conditions: []batchv1.JobCondition{{Type: batchv1.JobComplete, Status: corev1.ConditionTrue}}}
		if err := w.client.Status().Update(t.Context(), job); err != nil {
			t.Fatal(err)
		}
		w.look(t)
		w.look(t)
		asked := w.service.Requests()
		want := map[bool]int{false: 1, true: 2}[counted]
		if len(asked) != want || len(*written) > 0 {
			t.Fatalf("counted %v: asked %d times, want %d; written %v", counted, len(asked), want, *written)
		}
		if preview := asked[0].GetPurpose() == mulliganv1.DecideRequest_PREVIEW; preview == counted || !asked[0].GetCompareNative() {
			t.Errorf("counted %v: asked as %v, native %v", counted, asked[0].GetPurpose(), asked[0].GetCompareNative())
		}
	}
}

func TestRejectsConflictingModes(t *testing.T) {
	for _, edit := range []func(*Options){
		func(o *Options) { o.ReadOnly = true }, func(o *Options) { o.CountObserved = true }, func(o *Options) { o.ActIn = []string{"ml"} },
	} {
		o := Defaults()
		o.Mode = Act
		edit(&o)
		if err := o.Validate(); err == nil || !strings.Contains(err.Error(), "they are of --mode=observe, found --mode=act") {
			t.Errorf("%v", err)
		}
	}
	o := Defaults()
	o.ActIn = []string{"ml", ""}
	if err := o.Validate(); err == nil || !strings.Contains(err.Error(), "--act-namespaces: an empty name") {
		t.Errorf("%v", err)
	}
}
