package e2e

import (
	"context"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"k8s.io/apimachinery/pkg/types"

	"mulligan.dev/mulligan"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/testing/realserver"
)

// The rows of docs/errors.md that a server in a test can reach.
func TestEveryErrorMeansWhatTheTableSays(t *testing.T) {
	server := realserver.Start(t)
	oom := func() *mulliganv1.DecideRequest {
		return request(t, mulligan.NewReport().Add(pod(terminated(137, "OOMKilled"))), nil)
	}
	large := func(pods int) *mulliganv1.DecideRequest {
		report := mulligan.NewReport()
		for i := range pods {
			failed := pod(terminated(137, "OOMKilled"))
			failed.UID = types.UID(fmt.Sprint("u-", i))
			failed.Status.ContainerStatuses[0].State.Terminated.Message = strings.Repeat("x", 60_000)
			report.Add(failed)
		}
		return request(t, report, nil)
	}
	unknownPolicy := oom()
	unknownPolicy.PolicyChoice = &mulliganv1.DecideRequest_Policy{Policy: "nobody's"}
	foreign := oom()
	foreign.Ledger = &mulliganv1.BudgetLedger{WorkloadUid: "another"}
	for name, test := range map[string]struct {
		address string
		request *mulliganv1.DecideRequest
		code    codes.Code
		means   mulligan.Meaning
	}{
		"an empty report":              {server.Address, &mulliganv1.DecideRequest{}, codes.InvalidArgument, mulligan.NoAnswer},
		"a policy that is not loaded":  {server.Address, unknownPolicy, codes.NotFound, mulligan.NoAnswer},
		"a ledger of another workload": {server.Address, foreign, codes.FailedPrecondition, mulligan.NoAnswer},
		"a message that is too large":  {server.Address, large(80), codes.ResourceExhausted, mulligan.NoAnswer},
		"a port that is not open":      {"127.0.0.1:1", oom(), codes.Unavailable, mulligan.AskLater},
	} {
		t.Run(name, func(t *testing.T) {
			client := dialTo(t, test.address, mulligan.WithDeadline(time.Minute))
			_, err := client.Decide(context.Background(), test.request)
			if status.Code(err) != test.code || mulligan.Classify(err) != test.means {
				t.Errorf("got %v, %v, want %v, %v", err, mulligan.Classify(err), test.code, test.means)
			}
		})
	}
}

func TestAnEmptyReportNamesTheField(t *testing.T) {
	_, err := dial(t).Decide(context.Background(), &mulliganv1.DecideRequest{})
	for _, detail := range status.Convert(err).Details() {
		if bad, ok := detail.(*errdetails.BadRequest); ok {
			if field := bad.GetFieldViolations()[0].GetField(); !strings.HasPrefix(field, "report") {
				t.Errorf("field %q, want report", field)
			}
			return
		}
	}
	t.Errorf("no google.rpc.BadRequest in %v", err)
}

// One of two replicas stops under load, and no call fails.
func TestToleratesStoppedReplica(t *testing.T) {
	stays, stops := realserver.Start(t), realserver.Start(t, "--drain-delay=200ms")
	client := dialTo(t, replicas(stays.Address, stops.Address))
	asked := request(t, mulligan.NewReport().Add(pod(terminated(1, "Error"))), nil)
	for i := range 400 {
		if i == 100 {
			stops.Signal(syscall.SIGTERM)
		}
		if _, err := client.Decide(context.Background(), asked); err != nil {
			t.Fatalf("call %d: %v", i, err)
		}
		time.Sleep(time.Millisecond)
	}
}
