package e2e

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	corev1 "k8s.io/api/core/v1"
	"mulligan.dev/mulligan"
	"mulligan.dev/mulligan/gate"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
)

// What ends an attempt.
const (
	lostNode = "node" // with the service available
	bug      = "bug"
	// The same while the service is away: the operator decides, and counts.
	unserved = "away"
)

// A heldBackCounter is a counter that a recipe moves only for faults of the work.
type heldBackCounter struct {
	apiVersion, kind string
	// failed returns the status of the n-th attempt, counted from 1, that ended so
	// after the operator had counted that many failures.
	failed func(n int, ending string, counted int64) map[string]any
}

const nodeDied = "The actor died unexpectedly before finishing this task. The actor is dead because its node has died."

var heldBacks = []heldBackCounter{
	{"ray.io/v1", "RayJob", func(n int, ending string, counted int64) map[string]any {
		message := "ModuleNotFound: something broke"
		if ending != bug {
			message = nodeDied
		}
		return map[string]any{
			"jobId": fmt.Sprint("work-", n), "rayClusterName": fmt.Sprint("work-", n), "jobStatus": "FAILED",
			"jobDeploymentStatus": "Failed", "reason": "AppFailed", "message": message,
			"startTime": at(n), "endTime": at(n), "failed": counted,
		}
	}},
	{"sparkoperator.k8s.io/v1beta2", "SparkApplication", func(n int, ending string, counted int64) map[string]any {
		message := "driver container failed with ExitCode: 1, Reason: Error"
		if ending != bug {
			message = "driver pod not found"
		}
		return map[string]any{
			"submissionID": fmt.Sprint("submission-", n), "executionAttempts": counted + 1, "submissionAttempts": int64(1),
			"lastSubmissionAttemptTime": at(n), "terminationTime": at(n),
			"applicationState": map[string]any{"state": "FAILING", "errorMessage": message},
			"driverInfo":       map[string]any{"podName": "work-driver"},
		}
	}},
}

// at returns when the n-th attempt ended.
func at(n int) string {
	return time.Now().Add(time.Duration(n-100) * 10 * time.Minute).UTC().Format(time.RFC3339)
}

// A service that is sometimes away.
type sometimes struct {
	mulliganv1.RetryDecisionServiceClient
	away bool
}

func (s *sometimes) Decide(ctx context.Context, request *mulliganv1.DecideRequest, options ...grpc.CallOption) (*mulliganv1.DecideResponse, error) {
	if s.away {
		return nil, status.Error(codes.Unavailable, "away")
	}
	return s.RetryDecisionServiceClient.Decide(ctx, request, options...)
}

// Each failure that an operator decides alone while there is no answer becomes one
// attempt of the ledger with the next answer, although its counter misses some. Each
// question is repeated, as by an operator that is killed before it acts. The second
// time it looks like another failure, because the evidence is gone.
func TestChargesDecisionsWithoutAnswer(t *testing.T) {
	service := &sometimes{RetryDecisionServiceClient: dial(t)}
	for _, kind := range heldBacks {
		for _, endings := range []string{
			"node", "node away node", "away node", "node away away node node", "bug away bug", "node bug away node",
			"node node node away node", "away bug", "node bug node bug",
		} {
			t.Run(kind.kind+"/"+strings.ReplaceAll(endings, " ", "-"), func(t *testing.T) {
				kind.play(t, service, strings.Fields(endings))
			})
		}
	}
}

func (h heldBackCounter) play(t *testing.T, service *sometimes, endings []string) {
	work := &unstructured.Unstructured{Object: map[string]any{}}
	work.SetAPIVersion(h.apiVersion)
	work.SetKind(h.kind)
	work.SetNamespace("ml")
	work.SetName("work")
	work.SetUID("u")
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	kube := fake.NewClientBuilder().WithScheme(scheme).WithObjects(work).Build()
	g := gate.New(service, kube, kube)
	var counted int64
	for i, ending := range endings {
		service.away = ending == unserved
		var verdict gate.Verdict
		var counts []bool
		for _, looks := range []string{ending, other(ending)} {
			if err := kube.Get(t.Context(), client.ObjectKeyFromObject(work), work); err != nil {
				t.Fatal(err)
			}
			work.Object["status"] = h.failed(i+1, looks, counted)
			var err error
			if verdict, err = g.AskCounting(t.Context(), work); err != nil {
				t.Fatal(err)
			}
			counts = append(counts, verdict.Counts)
		}
		if counts[0] != counts[1] {
			t.Errorf("failure %d counts %v", i+1, counts)
		}
		if verdict.Way == gate.Native != service.away || verdict.Way == gate.Wait || verdict.Way == gate.Stop {
			t.Fatalf("failure %d: %s, %q", i+1, verdict.Way, verdict.Sentence)
		}
		if verdict.Counts || service.away {
			counted++
		}
	}
	ledger, err := mulligan.LedgerFrom(work)
	if err != nil {
		t.Fatal(err)
	}
	var charged int32
	for budget := range maps.Values(ledger.GetBudgets()) {
		charged += budget.GetUsed()
	}
	// Failures that only a counter shows never use the last of the two of
	// "unexplained". They are charged like those around them if these ended alike.
	attempts, least := int32(len(endings)), int32(len(endings))
	if away := strings.Count(strings.Join(endings, " "), unserved); away > 1 {
		least -= int32(away) - 1
	}
	if ledger.GetAttemptsSeen() != attempts || charged < least || charged > attempts {
		t.Errorf("%d attempts, %d charges, want %d and %d to %d: %v", ledger.GetAttemptsSeen(), charged, attempts, least, attempts, ledger)
	}
}

func other(ending string) string {
	if ending == bug {
		return lostNode
	}
	return bug
}
