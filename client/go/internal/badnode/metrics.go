package badnode

import (
	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

// What was done.
const (
	set       = "marked"
	unmarked  = "unmarked"
	bounded   = "bounded"
	eventOnly = "event"
	refused   = "refused"
)

var (
	done = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "mulligan_controller_bad_nodes_total",
		Help: "Bad nodes by what was done: marked, unmarked, bounded (too many are), event (said alone), refused by the API server.",
	}, []string{"result"})
	current = prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "mulligan_controller_bad_nodes_marked",
		Help: "Nodes that are marked as bad.",
	})
)

func init() {
	metrics.Registry.MustRegister(done, current)
	for _, result := range []string{set, unmarked, bounded, eventOnly, refused} {
		done.WithLabelValues(result)
	}
}
