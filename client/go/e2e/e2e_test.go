// Package e2e tests the module against the C++ server and the command line: with the
// types of k8s.io/api, through bytes and through JSON.
package e2e

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"mulligan.dev/mulligan"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/testing/realserver"
)

var observedAt = time.Date(2026, 11, 3, 14, 0, 0, 0, time.UTC)

func dial(t *testing.T, opts ...mulligan.Option) *mulligan.Client {
	t.Helper()
	return dialTo(t, realserver.Start(t).Address, opts...)
}

func dialTo(t *testing.T, target string, opts ...mulligan.Option) *mulligan.Client {
	t.Helper()
	client, err := mulligan.Dial(target, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client
}

func terminated(code int32, reason string) corev1.PodStatus {
	end := metav1.NewTime(observedAt.Add(-time.Minute))
	return corev1.PodStatus{
		Phase: corev1.PodFailed,
		ContainerStatuses: []corev1.ContainerStatus{{
			Name:  "main",
			State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code, Reason: reason, FinishedAt: end}},
		}},
	}
}

func pod(status corev1.PodStatus) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "train-0", Namespace: "ml", UID: "u-1"}, Status: status}
}

func request(t *testing.T, report *mulligan.Report, ledger *mulliganv1.BudgetLedger) *mulliganv1.DecideRequest {
	t.Helper()
	request, err := report.At(observedAt).Request(ledger)
	if err != nil {
		t.Fatal(err)
	}
	return request
}

func TestInvalidUTF8InATerminationMessageLosesNothing(t *testing.T) {
	failed := terminated(137, "OOMKilled")
	failed.ContainerStatuses[0].State.Terminated.Message = "killed \xff\xfe here"
	got := answer(t, dial(t), request(t, mulligan.NewReport().Add(pod(failed)), nil))
	if got.GetDiagnosis().GetCause() != mulliganv1.Cause_CONTAINER_OOM {
		t.Errorf("got %v", got.GetDiagnosis())
	}
}

func TestTheServerServes(t *testing.T) {
	client := dial(t)
	if err := client.Serving(context.Background()); err != nil {
		t.Error(err)
	}
	policies, err := client.Policies().ListPolicies(context.Background(), &mulliganv1.ListPoliciesRequest{})
	if err != nil || len(policies.GetPolicies()) == 0 {
		t.Errorf("got %v, %v", policies, err)
	}
}
