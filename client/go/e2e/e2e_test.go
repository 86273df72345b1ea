// Package e2e tests the module against the C++ server and the command line: with the
// types of k8s.io/api, through bytes and through JSON.
package e2e

import (
	"context"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
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

func TestMarshalledPodIsUnderstood(t *testing.T) {
	client := dial(t)
	disrupted := terminated(143, "Error")
	disrupted.Conditions = []corev1.PodCondition{{
		Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: "EvictionByEvictionAPI",
		LastTransitionTime: metav1.NewTime(observedAt.Add(-2 * time.Minute)),
	}}
	for name, test := range map[string]struct {
		status corev1.PodStatus
		want   mulliganv1.Cause
	}{
		"out of memory":               {terminated(137, "OOMKilled"), mulliganv1.Cause_CONTAINER_OOM},
		"SIGTERM during a drain":      {disrupted, mulliganv1.Cause_DRAINED},
		"SIGTERM without explanation": {terminated(143, "Error"), mulliganv1.Cause_SIGTERM_UNEXPLAINED},
	} {
		t.Run(name, func(t *testing.T) {
			got := answer(t, client, request(t, mulligan.NewReport().Add(pod(test.status)), nil))
			if got.GetDiagnosis().GetCause() != test.want {
				t.Errorf("cause %v, want %v", got.GetDiagnosis().GetCause(), test.want)
			}
			if got.GetDecision().GetAction() != mulliganv1.Decision_RETRY || got.GetAccounting().GetChargedTo() == "" {
				t.Errorf("want a retry that a budget pays for, got %v", got)
			}
		})
	}
}

func TestStoredLedgerMakesARepeatedReportFree(t *testing.T) {
	client := dial(t)
	asked := request(t, mulligan.NewReport().Add(pod(terminated(1, "Error"))), nil)
	first := answer(t, client, asked)
	asked.Ledger = first.GetLedger()
	second := answer(t, client, asked)
	if !second.GetAccounting().GetDuplicate() || !proto.Equal(first.GetLedger(), second.GetLedger()) {
		t.Errorf("the repeated report was charged: %v", second.GetAccounting())
	}
	if !proto.Equal(first.GetDecision(), second.GetDecision()) {
		t.Errorf("decision changed from %v to %v", first.GetDecision(), second.GetDecision())
	}
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
