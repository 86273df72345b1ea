package main

import (
	"context"
	"strings"
	"time"

	"github.com/kubeflow/spark-operator/v2/api/v1beta2"
	"github.com/kubeflow/spark-operator/v2/pkg/oracle"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/record"
	"mulligan.dev/mulligan/tests/oracle/cases"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

const defaultGrace = 10 * time.Second

var scheme = cases.Built(runtime.NewScheme(), v1beta2.AddToScheme, corev1.AddToScheme)

// submitter is a spark-submit that always succeeds.
type submitter struct{ submitted bool }

// Submit implements the operator's interface.
func (s *submitter) Submit(context.Context, *v1beta2.SparkApplication) error {
	s.submitted = true
	return nil
}

// A pass is the effect of one Reconcile.
type pass struct {
	app       *v1beta2.SparkApplication
	submitted bool
	after     time.Duration
	err       error
	// Reason of the last event about the application or its driver.
	event string
}

// A cluster is what the reconciler sees.
type cluster struct {
	client    client.Client
	submitter *submitter
	recorder  *record.FakeRecorder
	grace     time.Duration
	key       client.ObjectKey
}

func newCluster(s scene) *cluster {
	objects := []client.Object{s.app.DeepCopy()}
	for _, pod := range s.pods {
		objects = append(objects, pod.DeepCopy())
	}
	grace := s.grace
	if grace == 0 {
		grace = defaultGrace
	}
	return &cluster{
		client: fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).
			WithStatusSubresource(&v1beta2.SparkApplication{}).Build(),
		submitter: &submitter{}, recorder: record.NewFakeRecorder(100),
		grace: grace, key: client.ObjectKeyFromObject(s.app),
	}
}

func (c *cluster) reconcile() (pass, error) {
	c.submitter.submitted = false
	reconciler := oracle.NewReconciler(nil, scheme, c.client, c.recorder, nil, c.submitter,
		oracle.Options{DriverPodCreationGracePeriod: c.grace, MaxTrackedExecutorPerApp: 1000})
	result, err := reconciler.Reconcile(context.Background(), ctrl.Request{NamespacedName: c.key})
	did := pass{app: &v1beta2.SparkApplication{}, submitted: c.submitter.submitted, after: result.RequeueAfter, err: err}
	for len(c.recorder.Events) > 0 {
		// "Warning SparkDriverFailed Driver x failed"
		reason := strings.Fields(<-c.recorder.Events)[1]
		if !strings.HasPrefix(reason, "SparkExecutor") {
			did.event = reason
		}
	}
	if err := c.client.Get(context.Background(), c.key, did.app); client.IgnoreNotFound(err) != nil {
		return pass{}, err
	} else if err != nil {
		did.app = nil
	}
	return did, nil
}

// observe returns what the operator does: the state, messages and counters
// after its next pass, and, from the passes that follow at once, its decision
// about the failure.
func observe(s scene) (map[string]any, error) {
	world := newCluster(s)
	first, err := world.reconcile()
	if err != nil {
		return nil, err
	}
	if first.app == nil {
		// Its time to live is over.
		return nil, nil
	}
	status := first.app.Status
	expect := map[string]any{
		"verdict": []string{string(status.AppState.State)},
		"reason":  []string{first.event},
		"message": status.AppState.ErrorMessage,
		"counters": map[string]any{
			"executionAttempts":  status.ExecutionAttempts,
			"submissionAttempts": status.SubmissionAttempts,
		},
	}
	decided, before, err := decide(world, s.app, first)
	if err != nil {
		return nil, err
	}
	expect["action"] = []string{action(decided, s.app)}
	if terminal(decided.app) {
		// It waits for at most its time to live.
		decided.after = 0
	}
	expect["delay"] = decided.after.Seconds()
	name, used := charge(before, decided)
	expect["chargedTo"] = []string{name}
	expect["used"] = used
	return expect, nil
}

func terminal(app *v1beta2.SparkApplication) bool {
	state := app.Status.AppState.State
	return state == v1beta2.ApplicationStateFailed || state == v1beta2.ApplicationStateCompleted
}

// decide continues from a run that has just ended to the pass that decides
// about it, and returns that pass and the application before it.
func decide(world *cluster, app *v1beta2.SparkApplication, first pass) (pass, *v1beta2.SparkApplication, error) {
	switch first.app.Status.AppState.State {
	case v1beta2.ApplicationStateFailing, v1beta2.ApplicationStateSucceeding:
		if first.app.Status.AppState.State == app.Status.AppState.State {
			return first, app, nil
		}
	case v1beta2.ApplicationStateFailedSubmission:
		// Objects of the last submission are deleted first.
		if first.err == nil || !strings.Contains(first.err.Error(), "needed to be deleted") {
			return first, app, nil
		}
	default:
		return first, app, nil
	}
	second, err := world.reconcile()
	return second, first.app, err
}

// action returns what the operator does next, as in mulligan.v1.Action.
func action(decided pass, app *v1beta2.SparkApplication) string {
	state := decided.app.Status.AppState.State
	was := app.Status.AppState.State
	switch {
	case app.DeletionTimestamp != nil:
		return "IGNORE"
	case decided.err != nil && strings.Contains(decided.err.Error(), "inside the grace period"):
		return "WAIT"
	case decided.err != nil && strings.Contains(decided.err.Error(), "needed to be deleted"):
		return "RETRY"
	case decided.err != nil:
		// The same error recurs until the specification changes.
		return "WAIT_FOR_SPEC_UPDATE"
	case decided.after > 0 && (state == v1beta2.ApplicationStateFailing || state == v1beta2.ApplicationStateFailedSubmission):
		return "RETRY"
	case state == v1beta2.ApplicationStatePendingRerun, decided.submitted && was != v1beta2.ApplicationStateNew:
		return "RETRY"
	case state == v1beta2.ApplicationStateFailed:
		return "FAIL"
	}
	return "IGNORE"
}

// charge returns the budget that a failure is charged to: under OnFailure the
// number of retries that the operator compared, if any, and the attempts that
// it compared it with.
func charge(before *v1beta2.SparkApplication, decided pass) (string, int32) {
	policy := before.Spec.RestartPolicy
	if policy.Type != v1beta2.RestartPolicyOnFailure || before.DeletionTimestamp != nil {
		return "", 0
	}
	switch before.Status.AppState.State {
	case v1beta2.ApplicationStateFailing:
		if policy.OnFailureRetries != nil && decided.err == nil {
			return "onFailureRetries", before.Status.ExecutionAttempts
		}
	case v1beta2.ApplicationStateFailedSubmission:
		stuck := decided.err != nil && strings.Contains(decided.err.Error(), "invalid retry interval")
		if policy.OnSubmissionFailureRetries != nil && !stuck {
			return "onSubmissionFailureRetries", before.Status.SubmissionAttempts
		}
	}
	return "", 0
}
