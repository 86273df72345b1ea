package controller

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/controller/kinds"
	"mulligan.dev/mulligan/internal/testing/manifest"
	"mulligan.dev/mulligan/mulligantest"
)

func controlledBy(kind, apiVersion, name string) []metav1.OwnerReference {
	return []metav1.OwnerReference{{APIVersion: apiVersion, Kind: kind, Name: name, UID: types.UID("uid-of-" + name), Controller: ptr.To(true)}}
}

func podOfJob(name string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Name: name + "-0", Namespace: "ml", UID: types.UID("uid-pod-of-" + name),
		Labels: map[string]string{"job-name": name}, OwnerReferences: controlledBy("Job", "batch/v1", name),
	}}
}

func seen(t *testing.T, ties *Ties, obj client.Object) client.Object {
	t.Helper()
	kept, err := ties.Transform(obj)
	if err != nil {
		t.Fatal(err)
	}
	return kept.(client.Object)
}

func TestWhoseAPodIsDoesNotChange(t *testing.T) {
	for name, patch := range map[string]func(*corev1.Pod){
		"another's":        func(p *corev1.Pod) { p.OwnerReferences = controlledBy("Job", "batch/v1", "b") },
		"no owner":         func(p *corev1.Pod) { p.OwnerReferences = nil },
		"of another kind":  func(p *corev1.Pod) { p.OwnerReferences[0].Kind = "JobSet" },
		"another label":    func(p *corev1.Pod) { p.Labels["job-name"] = "b" },
		"one label more":   func(p *corev1.Pod) { p.Labels["training.kubeflow.org/job-name"] = "b" },
		"without labels":   func(p *corev1.Pod) { p.Labels = nil },
		"controls no more": func(p *corev1.Pod) { p.OwnerReferences[0].Controller = nil },
	} {
		t.Run(name, func(t *testing.T) {
			ties := NewTies()
			seen(t, ties, podOfJob("a"))
			patched := podOfJob("a")
			patch(patched)
			now := seen(t, ties, patched)
			if owner := metav1.GetControllerOf(now); owner == nil || owner.Name != "a" || owner.Kind != "Job" || len(now.GetLabels()) != 1 || now.GetLabels()["job-name"] != "a" {
				t.Errorf("%v, labels %v, want what it was first", now.GetOwnerReferences(), now.GetLabels())
			}
		})
	}
}

func TestTiesAreOfPodsAndWorkloadsWhileTheyAreThere(t *testing.T) {
	ties := NewTies()
	free := podOfJob("a")
	free.OwnerReferences = nil
	seen(t, ties, free)
	if adopted := seen(t, ties, podOfJob("a")); metav1.GetControllerOf(adopted) == nil {
		t.Error("a pod without an owner was not adopted")
	}
	ties.forget(toolscache.DeletedFinalStateUnknown{Obj: podOfJob("a")})
	for _, other := range []client.Object{&corev1.Node{}, &corev1.Namespace{}, &batchv1.CronJob{}} {
		other.SetUID("uid")
		other.SetOwnerReferences(controlledBy("Job", "batch/v1", "a"))
		seen(t, ties, other)
	}
	if len(ties.first) != 0 {
		t.Errorf("%v are remembered, want nothing", ties.first)
	}
}

// A failed Job of a JobSet.
func childJob() *batchv1.Job {
	return failedJob(func(j *batchv1.Job) { j.OwnerReferences = controlledBy("JobSet", "jobset.x-k8s.io/v1alpha2", "set") })
}

func TestAPartThatIsMadeNobodysGetsNoAccount(t *testing.T) {
	for name, owners := range map[string][]metav1.OwnerReference{
		"no owner": nil, "a ConfigMap's": controlledBy("ConfigMap", "v1", "x"), "an MPIJob's": controlledBy("MPIJob", "kubeflow.org/v2beta1", "x"),
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, nil, childJob())
			w.look(t)
			stolen := failedJob()
			stolen.OwnerReferences = owners
			if err := w.client.Update(t.Context(), stolen); err != nil {
				t.Fatal(err)
			}
			w.look(t)
			// A new process recognizes it by the pods' labels.
			marked := failedJob(func(j *batchv1.Job) {
				j.OwnerReferences = owners
				j.Spec.Template.Labels = map[string]string{jobSetName: "set"}
			})
			if err := w.client.Update(t.Context(), marked); err != nil {
				t.Fatal(err)
			}
			w.ties.first = NewTies().first
			w.look(t)
			if asked := len(w.service.Requests()); asked != 0 || w.record(t) != nil {
				t.Errorf("asked %d times about a part of a JobSet, record %v", asked, w.record(t))
			}
		})
	}
}

// A report would be about its owner if that has a known kind.
func TestAWorkloadIsNotJudgedByItsOwner(t *testing.T) {
	mpi := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "kubeflow.org/v2beta1", "kind": "MPIJob", "metadata": map[string]any{"name": "other", "namespace": "ml", "uid": "uid-of-other"},
	}}
	w := newWorld(t, nil, failedJob(func(j *batchv1.Job) { j.OwnerReferences = controlledBy("MPIJob", "kubeflow.org/v2beta1", "other") }), mpi)
	w.service.Next(mulligantest.Cause(mulliganv1.Cause_CONTAINER_OOM))
	w.look(t)
	report := w.service.Requests()[0].GetReport()
	if report.GetKubeflowJob() != nil || len(report.GetJobs()) != 1 || report.GetJobs()[0].GetMetadata().GetName() != "train" {
		t.Errorf("asked about %v, want the Job", report)
	}
}

func TestPodsThatWereAnothersAreNoEvidence(t *testing.T) {
	train, other := failedJob(), failedJob(called("other"), func(j *batchv1.Job) { j.UID = "uid-of-other" })
	pod := podOf(other)
	pod.Labels = map[string]string{"job-name": "other"}
	w := newWorld(t, nil, train, other, pod)
	w.service.Next(mulligantest.Cause(mulliganv1.Cause_PREEMPTED_SCHEDULER))
	seen(t, w.ties, pod.DeepCopy())
	patched := podOf(train)
	patched.Labels = map[string]string{"job-name": "train"}
	if err := w.client.Update(t.Context(), patched); err != nil {
		t.Fatal(err)
	}
	if led := w.ofTroubledPod(t.Context(), seen(t, w.ties, patched)); len(led) != 1 || led[0].Name != "other" {
		t.Errorf("the pod leads to %v, want whose it was first", led)
	}
	w.look(t)
	if pods := w.service.Requests()[0].GetReport().GetPods(); len(pods) != 0 {
		t.Errorf("judged by %v", pods)
	}
}

// A pod names its owner by a UID, which another object of that name does not have.
func TestAPodLeadsToNobodyElsesWorkload(t *testing.T) {
	set := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": map[string]any{"name": "set", "namespace": "ml", "uid": "uid-of-set"},
	}}
	w := newWorld(t, nil, childJob(), set)
	pod := podOf(failedJob())
	for uid, want := range map[string]string{"uid-train": "JobSet", "uid-without-owner": "Job"} {
		pod.OwnerReferences[0].UID = types.UID(uid)
		owner, err := workloadOf(t.Context(), w.client, pod)
		if err != nil || owner == nil || owner.Kind != want {
			t.Errorf("owner %s: %v, %v, want a %s", uid, owner, err, want)
		}
	}
}

// counting is a cluster with these objects that counts its reads.
func counting(t *testing.T, objects ...client.Object) (client.Client, *atomic.Int32) {
	t.Helper()
	calls := &atomic.Int32{}
	return fake.NewClientBuilder().WithScheme(testScheme(t)).WithObjects(objects...).WithInterceptorFuncs(interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
			calls.Add(1)
			return c.Get(ctx, key, obj, opts...)
		},
	}).Build(), calls
}

// Each kind's controller sees every event of every pod.
func tellAllKinds(t *testing.T, w *world, cluster types.UID, pods, events int) (led int) {
	t.Helper()
	for i := range pods {
		pod := podOf(failedJob())
		pod.UID = types.UID(fmt.Sprint("uid-pod-", i))
		pod.OwnerReferences = []metav1.OwnerReference{{APIVersion: "ray.io/v1", Kind: "RayCluster", Name: "tune", UID: cluster, Controller: ptr.To(true)}}
		for range events {
			for _, kind := range kinds.All {
				of := &reconciler{kind: kind, owners: w.owners, asker: w.asker, now: w.now}
				led += len(of.ofTroubledPod(t.Context(), pod))
			}
		}
	}
	return led
}

const clusterManifest = `
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: tune, namespace: ml, uid: %s}
`

func TestAsksOnceAboutPodsOfDeletedCluster(t *testing.T) {
	for name, objects := range map[string][]client.Object{
		"deleted":              nil,
		"another has the name": {manifest.Object(t, fmt.Sprintf(clusterManifest, "another"))},
		"without an owner":     {manifest.Object(t, fmt.Sprintf(clusterManifest, "cluster"))},
	} {
		t.Run(name, func(t *testing.T) {
			watched, _ := counting(t)
			live, calls := counting(t, objects...)
			w := newWorld(t, nil)
			w.owners = newOwners(watched, live)
			if led := tellAllKinds(t, w, "cluster", 5, 3); led != 0 || calls.Load() != 1 {
				t.Errorf("%d calls for 15 events, and %d workloads found, want one call and none", calls.Load(), led)
			}
			if led := tellAllKinds(t, w, "later", 1, 1); led != 0 || calls.Load() != 2 {
				t.Errorf("%d calls after another cluster, and %d workloads found, want two", calls.Load(), led)
			}
		})
	}
}

// Owners that are not yet in the cache are found, because their pods may fail before.
func TestPodsOfANewClusterLeadToTheirWork(t *testing.T) {
	cluster := manifest.Object(t, fmt.Sprintf(clusterManifest, "cluster"))
	cluster.SetOwnerReferences(controlledBy("RayJob", "ray.io/v1", "tune"))
	job := newObject(kinds.ByGroupKind(kindOf(&cluster.GetOwnerReferences()[0])))
	job.SetNamespace("ml")
	job.SetName("tune")
	job.SetUID("uid-of-tune")
	watched, _ := counting(t)
	live, _ := counting(t, cluster, job)
	w := newWorld(t, nil)
	w.owners = newOwners(watched, live)
	stranger := podOf(failedJob())
	stranger.Namespace, stranger.OwnerReferences = "evil", []metav1.OwnerReference{{APIVersion: "ray.io/v1", Kind: "RayCluster", Name: "tune", UID: "cluster", Controller: ptr.To(true)}}
	if owner, err := w.owners.of(t.Context(), stranger); owner != nil || err != nil {
		t.Errorf("a pod of another namespace belongs to %v, error %v", owner, err)
	}
	if led := tellAllKinds(t, w, "cluster", 2, 2); led != 4 {
		t.Errorf("%d of 4 events lead to the RayJob", led)
	}
}
