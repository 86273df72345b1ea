package controller

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/controller/records"
	"mulligan.dev/mulligan/internal/controller/successor"
	"mulligan.dev/mulligan/internal/testing/manifest"
	"mulligan.dev/mulligan/mulligantest"
)

type edit = func(*mulliganv1.DecideResponse)

func lasting(r *mulliganv1.DecideResponse) {
	r.Diagnosis.Outlook = mulliganv1.Diagnosis_CANNOT_RECOVER
}

// braked is a loop that the policy's brake ends.
func braked(r *mulliganv1.DecideResponse) {
	lasting(r)
	alive(r)
	r.Explanation = &mulliganv1.Explanation{DecidedBy: mulliganv1.Explanation_BRAKE}
	r.Ledger.WorkloadUid = "uid-train"
}

// triedAgain is a charged failure that the operator retries.
func triedAgain(r *mulliganv1.DecideResponse) {
	alive(r)
	r.Decision.Action = mulliganv1.Decision_IGNORE
	r.Ledger.WorkloadUid = "uid-train"
}

// part is of a Job whose other indexes continue, with or without a limit for each.
func part(scope mulliganv1.Decision_Scope) edit {
	return func(r *mulliganv1.DecideResponse) {
		r.Decision.Scope = scope
		r.Ledger.History[len(r.Ledger.History)-1].Part = "3"
	}
}

// alive is work that its operator retries itself.
func alive(r *mulliganv1.DecideResponse) { r.Diagnosis.Situation = mulliganv1.Diagnosis_ALIVE }

func endedAt(at time.Time) edit {
	return func(r *mulliganv1.DecideResponse) { r.Diagnosis.FinishedAt = timestamppb.New(at) }
}

func fails(edits ...edit) mulligantest.Step {
	return mulligantest.Cause(mulliganv1.Cause_CONFIG_USER_ERROR, edits...)
}

// troubled is a world with a running Job and a pod in trouble.
func troubled(t *testing.T, change func(*Options), job *batchv1.Job) *world {
	w := newWorld(t, change, job)
	w.trouble(job)
	return w
}

func (w *world) trouble(job *batchv1.Job) {
	w.memory.of(client.ObjectKeyFromObject(job), job.UID, func(m *remembered) { m.troubled = w.clock.Add(-time.Minute) })
}

// answers sets the next answer, also about a failure that was asked about, because
// nothing of that was stored.
func (w *world) answers(t *testing.T, step mulligantest.Step) {
	t.Helper()
	service := mulligantest.New(t)
	service.Next(step)
	w.asker.decider = service.Client()
}

// Work that its operator retries ends only if it cannot succeed unchanged and has
// failed alike before.
func TestDoesNotOverruleOperator(t *testing.T) {
	at := time.Now().Truncate(time.Second)
	for _, test := range []struct {
		name string
		// One per look, a quarter of a minute apart.
		answers []mulligantest.Step
		change  func(*Options)
		event   string
		stops   bool
	}{
		{"an index, with a limit for each", []mulligantest.Step{fails(braked, part(mulliganv1.Decision_INDEX))}, nil, "PartFailed", false},
		{"an index, with a limit for all", []mulligantest.Step{fails(braked, part(mulliganv1.Decision_JOB))}, nil, "PartFailed", false},
		{"a pod of several", []mulligantest.Step{fails(braked, func(r *mulliganv1.DecideResponse) { r.Decision.Scope = mulliganv1.Decision_POD })}, nil, "PartFailed", false},
		{"may recover, its budget is spent", []mulligantest.Step{fails(func(r *mulliganv1.DecideResponse) { r.Diagnosis.Outlook = mulliganv1.Diagnosis_MAY_RECOVER })}, nil, "LeftToItsOperator", false},
		{"its outlook is unknown", []mulligantest.Step{fails(func(r *mulliganv1.DecideResponse) { r.Diagnosis.Outlook = mulliganv1.Diagnosis_OUTLOOK_UNKNOWN })}, nil, "LeftToItsOperator", false},
		{"ended, and its operator gives up by itself", []mulligantest.Step{fails(lasting, endedAt(at)), fails(lasting, endedAt(at.Add(time.Minute)))}, nil, "LeftToItsOperator", false},
		{"stuck with another cause before", []mulligantest.Step{mulligantest.Cause(mulliganv1.Cause_IMAGE_INVALID, lasting), fails(lasting)}, nil, "LeftToItsOperator", false},
		{"--suspend-given-up=false", []mulligantest.Step{fails(braked)}, func(o *Options) { o.Suspend = false }, "LeftToItsOperator", false},
		{"the service leaves it to its operator", []mulligantest.Step{fails(lasting, triedAgain)}, nil, "LeftToItsOperator", false},
		{"the service leaves an index to its operator", []mulligantest.Step{fails(lasting, triedAgain, endedAt(at), func(r *mulliganv1.DecideResponse) {
			r.Decision.Scope = mulliganv1.Decision_JOB
			last := r.Ledger.History[len(r.Ledger.History)-1]
			last.FailureId, last.Part, last.FinishedAt, last.RetriedBy = "of its pod", "3", r.Diagnosis.FinishedAt, mulliganv1.AttemptRecord_OPERATOR
		})}, nil, "PartFailed", false},
		{"a loop", []mulligantest.Step{fails(braked)}, nil, "Stopped", true},
		{"a budget that binds others", []mulligantest.Step{fails(braked, func(r *mulliganv1.DecideResponse) { r.Diagnosis.Outlook = mulliganv1.Diagnosis_MAY_RECOVER })}, nil, "Stopped", true},
		{"a loop, in observe", []mulligantest.Step{fails(braked)}, func(o *Options) { o.Mode = Observe }, "WouldStop", false},
		{"cannot start, and is tried again", []mulligantest.Step{mulligantest.Cause(mulliganv1.Cause_IMAGE_DENIED, lasting), mulligantest.Cause(mulliganv1.Cause_IMAGE_DENIED, lasting, func(r *mulliganv1.DecideResponse) { r.Decision.Action = mulliganv1.Decision_FAIL })}, nil, "Stopped", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			job := failedJob(running)
			w := troubled(t, test.change, job)
			for i, answer := range test.answers {
				if i > 0 {
					w.clock = w.clock.Add(15 * time.Second)
					w.trouble(job)
				}
				w.answers(t, answer)
				w.look(t)
			}
			now := w.jobs(t)["train"]
			if stopped := now.Spec.Suspend != nil && *now.Spec.Suspend; stopped != test.stops {
				t.Errorf("suspended: %v, want %v", stopped, test.stops)
			}
			if said := w.said(); !strings.Contains(said, test.event+" ") || strings.Contains(said, "stopped it") != test.stops {
				t.Errorf("Events %q, want %s", said, test.event)
			}
		})
	}
}

// Work that continues is reported once, in the words of the first look, with what another
// failure leads to.
func TestSaysWhatAnotherFailureLeadsTo(t *testing.T) {
	at := time.Now().Truncate(time.Second)
	observe := func(o *Options) { o.Mode = Observe }
	again := []edit{lasting, triedAgain}
	for name, test := range map[string]struct {
		answer []edit
		change func(*Options)
		want   string
	}{
		"in act":                   {again, nil, "; it is stopped at the next failure that cannot recover either."},
		"in observe":               {again, observe, "; mulligan-controller would stop it at the next failure that cannot recover either."},
		"--suspend-given-up=false": {again, func(o *Options) { o.Suspend = false }, "; there is no means to suspend it, or --suspend-given-up is off."},
		"without another":          {[]edit{lasting}, nil, ": its operator has not ended it yet."},
		"a budget is spent":        {nil, observe, ": its operator has not ended it yet."},
	} {
		t.Run(name, func(t *testing.T) {
			job := failedJob(running)
			w := troubled(t, test.change, job)
			for _, words := range []string{"no module", "no module; the next attempt goes on"} {
				w.trouble(job)
				w.answers(t, fails(append(test.answer, endedAt(at), func(r *mulliganv1.DecideResponse) { r.Diagnosis.Problem = words })...))
				w.look(t)
			}
			if said := w.said(); strings.Count(said, "LeftToItsOperator") != 1 || !strings.Contains(said, test.want) {
				t.Errorf("Events %q, want one with %q", said, test.want)
			}
		})
	}
}

// Work that needs more resources is stopped, and retried once none of its pods runs.
func TestRestartsWorkThatNeedsMore(t *testing.T) {
	job := failedJob(running)
	w := troubled(t, nil, job)
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "train-1", Namespace: job.Namespace, UID: "uid-pod", Labels: map[string]string{"job-name": job.Name, "batch.kubernetes.io/controller-uid": string(job.UID)},
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(job, batchv1.SchemeGroupVersion.WithKind("Job"))}},
		Status: corev1.PodStatus{Phase: corev1.PodRunning},
	}
	if err := w.client.Create(t.Context(), pod); err != nil {
		t.Fatal(err)
	}
	w.service.Next(mulligantest.Cause(mulliganv1.Cause_CONTAINER_OOM, braked, func(r *mulliganv1.DecideResponse) {
		r.Decision.Action, r.Decision.RetryAfter = mulliganv1.Decision_RETRY, nil
	}))
	w.look(t)
	if now := w.jobs(t)["train"]; now.Spec.Suspend == nil || !*now.Spec.Suspend {
		t.Fatal("it continues")
	}
	if result := w.look(t); len(w.jobs(t)) != 1 || result.RequeueAfter != untilStopped {
		t.Fatalf("%d Jobs, looked at again in %v: it was restarted while its pod runs", len(w.jobs(t)), result.RequeueAfter)
	}
	if err := w.client.Delete(t.Context(), pod); err != nil {
		t.Fatal(err)
	}
	w.look(t)
	if jobs := w.jobs(t); len(jobs) != 2 {
		t.Errorf("%d Jobs, want a next attempt", len(jobs))
	}
	for name, next := range w.jobs(t) {
		if name != "train" && next.Spec.Suspend != nil && *next.Spec.Suspend {
			t.Error("the next attempt is suspended")
		}
	}
	if said := w.said(); !strings.Contains(said, "Stopped") || !strings.Contains(said, "stopped it for that") || strings.Contains(said, "let it go on") {
		t.Errorf("Events %q", said)
	}
}

// The ledger of work that an operator retries is stored in both modes and sent with the
// next request.
func TestKeepsAccountOfOperatorRetries(t *testing.T) {
	for _, mode := range []Mode{Act, Observe} {
		t.Run(string(mode), func(t *testing.T) {
			job := failedJob(running)
			w := troubled(t, func(o *Options) { o.Mode = mode }, job)
			w.answers(t, fails(triedAgain))
			w.look(t)
			rec := w.record(t)
			if rec == nil || rec.Status.Decision != nil || rec.Status.State != records.Watched {
				t.Fatalf("the record is %+v, want an account and no decision", rec)
			}
			kept, err := rec.LedgerFor(job.UID)
			if err != nil || len(kept.GetHistory()) != 1 || kept.GetWorkloadUid() != "uid-train" {
				t.Errorf("the account is %v, %v, want one failure of uid-train", kept, err)
			}
			w.trouble(job)
			w.answers(t, fails(triedAgain, func(r *mulliganv1.DecideResponse) { r.Ledger = kept }))
			w.look(t)
			if again := w.record(t); again.ResourceVersion != rec.ResourceVersion {
				t.Error("written again though nothing changed")
			}
		})
	}
}

// Work that waits for the kubelet's next try is checked again without a change of its
// pod.
func TestChecksWorkThatCannotStartAgain(t *testing.T) {
	w := troubled(t, nil, failedJob(running))
	for _, stops := range []bool{false, true} {
		w.answers(t, mulligantest.Cause(mulliganv1.Cause_IMAGE_INVALID, lasting))
		result := w.look(t)
		now := w.jobs(t)["train"]
		if stopped := now.Spec.Suspend != nil && *now.Spec.Suspend; stopped != stops || (result.RequeueAfter > 0) == stops {
			t.Errorf("suspended: %v and looked at again in %v, want suspended: %v", stopped, result.RequeueAfter, stops)
		}
		w.clock = w.clock.Add(result.RequeueAfter)
	}
}

// Nor if nothing would come of it.
func TestStopsCheckingWorkThatCannotStart(t *testing.T) {
	for name, step := range map[string]mulligantest.Step{
		"a part":       fails(lasting, part(mulliganv1.Decision_INDEX)),
		"may recover":  fails(func(r *mulliganv1.DecideResponse) { r.Diagnosis.Outlook = mulliganv1.Diagnosis_MAY_RECOVER }),
		"has no brake": fails(lasting),
	} {
		t.Run(name, func(t *testing.T) {
			w := troubled(t, func(o *Options) { o.Suspend = name != "has no brake" }, failedJob(running))
			w.answers(t, step)
			if result := w.look(t); result.RequeueAfter != 0 {
				t.Errorf("looked at again in %v", result.RequeueAfter)
			}
		})
	}
}

// An operator writes the status of work that it restarts while it is stopped. A changed
// spec is other work.
func TestStopsTheSpecItAskedAbout(t *testing.T) {
	status := func(j *batchv1.Job) { j.Status.Failed++ }
	spec := func(j *batchv1.Job) { j.Generation++ }
	for name, test := range map[string]struct {
		asking, stopping func(*batchv1.Job)
		stops            bool
	}{
		"its status changes while it is asked about": {status, nil, true},
		"its status changes while it is stopped":     {nil, status, true},
		"its spec changes while it is asked about":   {spec, nil, false},
		"its spec changes while it is stopped":       {nil, spec, false},
	} {
		t.Run(name, func(t *testing.T) {
			job := failedJob(running)
			w := troubled(t, nil, job)
			update := func(change func(*batchv1.Job)) {
				if change == nil {
					return
				}
				now := w.jobs(t)["train"]
				change(now)
				if err := w.client.Update(t.Context(), now); err != nil {
					t.Error(err)
				}
			}
			stopping := sync.OnceFunc(func() { update(test.stopping) })
			cluster := w.client.(client.WithWatch)
			w.reconciler = w.another(interceptor.NewClient(cluster, interceptor.Funcs{
				Patch: func(ctx context.Context, c client.WithWatch, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
					if data, err := patch.Data(obj); err != nil || strings.Contains(string(data), `"suspend":true`) {
						stopping()
					}
					return c.Patch(ctx, obj, patch, opts...)
				},
			}), w.options)
			w.trouble(job)
			w.service.Next(func(r *mulliganv1.DecideRequest) (*mulliganv1.DecideResponse, error) {
				update(test.asking)
				return fails(braked)(r)
			})
			result := w.look(t)
			now := w.jobs(t)["train"]
			if stopped := now.Spec.Suspend != nil && *now.Spec.Suspend; stopped != test.stops || (result.RequeueAfter > 0) == test.stops {
				t.Errorf("suspended: %v, looked at again in %v; want %v", stopped, result.RequeueAfter, test.stops)
			}
		})
	}
}

// Work that others have stopped was not stopped by us.
func TestDoesNotGiveUpStoppedWork(t *testing.T) {
	w := troubled(t, nil, failedJob(running, func(j *batchv1.Job) { j.Spec.Suspend = ptr.To(true) }))
	w.service.Next(fails(braked))
	w.look(t)
	if said := w.said(); strings.Contains(said, "stopped it") || w.record(t).Status.Decision != nil {
		t.Errorf("Events %q, the record is %+v", said, w.record(t))
	}
}

// A changed spec is other work.
func TestChangedSpecStartsAgain(t *testing.T) {
	job := failedJob(running)
	w := troubled(t, nil, job)
	w.answers(t, fails(lasting))
	w.look(t)
	changed := w.jobs(t)["train"]
	changed.Generation++
	if err := w.client.Update(t.Context(), changed); err != nil {
		t.Fatal(err)
	}
	w.clock = w.clock.Add(time.Minute)
	w.answers(t, fails(lasting))
	w.look(t)
	if said := w.said(); strings.Contains(said, "Stopped") || w.record(t) != nil {
		t.Errorf("stopped: %s", said)
	}
}

// Work that ended by itself was not stopped.
func TestDoesNotStopEndedWork(t *testing.T) {
	w := newWorld(t, nil, failedJob())
	w.service.Next(fails(lasting))
	w.look(t)
	if said := w.said(); !strings.Contains(said, "GivenUp") || strings.Contains(said, "stopped it") || w.jobs(t)["train"].Annotations[records.Stopped] != "" {
		t.Errorf("Events %q, annotations %v", said, w.jobs(t)["train"].Annotations)
	}
}

const workloadManifest = `
apiVersion: kueue.x-k8s.io/v1beta2
kind: Workload
metadata:
  name: job-train-1a2b3
  namespace: ml
  uid: uid-workload
  generation: 1
  labels: {kueue.x-k8s.io/job-uid: uid-train}
  ownerReferences: [{apiVersion: batch/v1, kind: Job, name: train, uid: uid-train, controller: true}]
spec: {active: true}
`

// queued is a world with Kueue, a queued Job and this Workload; empty for none.
func queued(t *testing.T, workload string, refuses error) *world {
	t.Helper()
	job := failedJob(running, func(j *batchv1.Job) { j.Labels = map[string]string{successor.QueueLabel: "gpu"} })
	w := troubled(t, nil, job)
	version := schema.GroupVersion{Group: "kueue.x-k8s.io", Version: "v1beta2"}
	mapper := meta.NewDefaultRESTMapper([]schema.GroupVersion{version})
	mapper.Add(version.WithKind("Workload"), meta.RESTScopeNamespace)
	objects := []client.Object{job, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "ml"}}}
	if workload != "" {
		objects = append(objects, manifest.Object(t, workload))
	}
	cluster := likeAServer(w.ties)
	patch := cluster.Patch
	cluster.Patch = func(ctx context.Context, c client.WithWatch, obj client.Object, p client.Patch, opts ...client.PatchOption) error {
		if obj.GetObjectKind().GroupVersionKind().Kind == "Workload" && refuses != nil {
			return refuses
		}
		return patch(ctx, c, obj, p, opts...)
	}
	w.reconciler = w.another(withKueue(t, mapper, cluster, objects), w.options)
	w.trouble(job)
	return w
}

func withKueue(t *testing.T, mapper meta.RESTMapper, functions interceptor.Funcs, objects []client.Object) client.WithWatch {
	t.Helper()
	return fake.NewClientBuilder().WithScheme(testScheme(t)).WithRESTMapper(mapper).WithObjects(objects...).
		WithIndex(&records.RetryRecord{}, records.Index, records.Keys).WithInterceptorFuncs(functions).Build()
}

func (w *world) isActive(t *testing.T) bool {
	t.Helper()
	workload := manifest.Object(t, workloadManifest)
	if err := w.client.Get(t.Context(), client.ObjectKeyFromObject(workload), workload); err != nil {
		t.Fatal(err)
	}
	active, _, _ := unstructured.NestedBool(workload.Object, "spec", "active")
	return active
}

// A queue resumes jobs that others suspend.
func TestDeactivatesQueuedWork(t *testing.T) {
	w := queued(t, workloadManifest, nil)
	w.service.Next(fails(braked))
	w.look(t)
	job := w.jobs(t)["train"]
	if w.isActive(t) || job.Spec.Suspend != nil {
		t.Errorf("the Workload is active: %v; suspend is %v, want it left to the queue", w.isActive(t), job.Spec.Suspend)
	}
	const goOn = `kubectl patch workload job-train-1a2b3 -n ml --type=merge -p '{"spec":{"active":true}}'`
	if said := w.said(); !strings.Contains(said, "Stopped") || !strings.Contains(said, goOn) {
		t.Errorf("Events %q, want one with %s", said, goOn)
	}
	if again := w.look(t); again.RequeueAfter > 0 {
		t.Errorf("looked at again in %v", again.RequeueAfter)
	}
}

func TestWhatIsInAQueueIsNotGivenUpInWordsAlone(t *testing.T) {
	for name, workload := range map[string]string{
		"without a Workload":                       "",
		"a Workload of another that has its label": strings.Replace(workloadManifest, "uid: uid-train, controller", "uid: uid-another, controller", 1),
	} {
		t.Run(name, func(t *testing.T) {
			w := queued(t, workload, nil)
			w.service.Next(fails(braked))
			w.look(t)
			if said := w.said(); !strings.Contains(said, "LeftToItsOperator") || !strings.Contains(said, "It continues") || w.record(t).Status.Decision != nil {
				t.Errorf("Events %q", said)
			}
			if workload != "" && !w.isActive(t) {
				t.Error("the Workload of another was deactivated")
			}
		})
	}
	t.Run("refused", func(t *testing.T) {
		w := queued(t, workloadManifest, apierrors.NewForbidden(schema.GroupResource{Resource: "workloads"}, "job-train-1a2b3", nil))
		w.service.Next(fails(braked))
		result := w.look(t)
		if said := w.said(); !strings.Contains(said, "NotStopped It continues") || !w.isActive(t) || result.RequeueAfter <= 0 {
			t.Errorf("Events %q, looked at again in %v", said, result.RequeueAfter)
		}
	})
	t.Run("without Kueue", func(t *testing.T) {
		w := troubled(t, nil, failedJob(running, func(j *batchv1.Job) { j.Labels = map[string]string{successor.QueueLabel: "gpu"} }))
		w.service.Next(fails(braked))
		w.look(t)
		if job := w.jobs(t)["train"]; job.Spec.Suspend == nil || !*job.Spec.Suspend {
			t.Error("it continues")
		}
	})
}
