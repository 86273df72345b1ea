package controller

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

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

// measured is the number of workloads: a Job with a pod and three Events each.
const measured = 10000

// wireJob, wirePod and wireEvent are as an API server gives them, with what is dropped.
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

// fresh decodes an object as one that came over the wire: nothing is shared.
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
		// Workloads are watched unstructured.
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

// callsOfAFailure counts what is asked of the API server about one failed Job, from the
// end to the Event, besides the Events themselves.
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
