package notify

import (
	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

// Results of a message.
const (
	sent     = "sent"
	failed   = "failed"
	lost     = "lost"
	repeated = "repeated"
)

var results = []string{sent, failed, lost, repeated}

var (
	messages = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "mulligan_controller_notifications_total",
		Help: "Messages by receiver and what became of them: sent, failed after several tries, lost for want of room, repeated (not reported again).",
	}, []string{"receiver", "result"})
	waiting = prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "mulligan_controller_notifications_waiting",
		Help: "Messages that wait for their receiver.",
	}, []string{"receiver"})
)

// Announce creates a receiver's series before its first message.
func Announce(receiver string) {
	for _, result := range results {
		messages.WithLabelValues(receiver, result)
	}
	waiting.WithLabelValues(receiver)
}

func init() { metrics.Registry.MustRegister(messages, waiting) }
