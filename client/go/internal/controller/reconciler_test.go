package controller

import (
	"context"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/record"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"mulligan.dev/mulligan"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/controller/kinds"
	"mulligan.dev/mulligan/internal/controller/records"
	"mulligan.dev/mulligan/internal/evidence"
	"mulligan.dev/mulligan/mulligantest"
)

var jobKind = kinds.ByGroupKind(schema.GroupKind{Group: "batch", Kind: "Job"})

// world is a cluster with a controller for Jobs and a scripted service.
type world struct {
	*reconciler
	service *mulligantest.Server
	events  *record.FakeRecorder
	clock   time.Time
	ties    *Ties
}

func newWorld(t *testing.T, change func(*Options), objects ...client.Object) *world {
	t.Helper()
	options := Defaults()
	options.Mode = Act
	if change != nil {
		change(&options)
	}
	w := &world{service: mulligantest.New(t), events: record.NewFakeRecorder(100), clock: time.Now().Truncate(time.Second), ties: NewTies()}
	objects = append(objects, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "ml"}})
	cluster := fake.NewClientBuilder().WithScheme(testScheme(t)).WithObjects(objects...).
		WithIndex(&records.RetryRecord{}, records.Index, records.Keys).
		WithStatusSubresource(&batchv1.CronJob{}, emptyOf(testWorkload), emptyOf(testCheck)).
		WithInterceptorFuncs(likeAServer(w.ties)).Build()
	w.reconciler = w.another(cluster, options)
	return w
}

// likeAServer gives created objects a UID, a time and a generation, and changed ones
// the next generation. Objects are first seen when they are first read.
func likeAServer(ties *Ties) interceptor.Funcs {
	return interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
			if err := c.Get(ctx, key, obj, opts...); err != nil {
				return err
			}
			_, err := ties.Transform(obj)
			return err
		},
		Create: func(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.CreateOption) error {
			obj.SetUID(types.UID("uid-of-" + obj.GetName()))
			obj.SetGeneration(1)
			obj.SetCreationTimestamp(metav1.Now())
			return c.Create(ctx, obj, opts...)
		},
		Patch: func(ctx context.Context, c client.WithWatch, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
			diff, err := patch.Data(obj)
			if err == nil && strings.Contains(string(diff), `"spec":`) {
				// Also in the patch, which contains only the difference.
				obj.SetGeneration(obj.GetGeneration() + 1)
			}
			return c.Patch(ctx, obj, patch, opts...)
		},
	}
}

// onWrites calls a function instead of each write, which can make it with do.
func onWrites(call func(verb string, obj client.Object, do func() error) error) interceptor.Funcs {
	return interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.CreateOption) error {
			return call("create", obj, func() error { return c.Create(ctx, obj, opts...) })
		},
		Update: func(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.UpdateOption) error {
			return call("update", obj, func() error { return c.Update(ctx, obj, opts...) })
		},
		Patch: func(ctx context.Context, c client.WithWatch, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
			return call("patch", obj, func() error { return c.Patch(ctx, obj, patch, opts...) })
		},
		Delete: func(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.DeleteOption) error {
			return call("delete", obj, func() error { return c.Delete(ctx, obj, opts...) })
		},
	}
}

// testScheme has RetryRecord and Kubernetes' own kinds.
func testScheme(t *testing.T) *runtime.Scheme {
	t.Helper()
	known := runtime.NewScheme()
	if err := scheme.AddToScheme(known); err != nil {
		t.Fatal(err)
	}
	if err := records.AddToScheme(known); err != nil {
		t.Fatal(err)
	}
	return known
}

// record returns the Job's; nil if there is none.
func (w *world) record(t *testing.T) *records.RetryRecord {
	t.Helper()
	list := &records.RetryRecordList{}
	if err := w.client.List(t.Context(), list); err != nil {
		t.Fatal(err)
	}
	if len(list.Items) > 1 {
		t.Fatalf("%d records, want one", len(list.Items))
	}
	if len(list.Items) == 0 {
		return nil
	}
	return &list.Items[0]
}

// another is a controller process with an empty memory.
func (w *world) another(cluster client.WithWatch, options Options) *reconciler {
	return &reconciler{
		kind: jobKind, client: cluster, owners: newOwners(cluster, cluster), records: clusterStore{client: cluster, live: cluster}, options: options,
		asker:    asker{decider: w.service.Client(), reader: reader{cluster, cluster, w.ties}, evidence: &evidence.Pods{}, recent: newRecent(func() time.Time { return w.clock })},
		paused:   pausedBy(cluster, client.ObjectKey{Namespace: "mulligan", Name: "mulligan-controller"}),
		shares:   newShares(options.RetriesPerMinute, func() time.Time { return w.clock }),
		recorder: w.events,
		now:      func() time.Time { return w.clock },
	}
}

// look reconciles the Job once.
func (w *world) look(t *testing.T) ctrl.Result {
	t.Helper()
	return w.lookAt(t, "train")
}

func (w *world) lookAt(t *testing.T, name string) ctrl.Result {
	t.Helper()
	result, err := w.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKey{Namespace: "ml", Name: name}})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// looks reconciles an object this many times, each after the last one's delay.
func (w *world) looks(t *testing.T, name string, times int) {
	t.Helper()
	for range times {
		w.lookAt(t, name)
		w.clock = w.clock.Add(11 * time.Second)
	}
}

func (w *world) unstructured(t *testing.T, name string) *unstructured.Unstructured {
	t.Helper()
	obj := &unstructured.Unstructured{}
	obj.SetGroupVersionKind(w.kind.GroupVersionKind())
	if err := w.client.Get(t.Context(), client.ObjectKey{Namespace: "ml", Name: name}, obj); err != nil {
		t.Fatal(err)
	}
	return obj
}

func (w *world) jobs(t *testing.T) map[string]*batchv1.Job {
	t.Helper()
	list := &batchv1.JobList{}
	if err := w.client.List(t.Context(), list); err != nil {
		t.Fatal(err)
	}
	byName := map[string]*batchv1.Job{}
	for i := range list.Items {
		byName[list.Items[i].Name] = &list.Items[i]
	}
	return byName
}

func (w *world) said() string {
	var texts []string
	for {
		select {
		case text := <-w.events.Events:
			texts = append(texts, text)
		default:
			return strings.Join(texts, "\n")
		}
	}
}

// failedJob ended ten seconds ago and has opted in.
func failedJob(edits ...func(*batchv1.Job)) *batchv1.Job {
	job := &batchv1.Job{
		TypeMeta: metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"},
		ObjectMeta: metav1.ObjectMeta{
			Name: "train", Namespace: "ml", UID: "uid-train", Generation: 1,
			Annotations: map[string]string{records.Policy: ""},
		},
		Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
			Containers: []corev1.Container{{Name: "main", Image: "main:1"}},
		}}},
		Status: batchv1.JobStatus{Conditions: []batchv1.JobCondition{{
			Type: batchv1.JobFailed, Status: corev1.ConditionTrue, Reason: "BackoffLimitExceeded",
			LastTransitionTime: metav1.NewTime(time.Now().Add(-10 * time.Second)),
		}}},
	}
	for _, edit := range edits {
		edit(job)
	}
	return job
}

func running(job *batchv1.Job) { job.Status = batchv1.JobStatus{Active: 1} }

func podOf(job *batchv1.Job) *corev1.Pod {
	yes := true
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: "train-1", Namespace: "ml", UID: "uid-pod",
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "batch/v1", Kind: "Job", Name: job.Name, UID: job.UID, Controller: &yes}},
		},
		Status: corev1.PodStatus{Phase: corev1.PodFailed},
	}
}

func TestOptIn(t *testing.T) {
	labelled := func(value string) *corev1.Namespace {
		return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "opted", Labels: map[string]string{records.Policy: value}}}
	}
	for _, test := range []struct {
		name      string
		job       *batchv1.Job
		namespace *corev1.Namespace
		policy    string
		in        bool
		itself    bool
	}{
		{"annotation", failedJob(), nil, "", true, true},
		{"annotation with a name", failedJob(func(j *batchv1.Job) { j.Annotations[records.Policy] = "training" }), nil, "training", true, true},
		{"label", failedJob(func(j *batchv1.Job) { j.Annotations, j.Labels = nil, map[string]string{records.Policy: "training"} }), nil, "training", true, true},
		{"nothing", failedJob(func(j *batchv1.Job) { j.Annotations = nil }), nil, "", false, false},
		{"namespace", failedJob(func(j *batchv1.Job) { j.Annotations, j.Namespace = nil, "opted" }), labelled("training"), "training", true, false},
		{"annotation beats namespace", failedJob(func(j *batchv1.Job) { j.Namespace = "opted" }), labelled("training"), "", true, true},
		{"out of a namespace", failedJob(func(j *batchv1.Job) { j.Namespace, j.Annotations[records.Policy] = "opted", "off" }), labelled("training"), "off", false, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			objects := []client.Object{test.job}
			if test.namespace != nil {
				objects = append(objects, test.namespace)
			}
			w := newWorld(t, nil, objects...)
			got, err := optInOf(t.Context(), w.client, test.job)
			if want := (optIn{test.policy, test.in, test.itself}); err != nil || got != want {
				t.Errorf("optInOf = %+v, %v, want %+v", got, err, want)
			}
		})
	}
}

func TestPartsOfWorkloadsAreLeftAlone(t *testing.T) {
	yes := true
	w := newWorld(t, nil, failedJob(func(j *batchv1.Job) {
		j.OwnerReferences = []metav1.OwnerReference{{APIVersion: "jobset.x-k8s.io/v1alpha2", Kind: "JobSet", Name: "set", UID: "s", Controller: &yes}}
	}))
	w.look(t)
	if asked := len(w.service.Requests()); asked != 0 {
		t.Errorf("asked %d times about a part of a JobSet", asked)
	}
}

func TestRetryIsMadeOnceAfterItsDelay(t *testing.T) {
	w := newWorld(t, nil, failedJob())
	w.service.Next(mulligantest.Cause(mulliganv1.Cause_CONTAINER_OOM))

	if result := w.look(t); result.RequeueAfter != 10*time.Second {
		t.Errorf("looked at again after %v, want the 10s of the decision", result.RequeueAfter)
	}
	failed := w.jobs(t)["train"]
	if len(w.jobs(t)) != 1 || failed.Annotations[records.DecisionCopy] == "" || failed.Annotations[mulligan.LedgerAnnotation] == "" {
		t.Fatalf("before the delay: want decision and ledger on the failed Job alone, has %v", failed.Annotations)
	}
	w.clock = w.clock.Add(11 * time.Second)
	for range 3 {
		w.look(t)
	}
	jobs := w.jobs(t)
	name := jobs["train"].Annotations[records.RetriedAs]
	next := jobs[name]
	if len(jobs) != 2 || next == nil {
		t.Fatalf("want the failed Job and its retry %q, have %d", name, len(jobs))
	}
	if got := next.Annotations[records.RetryOf]; got != "train/uid-train" {
		t.Errorf("retry of %q, want train/uid-train", got)
	}
	ledger, err := mulligan.ParseLedger(next.Annotations[mulligan.LedgerAnnotation])
	if err != nil || ledger.GetAttemptsSeen() != 1 || ledger.GetWorkloadUid() != "" {
		t.Errorf("the retry's ledger: %v, %v, want one attempt and no UID yet", ledger, err)
	}
	attempts := w.record(t).Status.Attempts
	if end := failed.Status.Conditions[0].LastTransitionTime; !attempts[0].EndedAt.Equal(end.Time) || !attempts[1].EndedAt.IsZero() || attempts[1].StartedAt.IsZero() {
		t.Errorf("the first ended at %v, the second ran from %v to %v, want an end at %v alone", attempts[0].EndedAt, attempts[1].StartedAt, attempts[1].EndedAt, end)
	}
	if asked := len(w.service.Requests()); asked != 1 {
		t.Errorf("asked %d times, want once", asked)
	}
	if said := w.said(); strings.Count(said, "Retried") != 1 || strings.Count(said, "RetryGranted") != 1 {
		t.Errorf("Events:\n%s", said)
	}
}

func TestReportsSuccessOnce(t *testing.T) {
	w := newWorld(t, nil, failedJob())
	w.service.Next(mulligantest.Cause(mulliganv1.Cause_CONTAINER_OOM), mulligantest.Cause(mulliganv1.Cause_SUCCEEDED))
	w.looks(t, "train", 2)
	next := w.jobs(t)[w.jobs(t)["train"].Annotations[records.RetriedAs]]
	next.Status = batchv1.JobStatus{Succeeded: 1, Conditions: []batchv1.JobCondition{{
		Type: batchv1.JobComplete, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(w.clock),
	}}}
	if err := w.client.Status().Update(t.Context(), next); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		w.lookAt(t, next.Name)
	}
	asked := w.service.Requests()
	if len(asked) != 2 || asked[1].GetLedger().GetAttemptsSeen() != 1 {
		t.Fatalf("asked %d times, want once about the failure and once about the end, with its ledger", len(asked))
	}
	if got := asked[1].GetReport().GetJobs()[0].GetMetadata().GetName(); got != next.Name {
		t.Errorf("reported the success of %s, want %s", got, next.Name)
	}
	if state := w.record(t).Status.State; state != records.Succeeded {
		t.Errorf("the record is %s", state)
	}
}

func TestDoesNotReportSuccessWithoutFailures(t *testing.T) {
	job := failedJob()
	job.Status = batchv1.JobStatus{Succeeded: 1, Conditions: []batchv1.JobCondition{{Type: batchv1.JobComplete, Status: corev1.ConditionTrue}}}
	w := newWorld(t, nil, job)
	w.look(t)
	if asked := len(w.service.Requests()); asked != 0 {
		t.Errorf("asked %d times", asked)
	}
}

// Its owner also owns the next attempt; objects that it owns live and are deleted with
// it.
func TestOwnersAreKeptAndTheOwnedLeftAlone(t *testing.T) {
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{
		Name: "scratch", Namespace: "ml",
		OwnerReferences: []metav1.OwnerReference{{APIVersion: "batch/v1", Kind: "Job", Name: "train", UID: "uid-train"}},
	}}
	owner := metav1.OwnerReference{APIVersion: "batch/v1", Kind: "CronJob", Name: "nightly", UID: "uid-nightly", Controller: ptr.To(true)}
	w := newWorld(t, nil, failedJob(func(j *batchv1.Job) { j.OwnerReferences = []metav1.OwnerReference{owner} }), nightly(concurrency(batchv1.AllowConcurrent)), claim)
	w.service.Next(mulligantest.Cause(mulliganv1.Cause_CONTAINER_OOM))
	w.looks(t, "train", 2)
	jobs := w.jobs(t)
	next := jobs[jobs["train"].Annotations[records.RetriedAs]]
	if next == nil || len(next.OwnerReferences) != 1 || next.OwnerReferences[0].UID != owner.UID {
		t.Errorf("the next attempt %v, want the owner of the first", next)
	}
	kept := &corev1.PersistentVolumeClaim{}
	if err := w.client.Get(t.Context(), client.ObjectKeyFromObject(claim), kept); err != nil || kept.OwnerReferences[0].UID != "uid-train" {
		t.Errorf("the claim was changed: %v, %v", kept.OwnerReferences, err)
	}
}

func TestEvidenceOutlivesItsPod(t *testing.T) {
	job := failedJob()
	w := newWorld(t, nil, job)
	w.service.Next(mulligantest.Cause(mulliganv1.Cause_CONTAINER_OOM))
	if requests := w.ofTroubledPod(t.Context(), podOf(job)); len(requests) != 1 || requests[0].Name != "train" {
		t.Fatalf("the pod leads to %v, want its Job", requests)
	}
	w.look(t)
	if pods := w.service.Requests()[0].GetReport().GetPods(); len(pods) != 1 || pods[0].GetMetadata().GetUid() != "uid-pod" {
		t.Errorf("reported pods: %v, want the one that is gone", pods)
	}
}

// A watch that restarts after a restart of the API server lags: it shows running pods,
// and a preempted one would be charged to the program.
func TestReadsLateWatchedPodsLive(t *testing.T) {
	job := failedJob()
	pod := podOf(job)
	pod.Labels = map[string]string{"job-name": job.Name}
	w := newWorld(t, nil, job, pod)
	w.service.Next(mulligantest.Cause(mulliganv1.Cause_PREEMPTED_SCHEDULER))
	before := pod.DeepCopy()
	before.Status.Phase = corev1.PodRunning
	w.asker.reader.watched = fake.NewClientBuilder().WithScheme(scheme.Scheme).WithObjects(job, before).Build()
	w.look(t)
	pods := w.service.Requests()[0].GetReport().GetPods()
	if len(pods) != 1 || pods[0].GetStatus().GetPhase() != "Failed" {
		t.Errorf("asked with %v, want the pod as it is now", pods)
	}
}
