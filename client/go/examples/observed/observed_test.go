package observed

import (
	"context"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"mulligan.dev/mulligan"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/mulligantest"
)

// A call that is repeated once is two spans and two calls in the metrics.
func TestEachAttemptIsSeen(t *testing.T) {
	service := mulligantest.New(t)
	service.Next(mulligantest.Unavailable())
	spans := tracetest.NewSpanRecorder()
	metrics := prometheus.NewRegistry()
	client, err := Dial("passthrough:///mulligan", metrics, trace.NewTracerProvider(trace.WithSpanProcessor(spans)),
		mulligan.WithRetryBackoff(0), mulligan.WithDialOptions(service.DialOptions()...))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if _, err := client.Decide(context.Background(), &mulliganv1.DecideRequest{Report: &mulliganv1.FailureReport{}}); err != nil {
		t.Fatal(err)
	}
	ended := spans.Ended()
	if len(ended) != 2 || ended[0].Name() != "mulligan.v1.RetryDecisionService/Decide" {
		t.Errorf("spans %v", ended)
	}
	handled := map[string]float64{}
	families, err := metrics.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() != "grpc_client_handled_total" {
			continue
		}
		for _, metric := range family.GetMetric() {
			for _, label := range metric.GetLabel() {
				if label.GetName() == "grpc_code" {
					handled[label.GetValue()] += metric.GetCounter().GetValue()
				}
			}
		}
	}
	if handled["Unavailable"] != 1 || handled["OK"] != 1 {
		t.Errorf("handled %v", handled)
	}
}
