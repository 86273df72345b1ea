// Package observed adds traces and metrics to a Mulligan client with the usual
// libraries. They are outside the module, so that other users do not depend on them.
package observed

import (
	grpcprom "github.com/grpc-ecosystem/go-grpc-middleware/providers/prometheus"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc"

	"mulligan.dev/mulligan"
)

// Dial is mulligan.Dial with a span for each attempt of a call, and with
// grpc_client_handled_total and grpc_client_handling_seconds in metrics. With a
// manager, metrics is controller-runtime's metrics.Registry and traces is
// otel.GetTracerProvider().
func Dial(target string, metrics prometheus.Registerer, traces trace.TracerProvider, opts ...mulligan.Option) (*mulligan.Client, error) {
	client := grpcprom.NewClientMetrics(grpcprom.WithClientHandlingTimeHistogram())
	if err := metrics.Register(client); err != nil {
		return nil, err
	}
	return mulligan.Dial(target, append(opts, mulligan.WithDialOptions(
		grpc.WithStatsHandler(otelgrpc.NewClientHandler(otelgrpc.WithTracerProvider(traces))),
		grpc.WithChainUnaryInterceptor(client.UnaryClientInterceptor()),
	))...)
}
