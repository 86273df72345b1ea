package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/kubeflow/spark-operator/v2/api/v1beta2"
	"github.com/kubeflow/spark-operator/v2/pkg/oracle"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"mulligan.dev/mulligan/tests/oracle/cases"
)

// A scene is one application, its existing pods, and the operator's flag.
type scene struct {
	app  *v1beta2.SparkApplication
	pods []*corev1.Pod
	// --driver-pod-creation-grace-period; zero: not set, so 10s.
	grace time.Duration
}

// states are weighted: those in which a failure is decided are frequent.
var states = []v1beta2.ApplicationStateType{
	v1beta2.ApplicationStateNew,
	v1beta2.ApplicationStateSubmitted, v1beta2.ApplicationStateSubmitted,
	v1beta2.ApplicationStateRunning, v1beta2.ApplicationStateRunning,
	v1beta2.ApplicationStateRunning, v1beta2.ApplicationStateRunning,
	v1beta2.ApplicationStateUnknown, v1beta2.ApplicationStateUnknown,
	v1beta2.ApplicationStateFailedSubmission, v1beta2.ApplicationStateFailedSubmission,
	v1beta2.ApplicationStateFailedSubmission, v1beta2.ApplicationStateFailedSubmission,
	v1beta2.ApplicationStateFailing, v1beta2.ApplicationStateFailing,
	v1beta2.ApplicationStateFailing, v1beta2.ApplicationStateFailing,
	v1beta2.ApplicationStateSucceeding,
	v1beta2.ApplicationStatePendingRerun,
	v1beta2.ApplicationStateInvalidating,
	v1beta2.ApplicationStateCompleted,
	v1beta2.ApplicationStateFailed,
	// Not a state of this release: the operator does nothing.
	"SUSPENDED",
}

func newScene(random *rand.Rand, number int) scene {
	name := fmt.Sprintf("app-%d", number)
	app := &v1beta2.SparkApplication{
		TypeMeta: metav1.TypeMeta{APIVersion: "sparkoperator.k8s.io/v1beta2", Kind: "SparkApplication"},
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "etl", UID: types.UID("u-" + name),
			CreationTimestamp: metav1.NewTime(cases.Now.Add(-2 * time.Hour))},
		Spec: v1beta2.SparkApplicationSpec{Type: v1beta2.SparkApplicationTypeScala, SparkVersion: "3.5.5",
			RestartPolicy: restartPolicy(random)},
	}
	if cases.Chance(random, 12) {
		app.Spec.TimeToLiveSeconds = cases.Pick(random, pointer[int64](0), pointer[int64](60), pointer[int64](86400))
	}
	switch random.IntN(12) {
	case 0:
		app.Spec.Driver.PodName = pointer("named-driver")
	case 1:
		app.Spec.SparkConf = map[string]string{"spark.kubernetes.driver.pod.name": "conf-driver"}
	}
	if !cases.Chance(random, 8) {
		// Without the webhook an interval can be missing.
		if err := oracle.NewDefaulter().Default(context.Background(), app); err != nil {
			panic(err)
		}
	}
	made := scene{app: app}
	state := cases.Pick(random, states...)
	if state != v1beta2.ApplicationStateNew || cases.Chance(random, 4) {
		made.app.Status = status(random, app, state)
	}
	if cases.Chance(random, 40) {
		now := metav1.NewTime(cases.Now.Add(-5 * time.Second))
		app.DeletionTimestamp = &now
		app.Finalizers = []string{"example.com/keep"}
	}
	if cases.Chance(random, 5) {
		made.grace = cases.Pick(random, 0, time.Second, 30*time.Second, 90*time.Second, 5*time.Minute)
	}
	made.pods = pods(random, app)
	return made
}

func restartPolicy(random *rand.Rand) v1beta2.RestartPolicy {
	policy := v1beta2.RestartPolicy{
		Type: cases.Pick(random, "", v1beta2.RestartPolicyNever, v1beta2.RestartPolicyAlways,
			v1beta2.RestartPolicyOnFailure, v1beta2.RestartPolicyOnFailure, v1beta2.RestartPolicyOnFailure,
			v1beta2.RestartPolicyOnFailure, v1beta2.RestartPolicyOnFailure),
	}
	retries := func() *int32 {
		if cases.Chance(random, 5) {
			return nil
		}
		return pointer(cases.Pick[int32](random, 0, 1, 2, 3, 3, 5, 10, math.MaxInt32))
	}
	interval := func() *int64 {
		if cases.Chance(random, 4) {
			return nil
		}
		return pointer(cases.Pick[int64](random, 1, 5, 10, 10, 60, 100, 3600, 1<<33, 1<<34+7, 1<<40+3))
	}
	policy.OnFailureRetries, policy.OnSubmissionFailureRetries = retries(), retries()
	policy.OnFailureRetryInterval, policy.OnSubmissionFailureRetryInterval = interval(), interval()
	return policy
}

func status(random *rand.Rand, app *v1beta2.SparkApplication, state v1beta2.ApplicationStateType) v1beta2.SparkApplicationStatus {
	attempts := func() int32 { return cases.Pick[int32](random, 0, 1, 1, 1, 2, 2, 3, 4, 5, 6, 11) }
	made := v1beta2.SparkApplicationStatus{
		SubmissionID:       "s-" + app.Name,
		SparkApplicationID: "spark-0123",
		ExecutionAttempts:  attempts(),
		SubmissionAttempts: attempts(),
		AppState: v1beta2.ApplicationState{State: state, ErrorMessage: cases.Pick(random, "", "", "",
			"driver pod not found", "driver container failed with ExitCode: 1, Reason: Error",
			"failed to submit spark application: failed to run spark-submit: exit status 1\nüber")},
	}
	if !cases.Chance(random, 15) {
		made.LastSubmissionAttemptTime = metav1.NewTime(cases.Now.Add(-cases.Pick(random, 0, time.Second, 4*time.Second,
			5*time.Second, 9*time.Second, 10*time.Second, 11*time.Second, 15*time.Second, 20*time.Second,
			30*time.Second, 31*time.Second, 100*time.Second, 5*time.Minute, time.Hour, 36*time.Hour, -20*time.Second)))
	}
	if !cases.Chance(random, 20) {
		made.DriverInfo.PodName = driverName(app)
	}
	if cases.Chance(random, 2) {
		made.TerminationTime = metav1.NewTime(cases.Now.Add(-cases.Pick(random, time.Second, 40*time.Second, 2*time.Hour)))
	}
	for i := range random.IntN(3) {
		if made.ExecutorState == nil {
			made.ExecutorState = map[string]v1beta2.ExecutorState{}
		}
		made.ExecutorState[fmt.Sprintf("%s-exec-%d", app.Name, i+1)] =
			cases.Pick(random, v1beta2.ExecutorStateRunning, v1beta2.ExecutorStateFailed, v1beta2.ExecutorStatePending)
	}
	return made
}

// driverName returns the operator's name of the driver pod.
func driverName(app *v1beta2.SparkApplication) string {
	if app.Spec.Driver.PodName != nil {
		return *app.Spec.Driver.PodName
	}
	if name := app.Spec.SparkConf["spark.kubernetes.driver.pod.name"]; name != "" {
		return name
	}
	return app.Name + "-driver"
}

func pointer[T any](value T) *T { return &value }

// request returns the scene as a DecideRequest.
func (s scene) request(number int) map[string]any {
	report := map[string]any{"sparkApplication": cases.Object(s.app)}
	if pods := cases.Objects(s.pods); pods != nil {
		report["pods"] = pods
	}
	semantics := map[string]any{}
	if s.grace != 0 {
		semantics["settings"] = map[string]any{"spark.driver-pod-creation-grace-period": s.grace.String()}
	}
	return cases.Compared(number, report, semantics)
}
