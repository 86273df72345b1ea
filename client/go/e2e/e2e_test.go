// Package e2e holds the module against the C++ server and the command line: with
// the types of k8s.io/api, through bytes and through JSON.
package e2e

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"mulligan.dev/mulligan"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/realserver"
)

var observedAt = time.Date(2026, 11, 3, 14, 0, 0, 0, time.UTC)

func dial(t *testing.T, opts ...mulligan.Option) *mulligan.Client {
	t.Helper()
	client, err := mulligan.Dial(realserver.Start(t).Address, opts...)
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

func decide(t *testing.T, client *mulligan.Client, report *mulligan.Report, ledger *mulliganv1.BudgetLedger) *mulliganv1.DecideResponse {
	t.Helper()
	request, err := report.At(observedAt).Request(ledger)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := client.Decide(context.Background(), request)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

func TestAFailedPodOfEveryFormGetsTheSameAnswer(t *testing.T) {
	client := dial(t)
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "train-0", Namespace: "ml", UID: "u-1"},
		Status:     terminated(137, "OOMKilled"),
	}
	answer := decide(t, client, mulligan.NewReport().Add(pod), nil)
	if got := answer.GetDiagnosis().GetCause(); got != mulliganv1.Cause_CONTAINER_OOM {
		t.Errorf("cause %v, want CONTAINER_OOM", got)
	}
}
