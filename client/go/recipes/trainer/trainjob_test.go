package trainer

import (
	"errors"
	"testing"
	"time"

	trainerv1alpha1 "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
	"google.golang.org/protobuf/types/known/durationpb"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"mulligan.dev/mulligan"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/gatetest"
	"mulligan.dev/mulligan/mulligantest"
)

func TestTerminal(t *testing.T) {
	const native = "jobset failed"
	for _, test := range []struct {
		name        string
		steps       []mulligantest.Step
		off         bool
		condition   metav1.ConditionStatus
		restarting  bool
		wantDeleted bool
		wantEvent   string
		wantHold    time.Duration
		// Message of the condition Failed in memory.
		want string
	}{
		{"retry", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_RETRY, 0)}, false, metav1.ConditionTrue, false, true, ReasonRetries, time.Second, native},
		{"retry later", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_RETRY, time.Minute)}, false, metav1.ConditionTrue, false, false, ReasonRetries, time.Minute, native},
		{"wait", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_WAIT, time.Minute)}, false, metav1.ConditionTrue, false, false, ReasonWaits, time.Minute, native},
		{"spec update", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_WAIT_FOR_SPEC_UPDATE, 0)}, false, metav1.ConditionTrue, false, false, ReasonStops, 0, gatetest.Sentence},
		{"not asked while the JobSet goes", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_IGNORE, 0)}, false, metav1.ConditionTrue, true, false, "", time.Second, native},
		{"ignore", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_IGNORE, 0)}, false, metav1.ConditionTrue, false, false, "", 0, native},
		{"service away", gatetest.Away(), false, metav1.ConditionTrue, false, false, "", 0, native},
		{"flag off", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_RETRY, 0)}, true, metav1.ConditionTrue, true, false, "", 0, native},
		{"not failed", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_RETRY, 0)}, false, metav1.ConditionFalse, false, false, "", 0, native},
	} {
		t.Run(test.name, func(t *testing.T) {
			trainJob := &trainerv1alpha1.TrainJob{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "train", UID: "u"}}
			trainJob.Status.Conditions = []metav1.Condition{{Type: trainerv1alpha1.TrainJobFailed, Status: test.condition, Reason: "Failed", Message: native}}
			g := gatetest.Open(t, trainJob, trainerv1alpha1.AddToScheme, test.steps...)
			g.Enabled = !test.off
			deleted, event := false, ""
			hold, err := Terminal(t.Context(), g, trainJob, &trainerv1alpha1.TrainJobStatus{}, nil, Actions{
				Restarting:   func() (bool, error) { return test.restarting, nil },
				DeleteJobSet: func() error { deleted = true; return nil },
				Tell:         func(reason, _ string) { event = reason },
			})
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if condition := meta.FindStatusCondition(trainJob.Status.Conditions, trainerv1alpha1.TrainJobFailed); condition != nil {
				got = condition.Message
			}
			if event != test.wantEvent {
				t.Errorf("event %q, want %q", event, test.wantEvent)
			}
			if deleted != test.wantDeleted || hold != test.wantHold || got != test.want {
				t.Errorf("deleted %t, hold %s, message %q; want %t, %s, %q", deleted, hold, got, test.wantDeleted, test.wantHold, test.want)
			}
		})
	}
}

func TestNotMade(t *testing.T) {
	for _, test := range []struct {
		name      string
		steps     []mulligantest.Step
		creation  error
		wantEvent string
		wantHold  time.Duration
	}{
		{"retry later", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_RETRY, time.Minute)}, errors.New("webhook"), ReasonRetries, time.Minute},
		{"retry", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_RETRY, 0)}, errors.New("webhook"), ReasonRetries, 0},
		{"spec update", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_WAIT_FOR_SPEC_UPDATE, 0)}, errors.New("no runtime"), ReasonStops, 0},
		{"no Event yet", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_IGNORE, 0)}, errors.New("webhook"), "", 0},
		{"nothing has failed", []mulligantest.Step{mulligantest.Cause(mulliganv1.Cause_NOT_FAILED, func(answer *mulliganv1.DecideResponse) {
			answer.Decision = &mulliganv1.Decision{Action: mulliganv1.Decision_WAIT, Scope: mulliganv1.Decision_WORKLOAD, RetryAfter: durationpb.New(10 * time.Minute)}
		})}, errors.New("JobSet not found"), "", 0},
		{"service away", gatetest.Away(), errors.New("webhook"), "", 0},
		{"made", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_RETRY, time.Minute)}, nil, "", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			trainJob := &trainerv1alpha1.TrainJob{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "train", UID: "u"}}
			g := gatetest.Open(t, trainJob, trainerv1alpha1.AddToScheme, test.steps...)
			event := ""
			hold, err := Terminal(t.Context(), g, trainJob, &trainerv1alpha1.TrainJobStatus{}, test.creation, Actions{Tell: func(reason, _ string) { event = reason }})
			if err != nil || event != test.wantEvent || hold != test.wantHold || len(trainJob.Status.Conditions) != 0 {
				t.Errorf("event %q, hold %s, error %v, conditions %v; want %q, %s", event, hold, err, trainJob.Status.Conditions, test.wantEvent, test.wantHold)
			}
		})
	}
}

func TestFailedIsFinal(t *testing.T) {
	at := metav1.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	failed := func(reason, message string, at metav1.Time) metav1.Condition {
		return metav1.Condition{Type: trainerv1alpha1.TrainJobFailed, Status: metav1.ConditionTrue, Reason: reason, Message: message, LastTransitionTime: at}
	}
	taken := failed("FailedJobs", "jobset failed", at)
	for _, test := range []struct {
		name   string
		stored metav1.Condition
		want   string
		asked  bool
	}{
		{"as it was given up", failed("FailedJobs", "no module", at), "no module", false},
		{"as it failed before there was anybody to ask", taken, "jobset failed", false},
		{"another JobSet", failed("FailedJobs", "no module", metav1.NewTime(at.Add(-time.Minute))), gatetest.Sentence, true},
		{"another reason", failed("RuntimeNotSupported", "no runtime", at), gatetest.Sentence, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			trainJob := &trainerv1alpha1.TrainJob{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "train", UID: "u"}}
			trainJob.Status.Conditions = []metav1.Condition{taken}
			g := gatetest.Open(t, trainJob, trainerv1alpha1.AddToScheme, gatetest.Says(mulliganv1.Decision_FAIL, 0))
			event := false
			hold, err := Terminal(t.Context(), g, trainJob, &trainerv1alpha1.TrainJobStatus{Conditions: []metav1.Condition{test.stored}}, nil, Actions{
				Restarting: func() (bool, error) { return false, nil },
				Tell:       func(string, string) { event = true },
			})
			got := trainJob.Status.Conditions[0].Message
			if err != nil || hold != 0 || got != test.want || event != test.asked {
				t.Errorf("hold %s, error %v, message %q, event %t; want %q, %t", hold, err, got, event, test.want, test.asked)
			}
		})
	}
}

func TestDeletionThatFails(t *testing.T) {
	forbidden := apierrors.NewForbidden(schema.GroupResource{Group: "jobset.x-k8s.io", Resource: "jobsets"}, "train", errors.New("no right"))
	for _, test := range []struct {
		name      string
		deletion  error
		wantHold  time.Duration
		wantErr   error
		wantEvent string
	}{
		{"without the right it is Failed", forbidden, 0, nil, ReasonStops},
		{"else it is tried again", errTimeout, time.Second, errTimeout, ReasonRetries},
	} {
		t.Run(test.name, func(t *testing.T) {
			trainJob := &trainerv1alpha1.TrainJob{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "train", UID: "u"}}
			trainJob.Status.Conditions = []metav1.Condition{{Type: trainerv1alpha1.TrainJobFailed, Status: metav1.ConditionTrue, Reason: "FailedJobs", Message: "jobset failed"}}
			g := gatetest.Open(t, trainJob, trainerv1alpha1.AddToScheme, gatetest.Says(mulliganv1.Decision_RETRY, 0))
			event := ""
			hold, err := Terminal(t.Context(), g, trainJob, &trainerv1alpha1.TrainJobStatus{}, nil, Actions{
				Restarting:   func() (bool, error) { return false, nil },
				DeleteJobSet: func() error { return test.deletion },
				Tell:         func(reason, _ string) { event = reason },
			})
			if hold != test.wantHold || !errors.Is(err, test.wantErr) || event != test.wantEvent {
				t.Errorf("hold %s, error %v, event %q; want %s, %v, %q", hold, err, event, test.wantHold, test.wantErr, test.wantEvent)
			}
			if !meta.IsStatusConditionTrue(trainJob.Status.Conditions, trainerv1alpha1.TrainJobFailed) {
				t.Errorf("conditions %v, want Failed", trainJob.Status.Conditions)
			}
		})
	}
}

var errTimeout = errors.New("timed out")

func TestFollow(t *testing.T) {
	trainJob := &trainerv1alpha1.TrainJob{ObjectMeta: metav1.ObjectMeta{
		Namespace: "ml", Name: "train", UID: "u", Annotations: map[string]string{mulligan.LedgerAnnotation: `{"history": [{"decision": {"action": "RETRY",
			"resources": [{"resource": "memory", "factor": 1.5, "container": "node"}], "placement": {"onDemand": true}}}]}`},
	}}
	trainJob.Spec.Trainer = &trainerv1alpha1.Trainer{ResourcesPerNode: &corev1.ResourceRequirements{
		Limits: corev1.ResourceList{"memory": resource.MustParse("1Gi")},
	}}
	g := gatetest.Open(t, trainJob, trainerv1alpha1.AddToScheme)
	followed, notes, err := Follow(g, trainJob, time.Time{}, time.Now())
	if err != nil || len(notes) != 0 {
		t.Fatalf("notes %q, error %v", notes, err)
	}
	if got := followed.Spec.Trainer.ResourcesPerNode.Limits.Memory().String(); got != "1536Mi" {
		t.Errorf("memory %s, want 1536Mi", got)
	}
	if patches := followed.Spec.RuntimePatches; len(patches) != 1 ||
		patches[0].TrainingRuntimeSpec.Template.Spec.ReplicatedJobs[0].Template.Spec.Template.Spec.Affinity == nil {
		t.Errorf("patches %v, want one with an affinity", patches)
	}
	if len(trainJob.Spec.RuntimePatches) != 0 || trainJob.Spec.Trainer.ResourcesPerNode.Limits.Memory().String() != "1Gi" {
		t.Errorf("the user's spec is %v now", trainJob.Spec)
	}
}

// An annotation that anyone can write must not keep a TrainJob from being made or
// suspended.
func TestInvalidLedgerIsNoted(t *testing.T) {
	for name, made := range map[string]time.Time{"not made": {}, "made": time.Now()} {
		t.Run(name, func(t *testing.T) {
			trainJob := &trainerv1alpha1.TrainJob{ObjectMeta: metav1.ObjectMeta{
				Namespace: "ml", Name: "train", UID: "u", Annotations: map[string]string{mulligan.LedgerAnnotation: "oops"},
			}}
			g := gatetest.Open(t, trainJob, trainerv1alpha1.AddToScheme)
			followed, notes, err := Follow(g, trainJob, made, time.Now())
			if err != nil || followed == nil || len(notes) != 1 {
				t.Errorf("followed %v, notes %q, error %v; want one note", followed, notes, err)
			}
		})
	}
}

func TestFollowWhatTheJobSetWasMadeFrom(t *testing.T) {
	const history = `{"history": [
		{"observedAt": "2026-11-23T12:00:00.9Z", "decision": {"action": "RETRY", "resources": [{"resource": "memory", "factor": 1.5, "container": "node"}]}},
		{"observedAt": "2026-11-23T13:00:00Z", "decision": {"action": "RETRY", "resources": [{"resource": "memory", "factor": 2, "container": "node"}]}}]}`
	noon := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		name string
		made time.Time
		want string
	}{
		{"the first, before any advice", noon.Add(-time.Second), "1Gi"},
		{"the second, within the second", noon, "1536Mi"},
		{"the second, later", noon.Add(time.Minute), "1536Mi"},
		{"the third", noon.Add(2 * time.Hour), "2Gi"},
		{"none yet", time.Time{}, "2Gi"},
	} {
		t.Run(test.name, func(t *testing.T) {
			trainJob := &trainerv1alpha1.TrainJob{ObjectMeta: metav1.ObjectMeta{
				Namespace: "ml", Name: "train", UID: "u", Annotations: map[string]string{mulligan.LedgerAnnotation: history},
			}}
			trainJob.Spec.Trainer = &trainerv1alpha1.Trainer{ResourcesPerNode: &corev1.ResourceRequirements{
				Limits: corev1.ResourceList{"memory": resource.MustParse("1Gi")},
			}}
			g := gatetest.Open(t, trainJob, trainerv1alpha1.AddToScheme)
			followed, _, err := Follow(g, trainJob, test.made, time.Now())
			if err != nil {
				t.Fatal(err)
			}
			if got := followed.Spec.Trainer.ResourcesPerNode.Limits.Memory().String(); got != test.want {
				t.Errorf("memory %s, want %s", got, test.want)
			}
			if trainJob.Annotations[mulligan.LedgerAnnotation] != history {
				t.Errorf("the ledger is %s now", trainJob.Annotations[mulligan.LedgerAnnotation])
			}
		})
	}
}
