package mulligan_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"mulligan.dev/mulligan"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/mulligantest"
)

func TestAskSendsHints(t *testing.T) {
	service := mulligantest.New(t)
	service.Next(mulligantest.Cause(mulliganv1.Cause_CONTAINER_OOM), mulligantest.Cause(mulliganv1.Cause_CONTAINER_OOM))
	c, train := failingJob(t)
	hint := &mulliganv1.Hint{Source: "node-health", Cause: mulliganv1.Cause_GPU_FAULT}
	var failed error
	asker := mulligan.Asker{Service: service.Client(), Kube: c}
	asker.Hints = func(_ context.Context, _ client.Object, report *mulliganv1.FailureReport) ([]*mulliganv1.Hint, error) {
		if len(report.GetPods()) != 1 {
			t.Errorf("asked about %d pods", len(report.GetPods()))
		}
		if failed != nil {
			return nil, failed
		}
		return []*mulliganv1.Hint{hint}, nil
	}
	if _, err := asker.Ask(context.Background(), train); err != nil {
		t.Fatal(err)
	}
	failed = errors.New("the model sleeps")
	advice, err := asker.Ask(context.Background(), train)
	if err != nil || !strings.Contains(strings.Join(advice.Notes, "; "), "no hint: the model sleeps") {
		t.Errorf("%v, notes %v", err, advice.Notes)
	}
	asked := service.Requests()
	if got := asked[0].GetReport().GetHints(); len(got) != 1 || got[0].GetSource() != "node-health" {
		t.Errorf("sent %v", got)
	}
	if got := asked[1].GetReport().GetHints(); len(got) != 0 {
		t.Errorf("sent %v after an error", got)
	}
}

func TestReportHint(t *testing.T) {
	report, err := mulligan.NewReport().Add(failedPod("a")).Hint(
		&mulliganv1.Hint{Source: "a", Cause: mulliganv1.Cause_HANG}).Hint(
		&mulliganv1.Hint{Source: "b", Cause: mulliganv1.Cause_HANG}).Build()
	if err != nil || len(report.GetHints()) != 2 || report.GetHints()[1].GetSource() != "b" {
		t.Errorf("got %v, %v", report.GetHints(), err)
	}
}
