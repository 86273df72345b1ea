package trainer

import (
	"errors"
	"testing"
	"time"

	trainerv1alpha1 "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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
		wantTold    string
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
			deleted, told := false, ""
			hold, err := Terminal(t.Context(), g, trainJob, nil, Actions{
				Restarting:   func() (bool, error) { return test.restarting, nil },
				DeleteJobSet: func() error { deleted = true; return nil },
				Tell:         func(reason, _ string) { told = reason },
			})
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if condition := meta.FindStatusCondition(trainJob.Status.Conditions, trainerv1alpha1.TrainJobFailed); condition != nil {
				got = condition.Message
			}
			if told != test.wantTold {
				t.Errorf("told %q, want %q", told, test.wantTold)
			}
			if deleted != test.wantDeleted || hold != test.wantHold || got != test.want {
				t.Errorf("deleted %t, hold %s, message %q; want %t, %s, %q", deleted, hold, got, test.wantDeleted, test.wantHold, test.want)
			}
		})
	}
}

func TestNotMade(t *testing.T) {
	for _, test := range []struct {
		name     string
		steps    []mulligantest.Step
		creation error
		wantTold string
		wantHold time.Duration
	}{
		{"retry later", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_RETRY, time.Minute)}, errors.New("webhook"), ReasonRetries, time.Minute},
		{"retry", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_RETRY, 0)}, errors.New("webhook"), ReasonRetries, 0},
		{"spec update", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_WAIT_FOR_SPEC_UPDATE, 0)}, errors.New("no runtime"), ReasonStops, 0},
		{"no Event yet", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_IGNORE, 0)}, errors.New("webhook"), "", 0},
		{"service away", gatetest.Away(), errors.New("webhook"), "", 0},
		{"made", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_RETRY, time.Minute)}, nil, "", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			trainJob := &trainerv1alpha1.TrainJob{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "train", UID: "u"}}
			g := gatetest.Open(t, trainJob, trainerv1alpha1.AddToScheme, test.steps...)
			told := ""
			hold, err := Terminal(t.Context(), g, trainJob, test.creation, Actions{Tell: func(reason, _ string) { told = reason }})
			if err != nil || told != test.wantTold || hold != test.wantHold || len(trainJob.Status.Conditions) != 0 {
				t.Errorf("told %q, hold %s, error %v, conditions %v; want %q, %s", told, hold, err, trainJob.Status.Conditions, test.wantTold, test.wantHold)
			}
		})
	}
}

func TestFollow(t *testing.T) {
	trainJob := &trainerv1alpha1.TrainJob{ObjectMeta: metav1.ObjectMeta{
		Namespace: "ml", Name: "train", UID: "u", Annotations: map[string]string{mulligan.LedgerAnnotation: `{"history": [{"decision": {"action": "RETRY",
			"resources": [{"resource": "memory", "factor": 1.5, "container": "node"}], "placement": {"onDemand": true}}}]}`},
	}}
	trainJob.Spec.Trainer = &trainerv1alpha1.Trainer{ResourcesPerNode: &corev1.ResourceRequirements{
		Limits: corev1.ResourceList{"memory": resource.MustParse("1Gi")},
	}}
	g := gatetest.Open(t, trainJob, trainerv1alpha1.AddToScheme)
	followed, notes, err := Follow(g, trainJob, time.Now())
	if err != nil || len(notes) != 0 {
		t.Fatalf("notes %q, error %v", notes, err)
	}
	if got := followed.Spec.Trainer.ResourcesPerNode.Limits.Memory().String(); got != "1536Mi" {
		t.Errorf("memory %s, want 1536Mi", got)
	}
	if overrides := followed.Spec.PodTemplateOverrides; len(overrides) != 1 || overrides[0].Spec.Affinity == nil {
		t.Errorf("overrides %v, want one with an affinity", overrides)
	}
	if len(trainJob.Spec.PodTemplateOverrides) != 0 || trainJob.Spec.Trainer.ResourcesPerNode.Limits.Memory().String() != "1Gi" {
		t.Errorf("the user's spec is %v now", trainJob.Spec)
	}
}
