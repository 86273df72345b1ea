package controller

import (
	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"mulligan.dev/mulligan"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/controller/failurerules"
	"mulligan.dev/mulligan/internal/controller/kinds"
)

var (
	decisions = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "mulligan_controller_decisions_total",
		Help: "Answers by kind of workload, action and mode.",
	}, []string{"kind", "action", "mode"})
	created = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "mulligan_controller_retries_created_total",
		Help: "Objects created for another attempt.",
	}, []string{"kind"})
	unanswered = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "mulligan_controller_unanswered_total",
		Help: "Questions without an answer, by whether to ask again.",
	}, []string{"meaning"})
	held = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "mulligan_controller_held_total",
		Help: "Looks at workloads that ended without doing anything, by why.",
	}, []string{"reason"})
	latency = prometheus.NewHistogram(prometheus.HistogramOpts{
		Name:    "mulligan_controller_decision_delay_seconds",
		Help:    "Time from the end of a workload to the answer about it.",
		Buckets: []float64{0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600},
	})
	peersBy = prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "mulligan_controller_peers",
		Help: "Controllers of other clusters, by whether they were heard lately.",
	}, []string{"state"})
	policyState = prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "mulligan_controller_retry_policies",
		Help: "RetryPolicy objects by state.",
	}, []string{"state"})
)

// ReportPolicies counts RetryPolicy objects.
func ReportPolicies(accepted, refused int) {
	policyState.WithLabelValues("accepted").Set(float64(accepted))
	policyState.WithLabelValues("refused").Set(float64(refused))
}

// All series exist from the start.
func init() {
	metrics.Registry.MustRegister(decisions, created, unanswered, held, latency, policyState, peersBy, admissions, admissionTime, checks)
	for _, kind := range kinds.All {
		name := kind.GroupVersionKind().Kind
		created.WithLabelValues(name)
		for number, action := range mulliganv1.Decision_Action_name {
			if number == 0 {
				continue
			}
			for _, mode := range []Mode{Observe, Act} {
				decisions.WithLabelValues(name, action, string(mode))
			}
		}
	}
	for _, meaning := range []mulligan.Meaning{mulligan.AskLater, mulligan.NoAnswer} {
		unanswered.WithLabelValues(meaning.String())
	}
	for _, reason := range []string{"paused", "too_old", "rate_limit", "schedule", "owner"} {
		held.WithLabelValues(reason)
	}
	for webhook, results := range map[string][]string{
		"verdict":   {string(failurerules.Retry), string(failurerules.Fail), string(failurerules.FailIndex), unchanged, left, failed},
		"rules":     {"written", unchanged, left, failed},
		"placement": {"written", failed},
	} {
		for _, result := range results {
			admissions.WithLabelValues(webhook, result)
		}
	}
	admissionTime.WithLabelValues("verdict")
	for _, result := range []string{checkReady, checkRetry, checkRejected, noFailure, left, failed} {
		checks.WithLabelValues(result)
	}
	for _, state := range []string{"accepted", "refused"} {
		policyState.WithLabelValues(state)
	}
	for _, state := range []string{"heard", "silent"} {
		peersBy.WithLabelValues(state)
	}
}
