// Package e2e asks a running server as a Go controller would: with the bytes
// Kubernetes' own types marshal to. scripts/test-go generates the stubs, starts
// a server and sets MULLIGAN_SERVER.
package e2e

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1pb "mulligan.dev/mulligan/gen/mulligan/kubernetes/core/v1"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
)

var observedAt = time.Date(2026, 11, 3, 14, 0, 0, 0, time.UTC)

func newClient(t *testing.T) mulliganv1.RetryDecisionServiceClient {
	t.Helper()
	address := os.Getenv("MULLIGAN_SERVER")
	if address == "" {
		t.Skip("MULLIGAN_SERVER is not set: run scripts/test-go")
	}
	connection, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close() })
	return mulliganv1.NewRetryDecisionServiceClient(connection)
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

// report takes what a controller's informer holds.
func report(t *testing.T, failed *corev1.Pod) *mulliganv1.FailureReport {
	t.Helper()
	raw, err := failed.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	pod := &corev1pb.Pod{}
	if err := proto.Unmarshal(raw, pod); err != nil {
		t.Fatal(err)
	}
	return &mulliganv1.FailureReport{Pods: []*corev1pb.Pod{pod}, ObservedAt: timestamppb.New(observedAt)}
}

func TestMarshalledPodIsUnderstood(t *testing.T) {
	client := newClient(t)
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
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "train-0", Namespace: "ml", UID: "u-1"}, Status: test.status}
			answer, err := client.Decide(context.Background(), &mulliganv1.DecideRequest{Report: report(t, pod)})
			if err != nil {
				t.Fatal(err)
			}
			if got := answer.GetDiagnosis().GetCause(); got != test.want {
				t.Errorf("cause %v, want %v", got, test.want)
			}
			if answer.GetDecision().GetAction() != mulliganv1.Decision_RETRY || answer.GetAccounting().GetChargedTo() == "" {
				t.Errorf("want a retry that a budget pays for, got %v", answer)
			}
		})
	}
}

func TestStoredLedgerMakesARepeatedReportFree(t *testing.T) {
	client := newClient(t)
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "train-0", Namespace: "ml", UID: "u-1"}, Status: terminated(1, "Error")}
	request := &mulliganv1.DecideRequest{Report: report(t, pod)}
	first, err := client.Decide(context.Background(), request)
	if err != nil {
		t.Fatal(err)
	}
	request.Ledger = first.GetLedger()
	second, err := client.Decide(context.Background(), request)
	if err != nil {
		t.Fatal(err)
	}
	if !second.GetAccounting().GetDuplicate() || !proto.Equal(first.GetLedger(), second.GetLedger()) {
		t.Errorf("the repeated report was charged: %v", second.GetAccounting())
	}
	if !proto.Equal(first.GetDecision(), second.GetDecision()) {
		t.Errorf("decision changed from %v to %v", first.GetDecision(), second.GetDecision())
	}
}

func TestInvalidUTF8InATerminationMessageLosesNothing(t *testing.T) {
	client := newClient(t)
	failed := terminated(137, "OOMKilled")
	failed.ContainerStatuses[0].State.Terminated.Message = "killed \xff\xfe here"
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "train-0"}, Status: failed}
	answer, err := client.Decide(context.Background(), &mulliganv1.DecideRequest{Report: report(t, pod)})
	if err != nil {
		t.Fatal(err)
	}
	if answer.GetDiagnosis().GetCause() != mulliganv1.Cause_CONTAINER_OOM {
		t.Errorf("got %v", answer.GetDiagnosis())
	}
}

func TestEmptyReportNamesTheField(t *testing.T) {
	client := newClient(t)
	_, err := client.Decide(context.Background(), &mulliganv1.DecideRequest{})
	refusal := status.Convert(err)
	if refusal.Code() != codes.InvalidArgument {
		t.Fatalf("got %v", err)
	}
	for _, detail := range refusal.Details() {
		if bad, ok := detail.(*errdetails.BadRequest); ok {
			if field := bad.GetFieldViolations()[0].GetField(); !strings.HasPrefix(field, "report") {
				t.Errorf("field %q, want report", field)
			}
			return
		}
	}
	t.Errorf("no google.rpc.BadRequest in %v", refusal.Details())
}
