package controller

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"
	admissionv1 "k8s.io/api/admission/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"mulligan.dev/mulligan"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/controller/kinds"
	"mulligan.dev/mulligan/internal/controller/records"
	"mulligan.dev/mulligan/internal/controller/successor"
	"mulligan.dev/mulligan/internal/testing/realserver"
	"mulligan.dev/mulligan/mulligantest"
)

var (
	testWorkload = schema.GroupVersionKind{Group: "kueue.x-k8s.io", Version: "v1beta2", Kind: "Workload"}
	testCheck    = schema.GroupVersionKind{Group: "kueue.x-k8s.io", Version: "v1beta2", Kind: "AdmissionCheck"}
)

func checkOf(name, controller string) *unstructured.Unstructured {
	check := emptyOf(testCheck)
	check.SetName(name)
	check.Object["spec"] = map[string]any{"controllerName": controller}
	return check
}

// reserved is the Job's Workload that got quota at the given time, after an eviction.
func reserved(since time.Time, edits ...func(*unstructured.Unstructured)) *unstructured.Unstructured {
	at := since.UTC().Format(time.RFC3339)
	workload := emptyOf(testWorkload)
	workload.SetName("job-train")
	workload.SetNamespace("ml")
	workload.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "batch/v1", Kind: "Job", Name: "train", UID: "uid-train", Controller: ptr.To(true)}})
	workload.Object["spec"] = map[string]any{"podSets": []any{map[string]any{"name": "main", "template": map[string]any{}}}}
	workload.Object["status"] = map[string]any{
		"conditions": []any{
			map[string]any{"type": "QuotaReserved", "status": "True", "reason": "QuotaReserved", "lastTransitionTime": at},
			map[string]any{"type": "Evicted", "status": "False", "reason": "QuotaReserved", "lastTransitionTime": at},
		},
		"admissionChecks": []any{
			map[string]any{"name": "other", "state": "Pending", "message": "of another controller", "lastTransitionTime": at},
			map[string]any{"name": "retry", "state": "Pending", "message": "", "lastTransitionTime": at, "retryCount": int64(1), "requeueAfterSeconds": int64(7)},
		},
	}
	for _, edit := range edits {
		edit(workload)
	}
	return workload
}

func withCondition(kind, status, reason string, at time.Time) func(*unstructured.Unstructured) {
	return func(workload *unstructured.Unstructured) {
		status := map[string]any{"type": kind, "status": status, "reason": reason, "lastTransitionTime": at.UTC().Format(time.RFC3339)}
		conditions, _, _ := unstructured.NestedSlice(workload.Object, "status", "conditions")
		for i, entry := range conditions {
			if fieldOf(entry, "type") == kind {
				conditions = append(conditions[:i], conditions[i+1:]...)
				break
			}
		}
		_ = unstructured.SetNestedSlice(workload.Object, append(conditions, status), "status", "conditions")
	}
}

func queuedJob(edits ...func(*batchv1.Job)) *batchv1.Job {
	suspended := func(job *batchv1.Job) {
		job.Spec.Suspend = ptr.To(true)
		job.Status = batchv1.JobStatus{Conditions: []batchv1.JobCondition{{Type: batchv1.JobSuspended, Status: corev1.ConditionTrue}}}
	}
	return failedJob(append([]func(*batchv1.Job){suspended}, edits...)...)
}

// endedPod is a pod of the Job whose container ended at the given time.
func endedPod(at time.Time, edits ...func(*corev1.Pod)) *corev1.Pod {
	pod := podOf(queuedJob())
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "main", State: corev1.ContainerState{
		Terminated: &corev1.ContainerStateTerminated{ExitCode: 1, FinishedAt: metav1.NewTime(at)},
	}}}
	for _, edit := range edits {
		edit(pod)
	}
	return pod
}

// deletedAt is a pod whose deletion was asked for then, with 30 seconds of grace.
func deletedAt(at time.Time) func(*corev1.Pod) {
	return func(pod *corev1.Pod) {
		pod.DeletionTimestamp = ptr.To(metav1.NewTime(at.Add(30 * time.Second)))
		pod.DeletionGracePeriodSeconds = ptr.To(int64(30))
	}
}

func checker(w *world) *admissionCheck {
	return &admissionCheck{
		client: w.client, kinds: map[schema.GroupKind]*reconciler{jobKind.GroupVersionKind().GroupKind(): w.reconciler},
		workload: testWorkload, check: testCheck, now: func() time.Time { return w.clock },
	}
}

// answered lets the check answer, and returns its entry.
func answered(t *testing.T, w *world) (map[string]any, ctrl.Result) {
	t.Helper()
	result, err := checker(w).Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKey{Namespace: "ml", Name: "job-train"}})
	if err != nil {
		t.Fatal(err)
	}
	workload := emptyOf(testWorkload)
	if err := w.client.Get(t.Context(), client.ObjectKey{Namespace: "ml", Name: "job-train"}, workload); err != nil {
		t.Fatal(err)
	}
	entries := checksOf(workload)
	if fieldOf(entries[0], "message") != "of another controller" || fieldOf(entries[0], "state") != checkPending {
		t.Errorf("another controller's check is now %v", entries[0])
	}
	return entries[1].(map[string]any), result
}

func retryAfter(after time.Duration) func(*mulliganv1.DecideResponse) {
	return func(r *mulliganv1.DecideResponse) {
		r.Decision.Action, r.Decision.RetryAfter = mulliganv1.Decision_RETRY, durationpb.New(after)
	}
}

func TestTheAdmissionCheckSaysWhatWasDecided(t *testing.T) {
	now := time.Now().Truncate(time.Second)
	away := func(r *mulliganv1.DecideResponse) {
		retryAfter(0)(r)
		r.Decision.Placement = &mulliganv1.Placement{AvoidNodes: []*mulliganv1.AvoidNode{{Node: "n1", Hard: true, ExpiresAt: timestamppb.New(now.Add(time.Hour))}}}
	}
	ofIndex := func(r *mulliganv1.DecideResponse) { r.Decision.Scope = mulliganv1.Decision_INDEX }
	for name, test := range map[string]struct {
		step    mulligantest.Step
		state   string
		seconds int64
		placed  bool
	}{
		"a retry at once":               {mulligantest.Cause(mulliganv1.Cause_SPOT_RECLAIMED, retryAfter(0)), checkReady, 0, false},
		"a retry elsewhere":             {mulligantest.Cause(mulliganv1.Cause_SPOT_RECLAIMED, away), checkReady, 0, true},
		"a retry later":                 {mulligantest.Cause(mulliganv1.Cause_APP_ERROR, retryAfter(29500*time.Millisecond)), checkRetry, 30, false},
		"a wait":                        {mulligantest.Cause(mulliganv1.Cause_UNSCHEDULABLE), checkRetry, 60, false},
		"what cannot succeed":           {mulligantest.Cause(mulliganv1.Cause_IMAGE_INVALID), checkRejected, 0, false},
		"an index that cannot succeed":  {mulligantest.Cause(mulliganv1.Cause_IMAGE_INVALID, ofIndex), checkReady, 0, false},
		"nothing that failed after all": {mulligantest.Cause(mulliganv1.Cause_NOT_FAILED), checkReady, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, func(o *Options) { o.Webhooks = true }, queuedJob(), reserved(now), checkOf("retry", CheckController), checkOf("other", "somebody.else/check"))
			w.clock = now
			w.asker.evidence.Keep("uid-train", endedPod(now.Add(-time.Minute)))
			w.service.Next(test.step, test.step)
			entry, _ := answered(t, w)
			seconds, _ := entry["requeueAfterSeconds"].(int64)
			updates, _ := entry["podSetUpdates"].([]any)
			if entry["state"] != test.state || seconds != test.seconds || (len(updates) > 0) != test.placed || fieldOf(entry, "message") == "" {
				t.Errorf("the check is %v, want %s after %d seconds, placed: %t", entry, test.state, test.seconds, test.placed)
			}
			if entry["retryCount"] != int64(1) || entry["lastTransitionTime"] != now.UTC().Format(time.RFC3339) {
				t.Errorf("the check is %v, want Kueue's count and the time of the answer", entry)
			}
			asked := w.service.Requests()[0]
			if !asked.GetReplacesOperator() || asked.GetPurpose() != mulliganv1.DecideRequest_PREVIEW || asked.GetReport().GetJobs()[0].GetSpec().GetSuspend() {
				t.Errorf("asked as %v", asked)
			}
			rec := w.record(t)
			if test.state != checkRejected {
				if rec != nil {
					t.Errorf("a preview wrote %v", rec.Status)
				}
				return
			}
			if rec == nil || rec.Status.State != records.GivenUp || !strings.Contains(rec.Status.FirstStep, `{"spec":{"active":true}}`) || !strings.Contains(w.said(), "Stopped") {
				t.Errorf("the record is %v, want given up, with the command that lets it go on", rec)
			}
		})
	}
}

func TestTheAdmissionCheckDoesNotAskAbout(t *testing.T) {
	now := time.Now().Truncate(time.Second)
	switched := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "mulligan", Name: "mulligan-controller"}, Data: map[string]string{"paused": "true"}}
	out := func(j *batchv1.Job) { j.Annotations = map[string]string{records.Policy: "off"} }
	ofPod := func(w *unstructured.Unstructured) {
		w.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: "train", UID: "uid-train", Controller: ptr.To(true)}})
	}
	runs := endedPod(now, func(pod *corev1.Pod) { pod.Status.Phase = corev1.PodRunning })
	disrupted := endedPod(now.Add(-time.Minute), deletedAt(now.Add(-2*time.Minute)), func(pod *corev1.Pod) {
		pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue}}
	})
	for name, test := range map[string]struct {
		job      *batchv1.Job
		workload *unstructured.Unstructured
		pod      *corev1.Pod
		state    string
		asked    bool
		objects  []client.Object
	}{
		"work that has not failed":                {queuedJob(), reserved(now), nil, checkReady, false, nil},
		"a pod that did not end":                  {queuedJob(), reserved(now), runs, checkReady, false, nil},
		"a pod that the queue stopped":            {queuedJob(), reserved(now), endedPod(now.Add(-time.Minute), deletedAt(now.Add(-2*time.Minute))), checkReady, false, nil},
		"work that opted out":                     {queuedJob(out), reserved(now), endedPod(now), checkReady, false, nil},
		"a kind that it does not know":            {queuedJob(), reserved(now, ofPod), endedPod(now), checkReady, false, nil},
		"work while it is paused":                 {queuedJob(), reserved(now), endedPod(now), checkReady, false, []client.Object{switched}},
		"an evicted Workload":                     {queuedJob(), reserved(now, withCondition("Evicted", "True", "Preempted", now)), endedPod(now), checkPending, false, nil},
		"a Workload without quota":                {queuedJob(), reserved(now, withCondition("QuotaReserved", "False", "Pending", now)), endedPod(now), checkPending, false, nil},
		"but about a pod deleted after its end":   {queuedJob(), reserved(now), endedPod(now.Add(-2*time.Minute), deletedAt(now.Add(-time.Minute))), checkReady, true, nil},
		"and about one that a disruption deleted": {queuedJob(), reserved(now), disrupted, checkReady, true, nil},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, nil, append(test.objects, test.job, test.workload, checkOf("retry", CheckController))...)
			w.clock = now
			if test.pod != nil {
				w.asker.evidence.Keep("uid-train", test.pod)
			}
			w.service.Next(mulligantest.Cause(mulliganv1.Cause_SPOT_RECLAIMED, retryAfter(0)))
			entry, _ := answered(t, w)
			if asked := len(w.service.Requests()) > 0; entry["state"] != test.state || asked != test.asked {
				t.Errorf("the check is %v, asked: %t; want %s, %t", entry, asked, test.state, test.asked)
			}
		})
	}
}

// Observed work is admitted, with what would have been said.
func TestTheAdmissionCheckOnlyObserves(t *testing.T) {
	now := time.Now().Truncate(time.Second)
	w := newWorld(t, func(o *Options) { o.Mode = Observe }, queuedJob(), reserved(now), checkOf("retry", CheckController))
	w.asker.evidence.Keep("uid-train", endedPod(now))
	w.service.Next(mulligantest.Cause(mulliganv1.Cause_IMAGE_INVALID))
	if entry, _ := answered(t, w); entry["state"] != checkReady || !strings.Contains(fieldOf(entry, "message"), "only observed: IMAGE_INVALID") {
		t.Errorf("the check is %v", entry)
	}
}

// Quota is not held for longer than answerWithin for a service that is away.
func TestTheAdmissionCheckDoesNotWaitForEver(t *testing.T) {
	now := time.Now().Truncate(time.Second)
	for name, step := range map[string]mulligantest.Step{
		"away":    mulligantest.Unavailable(),
		"refuses": mulligantest.Error(codes.InvalidArgument, "no"),
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, nil, queuedJob(), reserved(now), checkOf("retry", CheckController))
			w.asker.evidence.Keep("uid-train", endedPod(now))
			w.service.Next(step, step, step, step, step, step)
			w.clock = now.Add(answerWithin - time.Second)
			if entry, result := answered(t, w); entry["state"] != checkPending || result.RequeueAfter <= 0 || result.RequeueAfter > askAgain {
				t.Errorf("the check is %v, again after %v", entry, result.RequeueAfter)
			}
			w.clock = now.Add(answerWithin)
			if entry, _ := answered(t, w); entry["state"] != checkReady || !strings.Contains(fieldOf(entry, "message"), "no answer within 30s") {
				t.Errorf("the check is %v, want Ready without an answer", entry)
			}
		})
	}
}

// Policies may be loaded between the preview and the question that counts.
func TestTheAdmissionCheckRejectsOnlyWhatIsStillGivenUp(t *testing.T) {
	now := time.Now().Truncate(time.Second)
	w := newWorld(t, nil, queuedJob(), reserved(now), checkOf("retry", CheckController))
	w.clock = now
	w.asker.evidence.Keep("uid-train", endedPod(now.Add(-time.Minute)))
	w.service.Next(mulligantest.Cause(mulliganv1.Cause_IMAGE_INVALID))
	w.asker.decider = changing{w.asker.decider}
	if entry, result := answered(t, w); entry["state"] != checkPending || result.RequeueAfter <= 0 || w.record(t) != nil {
		t.Errorf("the check is %v, again after %v, record %v", entry, result.RequeueAfter, w.record(t))
	}
}

// changing grants what it would have refused as a preview.
type changing struct {
	mulliganv1.RetryDecisionServiceClient
}

func (c changing) Decide(ctx context.Context, request *mulliganv1.DecideRequest, options ...grpc.CallOption) (*mulliganv1.DecideResponse, error) {
	answer, err := c.RetryDecisionServiceClient.Decide(ctx, request, options...)
	if err == nil && request.GetPurpose() == mulliganv1.DecideRequest_ENFORCE {
		answer.Decision.Action = mulliganv1.Decision_RETRY
	}
	return answer, err
}

// A verdict that was stored before a crash is repeated, without a question. A user who
// activates the Workload again overrules it.
func TestAGivenUpWorkloadStaysRejectedUntilItIsActivated(t *testing.T) {
	now := time.Now().Truncate(time.Second)
	w := newWorld(t, nil, queuedJob(), reserved(now), checkOf("retry", CheckController))
	w.clock = now
	w.asker.evidence.Keep("uid-train", endedPod(now.Add(-time.Minute)))
	step := mulligantest.Cause(mulliganv1.Cause_IMAGE_INVALID)
	w.service.Next(step, step)
	first, _ := answered(t, w)
	asked := len(w.service.Requests())
	again := func(edits ...func(*unstructured.Unstructured)) map[string]any {
		t.Helper()
		workload := emptyOf(testWorkload)
		if err := w.client.Get(t.Context(), client.ObjectKey{Namespace: "ml", Name: "job-train"}, workload); err != nil {
			t.Fatal(err)
		}
		workload.Object["status"] = reserved(now, edits...).Object["status"]
		if err := w.client.Status().Update(t.Context(), workload); err != nil {
			t.Fatal(err)
		}
		entry, _ := answered(t, w)
		return entry
	}
	if entry := again(); entry["state"] != checkRejected || fieldOf(entry, "message") != fieldOf(first, "message") {
		t.Errorf("after a crash the check is %v, want %v", entry, first)
	}
	if entry := again(withCondition("Requeued", "True", "Reactivated", now.Add(time.Minute))); entry["state"] != checkReady {
		t.Errorf("activated again the check is %v, want Ready", entry)
	}
	if len(w.service.Requests()) != asked {
		t.Error("it was asked about again")
	}
}

func TestAnAdmissionCheckBecomesActive(t *testing.T) {
	ours, others := checkOf("retry", CheckController), checkOf("other", "somebody.else/check")
	w := newWorld(t, nil, ours, others)
	for name, want := range map[string]bool{"retry": true, "other": false} {
		check := emptyOf(testCheck)
		for range 2 {
			if _, err := checker(w).activate(t.Context(), ctrl.Request{NamespacedName: client.ObjectKey{Name: name}}); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.client.Get(t.Context(), client.ObjectKey{Name: name}, check); err != nil {
			t.Fatal(err)
		}
		if got := meta.IsStatusConditionTrue(conditionsOf(check), "Active"); got != want {
			t.Errorf("%s is active: %t, want %t", name, got, want)
		}
	}
}

// Kueue ends a Workload whose template has an update's annotation with another value.
func TestKeepsPlacementOfTemplate(t *testing.T) {
	workload := reserved(time.Now())
	own := map[string]any{"metadata": map[string]any{"annotations": map[string]any{successor.PlacementAnnotation: "mine"}}}
	workload.Object["spec"] = map[string]any{"podSets": []any{
		map[string]any{"name": "head", "template": own}, map[string]any{"name": "workers", "template": map[string]any{}},
	}}
	updates := updatesOf(workload, &mulliganv1.Placement{OnDemand: true})
	if len(updates) != 1 || fieldOf(updates[0], "name") != "workers" {
		t.Errorf("updates %v, want one of the workers", updates)
	}
}

func TestAPodFollowsThePlacementOfItsAdmission(t *testing.T) {
	for name, test := range map[string]struct {
		annotation string
		want       string
	}{
		"a node to avoid":       {`{"avoidNodes": [{"node": "n1", "hard": true}]}`, "n1"},
		"on demand":             {`{"onDemand": true}`, "karpenter.sh/capacity-type"},
		"an expired advice":     {`{"avoidNodes": [{"node": "n1", "hard": true, "expiresAt": "2020-01-01T00:00:00Z"}]}`, ""},
		"a field of the future": {`{"sideways": true}`, ""},
		"no advice":             {`not JSON`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			pod := endedPod(time.Now())
			pod.APIVersion, pod.Kind = "v1", "Pod"
			pod.Annotations = map[string]string{successor.PlacementAnnotation: test.annotation}
			request := reviewOf(t, pod)
			response := placed(t.Context(), request)
			affinity := patchedBy(t, request, response).Spec.Affinity
			if !response.Allowed || (affinity != nil) != (test.want != "") || test.want != "" && !strings.Contains(affinity.String(), test.want) {
				t.Errorf("allowed %t, affinity %v, want %q", response.Allowed, affinity, test.want)
			}
		})
	}
}

// Whatever a webhook is sent, it counts one review, with a known result.
func TestEveryReviewIsCounted(t *testing.T) {
	w := newWorld(t, nil, atWorkJob())
	asks, _ := webhooksOf(w)
	handlers := map[string]admission.Handler{
		"verdict":   asks,
		"rules":     &rules{watched: w.client, options: w.options, matchesMessages: func() bool { return true }},
		"placement": admission.HandlerFunc(placed),
	}
	counted := func() (sum float64, series int) {
		families, err := metrics.Registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		for _, family := range families {
			if family.GetName() == "mulligan_controller_admissions_total" {
				for _, metric := range family.GetMetric() {
					sum, series = sum+metric.GetCounter().GetValue(), series+1
				}
			}
		}
		return sum, series
	}
	for webhook, handler := range handlers {
		for _, sent := range []string{
			"", "null", "{}", "[]", `{"kind": "Pod"}`, `{"kind": "Pod", "spec": []}`, `{"kind": "Pod", "spec": {}}`,
			`{"kind": "Pod", "spec": {}, "metadata": {"annotations": {"mulligan.dev/placement": "{\"onDemand\": true}"}}}`,
			`{"kind": "Pod", "spec": {"affinity": 1, "containers": {}}, "metadata": {"annotations": {"mulligan.dev/placement": "{}"}}}`,
			`{"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j"}, "spec": {"template": {}}}`,
			`{"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j", "annotations": {"mulligan.dev/policy": ""}}}`,
			`{"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": "j", "annotations": {"mulligan.dev/policy": ""}}}`,
			`{"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": "j", "annotations": {"mulligan.dev/policy": ""}}, "spec": {"failurePolicy": 1, "replicatedJobs": [1]}}`,
			`{"kind": "Pod", "spec": {}, "status": {"phase": "Failed"}}`,
		} {
			before, series := counted()
			response := handler.Handle(t.Context(), admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{
				Namespace: "ml", Object: runtime.RawExtension{Raw: []byte(sent)},
			}})
			if after, now := counted(); !response.Allowed || after != before+1 || now != series {
				t.Errorf("%s of %q: allowed %t, counted %v, new series %d", webhook, sent, response.Allowed, after-before, now-series)
			}
		}
	}
}

// patchedBy is the pod as it is created after the review.
func patchedBy(t *testing.T, request admission.Request, response admission.Response) *corev1.Pod {
	t.Helper()
	patch, err := json.Marshal(response.Patches)
	if err != nil {
		t.Fatal(err)
	}
	if len(response.Patches) > 0 {
		response.Patch = patch
	}
	return patched(t, request, response)
}

// The real service decides about a suspended object of each kind as when its pod failed,
// though its operator has begun another attempt since.
func TestASuspendedObjectIsDecidedAboutAsAtWork(t *testing.T) {
	service := realserver.Start(t).Dial(t)
	suspended := []any{map[string]any{"type": "Suspended", "status": "True", "lastTransitionTime": "2026-11-03T09:00:00Z"}}
	statuses := map[string]map[string]any{
		"RayJob":           {"jobDeploymentStatus": "Suspended"},
		"SparkApplication": {"applicationState": map[string]any{"state": "SUSPENDED"}},
		"JobSet":           {"conditions": suspended, "restarts": int64(3)},
	}
	for message, want := range map[string]mulliganv1.Decision_Action{
		"ModuleNotFoundError: No module named 'x'": mulliganv1.Decision_FAIL,
		"NVRM: Xid 79, GPU has fallen off the bus": mulliganv1.Decision_RETRY,
	} {
		for _, kind := range kinds.All {
			t.Run(kind.GroupVersionKind().Kind+" "+want.String(), func(t *testing.T) {
				obj := newObject(kind)
				obj.SetName("train")
				obj.SetNamespace("ml")
				obj.SetUID("uid-train")
				obj.Object["spec"] = map[string]any{}
				if obj.Object["status"] = statuses[obj.GetKind()]; statuses[obj.GetKind()] == nil {
					obj.Object["status"] = map[string]any{"conditions": suspended}
				}
				if field := kind.SuspendField(obj); field != nil {
					if err := unstructured.SetNestedField(obj.Object, true, field...); err != nil {
						t.Fatal(err)
					}
				}
				pod := endedPod(time.Now().Add(-time.Minute), func(pod *corev1.Pod) {
					pod.OwnerReferences[0].APIVersion, pod.OwnerReferences[0].Kind = obj.GetAPIVersion(), obj.GetKind()
					pod.Labels = map[string]string{"jobset.sigs.k8s.io/restart-attempt": "2", "jobset.sigs.k8s.io/jobset-name": "train"}
					pod.Status.ContainerStatuses[0].State.Terminated.Message = message
				})
				drained := &corev1.Event{
					ObjectMeta:     metav1.ObjectMeta{Name: "train.1", Namespace: "ml", UID: "uid-event"},
					InvolvedObject: corev1.ObjectReference{APIVersion: obj.GetAPIVersion(), Kind: obj.GetKind(), Namespace: "ml", Name: "train", UID: "uid-train"},
					Reason:         "Stopped", Message: "The ClusterQueue is stopped", LastTimestamp: metav1.Now(),
				}
				request, err := mulligan.NewReport().Add(obj, pod, drained).For(obj).With(asAtWork).Request(nil)
				if err != nil {
					t.Fatal(err)
				}
				request.ReplacesOperator = true
				answer, err := service.Decide(t.Context(), request)
				if err != nil {
					t.Fatal(err)
				}
				if got := answer.GetDecision().GetAction(); got != want || want == mulliganv1.Decision_FAIL && isOfPart(answer) {
					t.Errorf("%s, want %s of the whole; asked %v", answer.GetDecision(), want, request.GetReport())
				}
			})
		}
	}
}
