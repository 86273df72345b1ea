package spark

import (
	"slices"
	"testing"
	"time"

	"github.com/kubeflow/spark-operator/v2/api/v1beta2"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"mulligan.dev/mulligan"
	"mulligan.dev/mulligan/gate"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/gatetest"
	"mulligan.dev/mulligan/mulligantest"
)

const (
	failing   = v1beta2.ApplicationStateFailing
	refused   = v1beta2.ApplicationStateFailedSubmission
	onFailure = v1beta2.RestartPolicyOnFailure
	native    = "driver container failed"
)

func application(state v1beta2.ApplicationStateType) *v1beta2.SparkApplication {
	app := &v1beta2.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "etl", Name: "load", UID: "u"}}
	app.Spec.RestartPolicy.Type = onFailure
	app.Status.AppState = v1beta2.ApplicationState{State: state, ErrorMessage: native}
	app.Status.ExecutionAttempts, app.Status.SubmissionAttempts = 3, 2
	app.Status.LastSubmissionAttemptTime = metav1.Now()
	return app
}

func always(app *v1beta2.SparkApplication) { app.Spec.RestartPolicy.Type = v1beta2.RestartPolicyAlways }

// submittedBefore counts the submissions of all runs, as 2.5 does.
func submittedBefore(app *v1beta2.SparkApplication) {
	app.Status.SubmissionAttempts = app.Status.ExecutionAttempts
}

func TestDecide(t *testing.T) {
	for _, test := range []struct {
		name   string
		steps  []mulligantest.Step
		state  v1beta2.ApplicationStateType
		change func(*v1beta2.SparkApplication)
		// What was done, whether that was all, and the hold.
		done    []string
		decided bool
		hold    time.Duration
		// Attempts and message afterwards.
		runs, submissions int32
		message           string
	}{
		{"a bug, due", []mulligantest.Step{gatetest.Blames(mulliganv1.Diagnosis_APPLICATION)}, failing, nil, []string{ReasonRetries, "rerun"}, true, 0, 3, 2, native},
		{"a disruption, due", []mulligantest.Step{gatetest.Blames(mulliganv1.Diagnosis_DISRUPTION)}, failing, nil, []string{ReasonRetries, "rerun"}, true, 0, 2, 2, native},
		{"a disruption in 2.5", []mulligantest.Step{gatetest.Blames(mulliganv1.Diagnosis_DISRUPTION)}, failing, submittedBefore, []string{ReasonRetries, "rerun"}, true, 0, 2, 2, native},
		{"later", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_RETRY, time.Minute)}, failing, nil, []string{ReasonRetries, "rerun"}, true, 0, 3, 2, native},
		{"wait", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_WAIT, time.Minute)}, failing, nil, []string{ReasonWaits}, true, time.Minute, 3, 2, native},
		{"fail", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_FAIL, 0)}, failing, nil, []string{ReasonStops}, true, 0, 3, 2, gatetest.Sentence},
		{"a refused submission, due", []mulligantest.Step{gatetest.Blames(mulliganv1.Diagnosis_CONTROL_PLANE)}, refused, nil, []string{ReasonRetries, "submit"}, true, 0, 3, 1, native},
		{"a refused submission, later", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_RETRY, time.Minute)}, refused, nil, []string{ReasonRetries}, true, time.Minute, 3, 2, native},
		{"a refused submission waits", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_WAIT, time.Minute)}, refused, nil, []string{ReasonWaits}, true, time.Minute, 3, 2, native},
		{"and is tried again after it", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_WAIT, time.Minute)}, refused, func(app *v1beta2.SparkApplication) {
			app.Status.LastSubmissionAttemptTime = metav1.NewTime(time.Now().Add(-2 * time.Minute))
		}, []string{ReasonWaits, "submit"}, true, 0, 3, 1, native},
		{"a submission that cannot work", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_WAIT_FOR_SPEC_UPDATE, 0)}, refused, nil, []string{ReasonStops, "give up"}, true, 0, 3, 2, gatetest.Sentence},
		{"ignore", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_IGNORE, 0)}, failing, nil, nil, false, 0, 3, 2, native},
		{"service away", gatetest.Away(), failing, nil, nil, false, 0, 3, 2, native},
		{"always is the user's word", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_FAIL, 0)}, failing, always, nil, false, 0, 3, 2, native},
		{"of a submission, too", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_WAIT_FOR_SPEC_UPDATE, 0)}, refused, always, nil, false, 0, 3, 2, native},
		{"that goes on later", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_RETRY, time.Minute)}, failing, always, []string{ReasonRetries, "rerun"}, true, 0, 3, 2, native},
		{"never is the user's word", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_RETRY, 0)}, failing, func(app *v1beta2.SparkApplication) {
			app.Spec.RestartPolicy.Type = v1beta2.RestartPolicyNever
		}, nil, false, 0, 3, 2, native},
	} {
		t.Run(test.name, func(t *testing.T) {
			app := application(test.state)
			if test.change != nil {
				test.change(app)
			}
			g := gatetest.Open(t, app, v1beta2.AddToScheme, test.steps...)
			var done []string
			does := func(what string) func() error {
				return func() error { done = append(done, what); return nil }
			}
			decided, hold, err := Decide(t.Context(), g, app, Actions{
				Rerun: does("rerun"), Submit: does("submit"),
				GiveUp: func() { done = append(done, "give up") },
				Tell:   func(reason, _ string) { done = append(done, reason) },
			})
			if err != nil || decided != test.decided || !slices.Equal(done, test.done) {
				t.Errorf("decided %t, did %q, error %v; want %t, %q", decided, done, err, test.decided, test.done)
			}
			// A wait after a submission counts from that.
			if hold.Round(5*time.Second) != test.hold {
				t.Errorf("hold %s, want %s", hold, test.hold)
			}
			status := &app.Status
			if status.ExecutionAttempts != test.runs || status.SubmissionAttempts != test.submissions || status.AppState.ErrorMessage != test.message {
				t.Errorf("%d runs, %d submissions, %q; want %d, %d, %q", status.ExecutionAttempts, status.SubmissionAttempts, status.AppState.ErrorMessage, test.runs, test.submissions, test.message)
			}
		})
	}
}

// Work that continues by the user's policy is counted by the operator, so that the next
// answer does not charge it again.
func TestChargesRunningWorkOnce(t *testing.T) {
	app := application(failing)
	always(app)
	g := gatetest.Open(t, app, v1beta2.AddToScheme, gatetest.Says(mulliganv1.Decision_FAIL, 0))
	if decided, _, err := Decide(t.Context(), g, app, Actions{}); decided || err != nil {
		t.Fatalf("decided %t, error %v", decided, err)
	}
	ledger, err := mulligan.LedgerFrom(app)
	if err != nil || ledger.GetAttemptsSeen() == 0 || ledger.GetNativeCount() != app.Status.ExecutionAttempts {
		t.Errorf("ledger %v, error %v; want the count of all %d runs", ledger, err, app.Status.ExecutionAttempts)
	}
}

// While the question is pending, the user fixes the spec, and the operator's event
// filter writes INVALIDATING. That stays, and the operator reads it.
func TestKeepsConcurrentWrites(t *testing.T) {
	app := application(failing)
	scheme := runtime.NewScheme()
	if err := v1beta2.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	kube := fake.NewClientBuilder().WithScheme(scheme).WithObjects(app).WithStatusSubresource(app).Build()
	key := client.ObjectKeyFromObject(app)
	if err := kube.Get(t.Context(), key, app); err != nil {
		t.Fatal(err)
	}
	service := mulligantest.New(t)
	fails := gatetest.Says(mulliganv1.Decision_FAIL, 0)
	service.Next(func(request *mulliganv1.DecideRequest) (*mulliganv1.DecideResponse, error) {
		theirs := app.DeepCopy()
		theirs.Spec.Mode = v1beta2.DeployModeCluster
		if err := kube.Update(t.Context(), theirs); err != nil {
			t.Error(err)
		}
		theirs.Status.AppState.State = v1beta2.ApplicationStateInvalidating
		if err := kube.Status().Update(t.Context(), theirs); err != nil {
			t.Error(err)
		}
		return fails(request)
	})
	decided, _, err := Decide(t.Context(), gate.New(service.Client(), kube, kube), app, Actions{})
	if decided || !apierrors.IsConflict(err) {
		t.Errorf("decided %t, error %v; want a conflict", decided, err)
	}
	if err := kube.Status().Update(t.Context(), app); !apierrors.IsConflict(err) {
		t.Errorf("what was read before the question is written over what came since: %v", err)
	}
}

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

const grows = `{"history": [{"observedAt": "2026-11-23T12:00:00Z", "decision": {"action": "RETRY", "retryAfter": "30s",
	"resources": [{"resource": "memory", "factor": 1.5, "container": "spark-kubernetes-driver"}], "placement": {"onDemand": true}}}]}`

func TestHold(t *testing.T) {
	app := application(v1beta2.ApplicationStatePendingRerun)
	app.Annotations = map[string]string{mulligan.LedgerAnnotation: grows}
	app.Status.TerminationTime = metav1.NewTime(noon)
	g := gatetest.Open(t, app, v1beta2.AddToScheme)
	if got := Hold(g, app, noon); got != 30*time.Second {
		t.Errorf("held for %s, want 30s", got)
	}
	// As the operator leaves it after a change of the spec.
	app.Status.TerminationTime = metav1.Time{}
	if got := Hold(g, app, noon); got != 0 {
		t.Errorf("another spec is held for %s", got)
	}
}

func TestFollow(t *testing.T) {
	app := application(v1beta2.ApplicationStatePendingRerun)
	app.Annotations = map[string]string{mulligan.LedgerAnnotation: grows}
	app.Spec.Driver.Memory, app.Spec.Driver.MemoryOverhead = ptr.To("1g"), ptr.To("512m")
	app.Spec.Executor.Memory = ptr.To("2g")
	own := app.Spec.DeepCopy()
	notes, restore, err := Follow(gatetest.Open(t, app, v1beta2.AddToScheme), app, noon)
	if err != nil || len(notes) != 0 {
		t.Fatalf("notes %q, error %v", notes, err)
	}
	driver := app.Spec.Driver
	if *driver.Memory != "1536m" || *driver.MemoryOverhead != "768m" || *app.Spec.Executor.Memory != "2g" || driver.Affinity == nil {
		t.Errorf("driver %s + %s, affinity %v, executor %s", *driver.Memory, *driver.MemoryOverhead, driver.Affinity, *app.Spec.Executor.Memory)
	}
	if restore(); *app.Spec.Driver.Memory != *own.Driver.Memory || app.Spec.Driver.Affinity != nil {
		t.Errorf("the spec of the user is %v now", app.Spec.Driver)
	}
}

func TestNotesAdviceThatCannotBeFollowed(t *testing.T) {
	app := application(v1beta2.ApplicationStatePendingRerun)
	app.Annotations = map[string]string{mulligan.LedgerAnnotation: grows}
	if notes, _, err := Follow(gatetest.Open(t, app, v1beta2.AddToScheme), app, noon); err != nil || len(notes) != 1 {
		t.Errorf("notes %q, error %v; want one about memory", notes, err)
	}
}
