package mulligan_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	k8stypes "k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"mulligan.dev/mulligan"
)

func ownedBy(obj, owner client.Object) client.Object {
	gvk := owner.GetObjectKind().GroupVersionKind()
	obj.SetOwnerReferences([]metav1.OwnerReference{{
		APIVersion: gvk.GroupVersion().String(), Kind: gvk.Kind, Name: owner.GetName(), UID: owner.GetUID(), Controller: ptr.To(true),
	}})
	return obj
}

func labelled(obj client.Object, key, value string) client.Object {
	obj.SetLabels(map[string]string{key: value})
	return obj
}

func job(name string) *batchv1.Job {
	return &batchv1.Job{
		TypeMeta:   metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"},
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "ml", UID: k8stypes.UID("uid-job-" + name)},
		Spec:       batchv1.JobSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"batch.kubernetes.io/controller-uid": name}}},
	}
}

func event(name string, about client.Object, kind corev1.ObjectReference) *corev1.Event {
	kind.Name, kind.UID = about.GetName(), about.GetUID()
	return &corev1.Event{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "ml", UID: about.GetUID() + "-event"}, InvolvedObject: kind, Reason: name, Type: "Warning"}
}

// gathered lists what a report has, in the words of kubectl.
func gathered(t *testing.T, report *mulligan.Report) []string {
	t.Helper()
	built := build(t, report)
	var found []string
	add := func(has bool, kind, name string) {
		if has {
			found = append(found, kind+"/"+name)
		}
	}
	for _, pod := range built.GetPods() {
		add(true, "pod", pod.GetMetadata().GetName())
	}
	for _, job := range built.GetJobs() {
		add(true, "job", job.GetMetadata().GetName())
	}
	for _, node := range built.GetNodes() {
		add(true, "node", node.GetMetadata().GetName())
	}
	for _, event := range built.GetEvents() {
		add(true, "event", event.GetReason())
	}
	add(built.JobSet != nil, "jobset", built.GetJobSet().GetMetadata().GetName())
	add(built.RayJob != nil, "rayjob", built.GetRayJob().GetMetadata().GetName())
	add(built.RayCluster != nil, "raycluster", built.GetRayCluster().GetMetadata().GetName())
	add(built.TrainJob != nil, "trainjob", built.GetTrainJob().GetMetadata().GetName())
	add(built.KueueWorkload != nil, "workload", built.GetKueueWorkload().GetMetadata().GetName())
	add(built.SparkApplication != nil, "spark", built.GetSparkApplication().GetMetadata().GetName())
	add(built.KubeflowJob != nil, built.GetKubeflowJob().GetKind(), built.GetKubeflowJob().GetMetadata().GetName())
	slices.Sort(found)
	return found
}

func TestGather(t *testing.T) {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-a", UID: "node-a-uid"}}
	train := job("train")
	pod := func(name, key, value string, owner client.Object) client.Object {
		return ownedBy(labelled(failedPod(name), key, value), owner)
	}
	kueueWorkload := func(owner client.Object) client.Object {
		return labelled(ownedBy(custom("kueue.x-k8s.io/v1beta2", "Workload", "w", nil), owner), "kueue.x-k8s.io/job-uid", string(owner.GetUID()))
	}
	jobSet := custom("jobset.x-k8s.io/v1alpha2", "JobSet", "train", nil)
	child := labelled(ownedBy(job("train-workers-0"), jobSet), "jobset.sigs.k8s.io/jobset-name", "train")
	orphan := labelled(failedPod("of-an-earlier-set"), "jobset.sigs.k8s.io/jobset-name", "train")
	orphan.SetLabels(map[string]string{"jobset.sigs.k8s.io/jobset-name": "train", "jobset.sigs.k8s.io/jobset-uid": "another"})
	// JobSet before 0.6 writes no UID.
	madeAt := func(obj client.Object, hour int) client.Object {
		obj.SetCreationTimestamp(metav1.Date(2026, 11, 3, hour, 0, 0, 0, time.UTC))
		return obj
	}
	older := madeAt(custom("jobset.x-k8s.io/v1alpha2", "JobSet", "train", nil), 12)
	rayJob := custom("ray.io/v1", "RayJob", "ray", map[string]any{"status": map[string]any{"rayClusterName": "ray-x7"}})
	cluster := ownedBy(custom("ray.io/v1", "RayCluster", "ray-x7", nil), rayJob)
	submitter := ownedBy(job("ray"), rayJob)
	trainJob := custom("trainer.kubeflow.org/v1alpha1", "TrainJob", "train", nil)
	trainJobSet := ownedBy(custom("jobset.x-k8s.io/v1alpha2", "JobSet", "train", nil), trainJob)
	trainJobSet.SetUID("uid-of-its-jobset")
	spark := custom("sparkoperator.k8s.io/v1beta2", "SparkApplication", "etl", nil)
	torch := custom("kubeflow.org/v1", "PyTorchJob", "bert", nil)
	own := custom("sim.example.com/v1", "SimJob", "flow", nil)
	ownJob := ownedBy(job("flow-0"), own)

	for name, test := range map[string]struct {
		cluster []client.Object
		ask     client.Object
		want    []string
	}{
		"a pod alone": {
			[]client.Object{node, failedPod("a")}, failedPod("a"), []string{"node/node-a", "pod/a"},
		},
		"a Job with its pods, queue, nodes and events": {
			[]client.Object{
				node, train, pod("train-1", "batch.kubernetes.io/controller-uid", "train", train), failedPod("other"),
				labelled(failedPod("adopted-by-nobody"), "batch.kubernetes.io/controller-uid", "train"), kueueWorkload(train),
				event("BackoffLimitExceeded", train, corev1.ObjectReference{Kind: "Job"}), event("Unrelated", jobWith(nil), corev1.ObjectReference{Kind: "Job"}),
			},
			train,
			[]string{"event/BackoffLimitExceeded", "job/train", "node/node-a", "pod/train-1", "workload/w"},
		},
		"from a pod up to its Job": {
			[]client.Object{train, pod("train-1", "batch.kubernetes.io/controller-uid", "train", train)},
			pod("train-1", "batch.kubernetes.io/controller-uid", "train", train),
			[]string{"job/train", "pod/train-1"},
		},
		"a pod whose Job is gone": {
			[]client.Object{pod("train-1", "x", "y", train)}, pod("train-1", "x", "y", train), []string{"pod/train-1"},
		},
		"a JobSet, not the pods of its namesake": {
			[]client.Object{jobSet, child, pod("train-workers-0-0", "jobset.sigs.k8s.io/jobset-name", "train", child), orphan, kueueWorkload(jobSet)},
			jobSet,
			[]string{"job/train-workers-0", "jobset/train", "pod/train-workers-0-0", "workload/w"},
		},
		"a JobSet whose pods do not have its UID": {
			[]client.Object{
				older, madeAt(pod("of-this-one", "jobset.sigs.k8s.io/jobset-name", "train", job("deleted")), 12),
				madeAt(pod("of-an-earlier-one", "jobset.sigs.k8s.io/jobset-name", "train", job("deleted")), 11),
			},
			older,
			[]string{"jobset/train", "pod/of-this-one"},
		},
		"a RayJob with cluster and submitter": {
			[]client.Object{
				rayJob, cluster, submitter, pod("ray-head", "ray.io/cluster", "ray-x7", cluster),
				pod("ray-submit", "batch.kubernetes.io/controller-uid", "ray", submitter),
			},
			cluster,
			[]string{"job/ray", "pod/ray-head", "pod/ray-submit", "raycluster/ray-x7", "rayjob/ray"},
		},
		"a TrainJob down to the pods": {
			[]client.Object{
				trainJob, trainJobSet, ownedBy(labelled(job("train-node-0"), "jobset.sigs.k8s.io/jobset-name", "train"), trainJobSet),
				labelled(failedPod("train-node-0-0"), "jobset.sigs.k8s.io/jobset-name", "train"), kueueWorkload(trainJob),
			},
			trainJobSet,
			[]string{"job/train-node-0", "jobset/train", "pod/train-node-0-0", "trainjob/train", "workload/w"},
		},
		"a SparkApplication": {
			[]client.Object{spark, labelled(failedPod("etl-driver"), "sparkoperator.k8s.io/app-name", "etl")}, spark,
			[]string{"pod/etl-driver", "spark/etl"},
		},
		"a PyTorchJob": {
			[]client.Object{torch, labelled(failedPod("bert-worker-0"), "training.kubeflow.org/job-name", "bert")}, torch,
			[]string{"PyTorchJob/bert", "pod/bert-worker-0"},
		},
		"Kueue's Workload": {
			[]client.Object{train, kueueWorkload(train)}, kueueWorkload(train), []string{"job/train", "workload/w"},
		},
		"a kind of one's own": {
			[]client.Object{own, ownJob, ownedBy(failedPod("flow-0-1"), ownJob), failedPod("other"), kueueWorkload(own)},
			own,
			[]string{"job/flow-0", "pod/flow-0-1", "workload/w"},
		},
		"unstructured as well": {
			[]client.Object{train, pod("train-1", "batch.kubernetes.io/controller-uid", "train", train)},
			asUnstructured(t, train),
			[]string{"job/train", "pod/train-1"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			report, err := mulligan.Gather(context.Background(), clusterOf(test.cluster...), test.ask)
			if err != nil {
				t.Fatal(err)
			}
			if got := gathered(t, report); !slices.Equal(got, test.want) {
				t.Errorf("got  %v\nwant %v", got, test.want)
			}
			if len(report.Notes()) > 0 {
				t.Errorf("notes %v", report.Notes())
			}
		})
	}
}

func asUnstructured(t *testing.T, obj client.Object) client.Object {
	t.Helper()
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		t.Fatal(err)
	}
	return &unstructured.Unstructured{Object: object}
}

// clusterOf has the kinds of its objects, and no others: a fake client lists what
// it has never heard of as empty, a cluster has no such kind.
func clusterOf(objects ...client.Object) client.WithWatch {
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		panic(err)
	}
	installed := map[string]bool{}
	seen := map[string]bool{}
	var distinct []client.Object
	for _, obj := range objects {
		obj = obj.DeepCopyObject().(client.Object)
		if u, ok := obj.(*unstructured.Unstructured); ok {
			gvk := u.GroupVersionKind()
			installed[gvk.Kind], installed[gvk.Kind+"List"] = true, true
			if !scheme.Recognizes(gvk) {
				scheme.AddKnownTypeWithName(gvk, &unstructured.Unstructured{})
				scheme.AddKnownTypeWithName(gvk.GroupVersion().WithKind(gvk.Kind+"List"), &unstructured.UnstructuredList{})
			}
		}
		obj.SetResourceVersion("")
		if key := fmt.Sprintf("%T/%s/%s", obj, obj.GetObjectKind().GroupVersionKind().Kind, obj.GetName()); !seen[key] {
			seen[key] = true
			distinct = append(distinct, obj)
		}
	}
	missing := func(gvk schema.GroupVersionKind) error {
		if gvk.Group == "" || gvk.Group == "batch" || installed[gvk.Kind] && scheme.Recognizes(gvk) {
			return nil
		}
		return &meta.NoKindMatchError{GroupKind: gvk.GroupKind(), SearchedVersions: []string{gvk.Version}}
	}
	return interceptor.NewClient(fake.NewClientBuilder().WithScheme(scheme).WithObjects(distinct...).Build(), interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
			if err := missing(obj.GetObjectKind().GroupVersionKind()); err != nil {
				return err
			}
			return c.Get(ctx, key, obj, opts...)
		},
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			if err := missing(list.GetObjectKind().GroupVersionKind()); err != nil {
				return err
			}
			return c.List(ctx, list, opts...)
		},
	})
}

// failing answers requests about one kind with err.
func failing(c client.WithWatch, kind string, err error) client.Client {
	is := func(obj any) bool { return strings.HasSuffix(fmt.Sprintf("%T", obj), "."+kind) }
	return interceptor.NewClient(c, interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
			if is(obj) {
				return err
			}
			return c.Get(ctx, key, obj, opts...)
		},
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			if is(list) {
				return err
			}
			return c.List(ctx, list, opts...)
		},
	})
}

func TestGatherSaysWhatItMayNotRead(t *testing.T) {
	forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "nodes"}, "node-a", errors.New("no RBAC rule"))
	report, err := mulligan.Gather(context.Background(), failing(clusterOf(failedPod("a")), "Node", forbidden), failedPod("a"))
	if err != nil {
		t.Fatal(err)
	}
	if notes := report.Notes(); len(notes) != 1 || !strings.Contains(notes[0], "Node node-a may not be read") {
		t.Errorf("notes %v", notes)
	}
}

// An API server warns of an old version with each answer.
func TestGatherAsksForTheNewestVersionOnly(t *testing.T) {
	train := job("train")
	other := custom("kueue.x-k8s.io/v1beta2", "Workload", "of-another", nil)
	var asked []string
	reader := interceptor.NewClient(clusterOf(train, other), interceptor.Funcs{
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			if gvk := list.GetObjectKind().GroupVersionKind(); gvk.Kind == "WorkloadList" {
				asked = append(asked, gvk.Version)
			}
			return c.List(ctx, list, opts...)
		},
	})
	if _, err := mulligan.Gather(context.Background(), reader, train); err != nil || !slices.Equal(asked, []string{"v1beta2"}) {
		t.Errorf("asked for %v, %v", asked, err)
	}
}

func TestGatherDoesNotGuessFromHalfTheEvidence(t *testing.T) {
	down := apierrors.NewInternalError(errors.New("etcd is down"))
	for _, kind := range []string{"PodList", "UnstructuredList", "Node", "EventList"} {
		train := job("train")
		c := clusterOf(train, ownedBy(labelled(failedPod("a"), "batch.kubernetes.io/controller-uid", "train"), train))
		if _, err := mulligan.Gather(context.Background(), failing(c, kind, down), train); err == nil || !strings.Contains(err.Error(), "etcd is down") {
			t.Errorf("%s: got %v, want the API server's error", kind, err)
		}
	}
}

func TestGatherIsBounded(t *testing.T) {
	train := job("train")
	objects := []client.Object{train}
	for i := range mulligan.MaxGatheredPods + 20 {
		pod := failedPod(fmt.Sprintf("p%03d", i))
		pod.Spec.NodeName = fmt.Sprintf("node-%03d", i)
		if i < 20 {
			pod.Status = corev1.PodStatus{Phase: corev1.PodSucceeded}
		}
		objects = append(objects, ownedBy(labelled(pod, "batch.kubernetes.io/controller-uid", "train"), train))
	}
	for i := range mulligan.MaxGatheredEvents + 5 {
		noise := event(fmt.Sprintf("e%03d", i), train, corev1.ObjectReference{Kind: "Job"})
		noise.UID = ""
		noise.Type = "Normal"
		objects = append(objects, noise)
	}
	warning := event("Important", train, corev1.ObjectReference{Kind: "Job"})
	// What Mulligan says about an earlier failure is not counted.
	stopped, advice := event("Stopped", train, corev1.ObjectReference{Kind: "Job"}), event("MulliganStops", train, corev1.ObjectReference{Kind: "Job"})
	stopped.Source.Component = "mulligan-controller"
	report, err := mulligan.Gather(context.Background(), clusterOf(append(objects, stopped, warning, advice)...), train)
	if err != nil {
		t.Fatal(err)
	}
	built := build(t, report)
	if len(built.GetPods()) != mulligan.MaxGatheredPods || len(built.GetEvents()) != mulligan.MaxGatheredEvents {
		t.Errorf("%d pods, %d events", len(built.GetPods()), len(built.GetEvents()))
	}
	if got := built.GetOmittedPods(); got.GetFailed() != 10 || got.GetSucceeded() != 10 {
		t.Errorf("left out %v, want all but a handful of those that succeeded", got)
	}
	if built.GetEvents()[0].GetReason() != "Important" {
		t.Errorf("the warning is not the first event")
	}
	want := []string{"20 of 520 pods were left out", "480 of 500 nodes were left out", "6 of 506 events were left out, those that are no warnings and the oldest first"}
	if !slices.Equal(report.Notes(), want) {
		t.Errorf("notes %q, want %q", report.Notes(), want)
	}
}

func TestWorkloadHoldsLedger(t *testing.T) {
	train := job("train")
	pod := ownedBy(labelled(failedPod("a"), "batch.kubernetes.io/controller-uid", "train"), train)
	c := clusterOf(train, pod)
	fromPod, err := mulligan.Gather(context.Background(), c, pod)
	if err != nil || fromPod.Workload().GetName() != "train" {
		t.Errorf("from the pod: %v, %v", fromPod.Workload(), err)
	}
	fromJob, err := mulligan.Gather(context.Background(), c, train)
	if err != nil || fromJob.Workload() != client.Object(train) {
		t.Errorf("from the Job: %v, %v, want the caller's own object", fromJob.Workload(), err)
	}
}
