package gate_test

import (
	"context"
	"os"
	"regexp"
	"testing"

	"google.golang.org/grpc"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/gatetest"
	"mulligan.dev/mulligan/mulligantest"
)

// now is a service for which a known failure looks like another one by now.
type now struct {
	mulliganv1.RetryDecisionServiceClient
	looks *mulliganv1.Diagnosis
}

func (n now) Decide(ctx context.Context, request *mulliganv1.DecideRequest, options ...grpc.CallOption) (*mulliganv1.DecideResponse, error) {
	response, err := n.RetryDecisionServiceClient.Decide(ctx, request, options...)
	if err == nil {
		response.Accounting.Duplicate, response.Accounting.Units = true, 0
		response.Diagnosis = n.looks
	}
	return response, err
}

// An operator that is killed between writing the ledger and its status counts what was
// charged: the recorded cause's row in the service's table says whose fault it is.
func TestARepeatedAnswerCountsAsItWasCharged(t *testing.T) {
	table, err := os.ReadFile("../../../policy/demystify/causes.yaml")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile(`(?m)^- \{cause: (\w+), faultDomain: (\w+)`).FindAllStringSubmatch(string(table), -1)
	if want := len(mulliganv1.Cause_name) - 1; len(rows) != want {
		t.Fatalf("%d rows, want one for each of %d causes", len(rows), want)
	}
	own := map[string]bool{"APPLICATION": true, "CONFIGURATION": true, "RESOURCE_LIMIT": true, "DEADLINE": true}
	for _, row := range rows {
		t.Run(row[1], func(t *testing.T) {
			cause := mulliganv1.Cause(mulliganv1.Cause_value[row[1]])
			looks := &mulliganv1.Diagnosis{Cause: mulliganv1.Cause_NODE_LOST, FaultDomain: mulliganv1.Diagnosis_INFRASTRUCTURE}
			if !own[row[2]] {
				looks = &mulliganv1.Diagnosis{Cause: mulliganv1.Cause_APP_ERROR, FaultDomain: mulliganv1.Diagnosis_APPLICATION}
			}
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "train", UID: "u"}}
			g := gatetest.Open(t, pod, corev1.AddToScheme, charged(cause))
			g.Asker.Service = now{g.Asker.Service, looks}
			verdict, err := g.Ask(t.Context(), pod)
			if err != nil || !verdict.Charged || verdict.Counts != own[row[2]] {
				t.Errorf("charged %t, counts %t, error %v; want %t", verdict.Charged, verdict.Counts, err, own[row[2]])
			}
		})
	}
}

// charged is an immediate retry that a budget paid, recorded with this cause.
func charged(cause mulliganv1.Cause) mulligantest.Step {
	return mulligantest.Cause(mulliganv1.Cause_UNKNOWN, func(response *mulliganv1.DecideResponse) {
		for _, record := range response.GetLedger().GetHistory() {
			record.Cause = cause
		}
	})
}
