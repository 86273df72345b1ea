package controller

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	admissionv1 "k8s.io/api/admission/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/controller/failurerules"
	"mulligan.dev/mulligan/internal/controller/records"
	"mulligan.dev/mulligan/mulligantest"
)

// asking keeps the last request.
type asking struct {
	mulliganv1.RetryDecisionServiceClient
	request *mulliganv1.DecideRequest
}

func (s *asking) Decide(ctx context.Context, request *mulliganv1.DecideRequest, options ...grpc.CallOption) (*mulliganv1.DecideResponse, error) {
	s.request = request
	return s.RetryDecisionServiceClient.Decide(ctx, request, options...)
}

func webhooksOf(w *world) (*verdicts, *asking) {
	service := &asking{RetryDecisionServiceClient: w.service.Client()}
	return &verdicts{
		watched: w.client, ties: w.ties, records: w.records, decider: service,
		recent: w.asker.recent, options: w.options, paused: w.paused,
	}, service
}

// failing is a pod of the Job as a kubelet is about to write it; the stored one runs.
func failing(conditions ...corev1.PodCondition) *corev1.Pod {
	pod := &corev1.Pod{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{
			Name: "train-0", Namespace: "ml", UID: "uid-of-train-0", Labels: map[string]string{"job-name": "train"},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "batch/v1", Kind: "Job", Name: "train", UID: failedJob().UID, Controller: new(bool)}},
		},
		Status: corev1.PodStatus{Phase: corev1.PodFailed, Conditions: conditions},
	}
	*pod.OwnerReferences[0].Controller = true
	return pod
}

func reviewOf(t *testing.T, obj any) admission.Request {
	t.Helper()
	raw, err := json.Marshal(obj)
	if err != nil {
		t.Fatal(err)
	}
	return admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{Namespace: "ml", Object: runtime.RawExtension{Raw: raw}}}
}

// patched is the pod as it is stored after the review.
func patched(t *testing.T, request admission.Request, response admission.Response) *corev1.Pod {
	t.Helper()
	if !response.Allowed {
		t.Fatalf("refused: %v", response.Result)
	}
	raw := request.Object.Raw
	if len(response.Patch) > 0 {
		patch, err := jsonpatch.DecodePatch(response.Patch)
		if err != nil {
			t.Fatal(err)
		}
		if raw, err = patch.Apply(raw); err != nil {
			t.Fatalf("%s: %v", response.Patch, err)
		}
	}
	pod := &corev1.Pod{}
	if err := json.Unmarshal(raw, pod); err != nil {
		t.Fatal(err)
	}
	return pod
}

func atWorkJob(change ...func(*batchv1.Job)) *batchv1.Job {
	return failedJob(append([]func(*batchv1.Job){running}, change...)...)
}

func stoppedBy(refusal mulliganv1.AttemptRecord_Refusal) func(*mulliganv1.DecideResponse) {
	return func(r *mulliganv1.DecideResponse) {
		r.Decision.Action, r.FailureId = mulliganv1.Decision_FAIL, "f"
		r.Ledger = &mulliganv1.BudgetLedger{History: []*mulliganv1.AttemptRecord{{FailureId: "f", RefusedBy: refusal}}}
	}
}

func TestTheVerdictIsInTheWriteThatFailsThePod(t *testing.T) {
	own := func(r *mulliganv1.DecideResponse) { r.Diagnosis.FaultDomain = mulliganv1.Diagnosis_APPLICATION }
	again := func(r *mulliganv1.DecideResponse) {
		r.Diagnosis.FaultDomain, r.Accounting.Units = mulliganv1.Diagnosis_RESOURCE_LIMIT, 0
	}
	ofIndex := func(r *mulliganv1.DecideResponse) { r.Decision.Scope = mulliganv1.Decision_INDEX }
	for name, test := range map[string]struct {
		step mulligantest.Step
		want corev1.PodConditionType
	}{
		"a disruption is not counted":           {mulligantest.Cause(mulliganv1.Cause_SPOT_RECLAIMED), failurerules.Retry},
		"a broken node is not counted":          {mulligantest.Cause(mulliganv1.Cause_NODE_LOST), failurerules.Retry},
		"what cannot pass ends the Job":         {mulligantest.Cause(mulliganv1.Cause_IMAGE_INVALID), failurerules.Fail},
		"or the index":                          {mulligantest.Cause(mulliganv1.Cause_IMAGE_INVALID, ofIndex), failurerules.FailIndex},
		"its own fault is the operator's count": {mulligantest.Cause(mulliganv1.Cause_APP_ERROR, own), ""},
		"also where no budget pays for it":      {mulligantest.Cause(mulliganv1.Cause_CONTAINER_OOM, again), ""},
		"so is what only a budget of ours ends": {mulligantest.Cause(mulliganv1.Cause_SPOT_RECLAIMED, stoppedBy(mulliganv1.AttemptRecord_BUDGET)), ""},
		"or the bound of all attempts":          {mulligantest.Cause(mulliganv1.Cause_SPOT_RECLAIMED, stoppedBy(mulliganv1.AttemptRecord_MAX_ATTEMPTS)), ""},
		"nothing failed":                        {mulligantest.Cause(mulliganv1.Cause_NOT_FAILED), ""},
		"a service that is away":                {mulligantest.Unavailable(), ""},
		"a service that refuses":                {mulligantest.Error(codes.InvalidArgument, "no"), ""},
		"a service that answers after its time": {slow, ""},
	} {
		t.Run(name, func(t *testing.T) {
			stored := failing()
			stored.Status.Phase = corev1.PodRunning
			w := newWorld(t, nil, atWorkJob(), stored)
			handler, service := webhooksOf(w)
			w.service.Next(test.step)
			request := reviewOf(t, failing(corev1.PodCondition{Type: "DisruptionTarget", Status: "True"}))
			began := time.Now()
			pod := patched(t, request, handler.Handle(t.Context(), request))
			if took := time.Since(began); took > 3*verdictWithin {
				t.Errorf("the write waited for %v", took)
			}
			conditions := pod.Status.Conditions
			if test.want == "" {
				if len(conditions) != 1 {
					t.Errorf("conditions %v, want those of the kubelet alone", conditions)
				}
				return
			}
			if len(conditions) != 2 || conditions[1].Type != test.want || conditions[1].Status != "True" || conditions[1].Reason == "" || conditions[1].Message == "" {
				t.Errorf("conditions %v, want %s with a cause and a sentence", conditions, test.want)
			}
			asked := service.request
			if pods := asked.GetReport().GetPods(); len(pods) != 1 || pods[0].GetStatus().GetPhase() != "Failed" {
				t.Errorf("asked about %v, want the pod as it is being written", pods)
			}
			if !asked.GetReplacesOperator() || asked.GetPurpose() != mulliganv1.DecideRequest_PREVIEW {
				t.Errorf("asked as %v", asked)
			}
			if w.record(t) != nil {
				t.Error("a review wrote a record")
			}
		})
	}
}

func slow(*mulliganv1.DecideRequest) (*mulliganv1.DecideResponse, error) {
	time.Sleep(2 * verdictWithin)
	return mulligantest.Cause(mulliganv1.Cause_SPOT_RECLAIMED)(&mulliganv1.DecideRequest{})
}

// Workloads that did not opt in are not asked about.
func TestNoVerdictOnWhatIsNotLookedAfter(t *testing.T) {
	out := func(j *batchv1.Job) { j.Annotations = map[string]string{records.Policy: "off"} }
	observed := func(j *batchv1.Job) { j.Annotations = map[string]string{records.Policy: "", records.Mode: "observe"} }
	switched := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "mulligan", Name: "mulligan-controller"}, Data: map[string]string{"paused": "true"}}
	stranger := failing()
	stranger.OwnerReferences[0].Kind, stranger.OwnerReferences[0].APIVersion = "ReplicaSet", "apps/v1"
	running := failing()
	running.Status.Phase = corev1.PodRunning
	for name, test := range map[string]struct {
		pod     *corev1.Pod
		objects []client.Object
		change  func(*Options)
	}{
		"opted out":        {failing(), []client.Object{atWorkJob(out)}, nil},
		"only observed":    {failing(), []client.Object{atWorkJob(observed)}, nil},
		"observing":        {failing(), []client.Object{atWorkJob()}, func(o *Options) { o.Mode = Observe }},
		"paused":           {failing(), []client.Object{atWorkJob(), switched}, nil},
		"another's pod":    {stranger, []client.Object{atWorkJob()}, nil},
		"no Job":           {failing(), nil, nil},
		"it does not fail": {running, []client.Object{atWorkJob()}, nil},
		"it has a verdict": {failing(corev1.PodCondition{Type: failurerules.Retry, Status: "True"}), []client.Object{atWorkJob()}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, test.change, test.objects...)
			handler, service := webhooksOf(w)
			request := reviewOf(t, test.pod)
			pod := patched(t, request, handler.Handle(t.Context(), request))
			if service.request != nil || len(pod.Status.Conditions) != len(test.pod.Status.Conditions) {
				t.Errorf("asked %v, conditions %v", service.request, pod.Status.Conditions)
			}
		})
	}
}

func TestRulesAreWrittenWhereTheyCanBe(t *testing.T) {
	owned := func(kind, version string) func(*batchv1.Job) {
		return func(j *batchv1.Job) {
			yes := true
			j.OwnerReferences = []metav1.OwnerReference{{APIVersion: version, Kind: kind, Name: "above", UID: "u", Controller: &yes}}
		}
	}
	onFailure := func(j *batchv1.Job) { j.Spec.Template.Spec.RestartPolicy = corev1.RestartPolicyOnFailure }
	out := func(j *batchv1.Job) { j.Annotations = map[string]string{records.Policy: "off"} }
	for name, test := range map[string]struct {
		job     *batchv1.Job
		written bool
		warning string
	}{
		"a Job":       {atWorkJob(), true, ""},
		"a CronJob's": {atWorkJob(owned("CronJob", "batch/v1")), true, ""},
		"a JobSet's":  {atWorkJob(owned("JobSet", "jobset.x-k8s.io/v1alpha2")), false, ""},
		"OnFailure":   {atWorkJob(onFailure), false, "restartPolicy is OnFailure"},
		"opted out":   {atWorkJob(out), false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, nil)
			if test.job.Spec.Template.Spec.RestartPolicy == "" {
				test.job.Spec.Template.Spec.RestartPolicy = corev1.RestartPolicyNever
			}
			test.job.TypeMeta = metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"}
			handler := &rules{watched: w.client, options: w.options, matchesMessages: func() bool { return true }}
			response := handler.Handle(t.Context(), reviewOf(t, test.job))
			if !response.Allowed || (len(response.Patches) > 0) != test.written {
				t.Errorf("allowed %t, patch %v; want it written: %t", response.Allowed, response.Patches, test.written)
			}
			if warnings := strings.Join(response.Warnings, " "); !strings.Contains(warnings, test.warning) || test.warning == "" && warnings != "" {
				t.Errorf("warnings %q, want %q", warnings, test.warning)
			}
		})
	}
}

// If the rules cannot be written, an Event says why, once.
func TestWithoutRulesAnEventSaysWhy(t *testing.T) {
	onFailure := func(j *batchv1.Job) { j.Spec.Template.Spec.RestartPolicy = corev1.RestartPolicyOnFailure }
	never := func(j *batchv1.Job) { j.Spec.Template.Spec.RestartPolicy = corev1.RestartPolicyNever }
	for name, test := range map[string]struct {
		job      *batchv1.Job
		webhooks bool
		says     string
	}{
		"OnFailure":        {atWorkJob(onFailure), true, "RulesNotWritten"},
		"Never":            {atWorkJob(never), true, ""},
		"without webhooks": {atWorkJob(onFailure), false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, func(o *Options) { o.Webhooks = test.webhooks }, test.job)
			w.look(t)
			w.look(t)
			said := w.said()
			if strings.Count(said, "RulesNotWritten") != strings.Count(test.says, "RulesNotWritten") {
				t.Errorf("said %q", said)
			}
		})
	}
}
