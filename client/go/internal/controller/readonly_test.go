package controller

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kuberuntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
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
	note := func(verb string, obj client.Object) {
		*written = append(*written, verb+" "+obj.GetNamespace()+"/"+obj.GetName())
	}
	watched := interceptor.NewClient(w.client.(client.WithWatch), interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.CreateOption) error {
			note("create", obj)
			return c.Create(ctx, obj, opts...)
		},
		Update: func(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.UpdateOption) error {
			note("update", obj)
			return c.Update(ctx, obj, opts...)
		},
		Patch: func(ctx context.Context, c client.WithWatch, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
			note("patch", obj)
			return c.Patch(ctx, obj, patch, opts...)
		},
		Delete: func(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.DeleteOption) error {
			note("delete", obj)
			return c.Delete(ctx, obj, opts...)
		},
	})
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

// BenchmarkObserving measures a trial's cost: memory for the caches, and calls to the
// API server per failure. docs/trial.md has the numbers.
func BenchmarkObserving(b *testing.B) {
	for range b.N {
		measureObserving(b)
	}
}

// measured is the number of workloads: a Job with a pod and three Events each.
const measured = 10000

// wireJob, wirePod and wireEvent are as from an API server, with the fields that are
// dropped.
func wireJob(i int) *batchv1.Job {
	return failedJob(func(j *batchv1.Job) {
		j.Name, j.UID = fmt.Sprint("train-", i), types.UID(fmt.Sprintf("00000000-0000-0000-0000-%012d", i))
		j.Labels = map[string]string{"team": "vision", "app": "train", "run": fmt.Sprint(i)}
		j.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "kubectl", FieldsV1: &metav1.FieldsV1{Raw: []byte(`{"f:spec":"` + strings.Repeat("f", 1500) + `"}`)}}}
		c := &j.Spec.Template.Spec.Containers[0]
		c.Command = []string{"torchrun", "--nproc-per-node=8", "train.py", fmt.Sprint("--run=", i)}
		for k := range 20 {
			c.Env = append(c.Env, corev1.EnvVar{Name: fmt.Sprint("VARIABLE_", k), Value: fmt.Sprint("value-of-", i, "-", k)})
		}
	})
}

func wirePod(i int, job *batchv1.Job) *corev1.Pod {
	pod := podOf(job)
	pod.Name, pod.UID = fmt.Sprint(job.Name, "-x7f2q"), types.UID(fmt.Sprintf("10000000-0000-0000-0000-%012d", i))
	pod.Labels = map[string]string{"job-name": job.Name, "batch.kubernetes.io/controller-uid": string(job.UID)}
	pod.ManagedFields = job.ManagedFields
	pod.Spec = *job.Spec.Template.Spec.DeepCopy()
	pod.Spec.NodeName = fmt.Sprint("node-", i%500)
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "main", State: corev1.ContainerState{
		Terminated: &corev1.ContainerStateTerminated{ExitCode: 1, Reason: "Error", Message: "Traceback (most recent call last): ..."},
	}}}
	return pod
}

func wireEvent(i, k int, pod *corev1.Pod) *corev1.Event {
	return &corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{Namespace: "ml", Name: fmt.Sprint(pod.Name, ".", k), UID: types.UID(fmt.Sprintf("2000000%d-0000-0000-0000-%012d", k, i)), ManagedFields: pod.ManagedFields},
		InvolvedObject: corev1.ObjectReference{Kind: "Pod", Namespace: "ml", Name: pod.Name, UID: pod.UID},
		Reason:         "Started", Message: "Started container main", Source: corev1.EventSource{Component: "kubelet", Host: pod.Spec.NodeName},
	}
}

func heap() uint64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// fresh decodes an object like one from the network, so that nothing is shared.
func fresh[T client.Object](b *testing.B, obj T, into T) T {
	text, err := json.Marshal(obj)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		b.Fatal(err)
	}
	return into
}

func measureObserving(b *testing.B) {
	before := heap()
	ties, kept := NewTies(), make([]any, 0, 5*measured)
	keep := func(obj any) {
		slimmed, err := ties.Transform(obj)
		if err != nil {
			b.Fatal(err)
		}
		kept = append(kept, slimmed)
	}
	for i := range measured {
		job := wireJob(i)
		content, err := kuberuntime.DefaultUnstructuredConverter.ToUnstructured(fresh(b, job, &batchv1.Job{}))
		if err != nil {
			b.Fatal(err)
		}
		// Workloads are watched as unstructured objects.
		keep(&unstructured.Unstructured{Object: content})
		pod := wirePod(i, job)
		keep(fresh(b, pod, &corev1.Pod{}))
		for k := range 3 {
			keep(fresh(b, wireEvent(i, k, pod), &corev1.Event{}))
		}
	}
	b.ReportMetric(float64(heap()-before)/(1<<20), "MiB/10000workloads")
	runtime.KeepAlive(kept)
	b.ReportMetric(callsOfAFailure(b), "calls/failure")
}

// callsOfAFailure counts the calls to the API server about one failed Job, from the end
// to the Event, without Events.
func callsOfAFailure(b *testing.B) float64 {
	job := failedJob()
	pod := wirePod(1, job)
	calls := 0
	known := fake.NewClientBuilder().WithScheme(testScheme(b)).WithObjects(job, pod, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "ml"}}).Build()
	live := interceptor.NewClient(known, interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
			calls++
			return c.Get(ctx, key, obj, opts...)
		},
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			calls++
			return c.List(ctx, list, opts...)
		},
	})
	w := newWorld(b, func(o *Options) { o.Mode, o.ReadOnly = Observe, true }, job, pod)
	w.reconciler.records = &memoryStore{}
	w.asker.reader = reader{w.client, live, w.ties}
	w.service.Next(mulligantest.Cause(mulliganv1.Cause_APP_ERROR))
	for range 3 {
		if _, err := w.Reconcile(context.Background(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(job)}); err != nil {
			b.Fatal(err)
		}
	}
	return float64(calls)
}
