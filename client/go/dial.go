package mulligan

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/resolver"

	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
)

const (
	// DefaultDeadline bounds a call with its retry, unless the call's context has an
	// earlier deadline.
	DefaultDeadline = 5 * time.Second
	// A batch of 1,000 may need some MiB.
	maxResponseBytes = 64 << 20
	// Uses all replicas behind a headless Service.
	serviceConfig = `{"loadBalancingConfig": [{"round_robin": {}}]}`
)

// Client asks a Mulligan service. Its methods are the generated client's, with the
// deadline and retry of [Dial]. It is safe for concurrent use; a process needs only
// one.
type Client struct {
	mulliganv1.RetryDecisionServiceClient
	policies mulliganv1.PolicyServiceClient
	health   healthv1.HealthClient
	close    func() error
}

// Policies returns the client for the policies that the service has loaded.
func (c *Client) Policies() mulliganv1.PolicyServiceClient { return c.policies }

// Serving returns nil if the service says that it serves.
func (c *Client) Serving(ctx context.Context) error {
	answer, err := c.health.Check(ctx, &healthv1.HealthCheckRequest{})
	if err != nil {
		return err
	}
	if status := answer.GetStatus(); status != healthv1.HealthCheckResponse_SERVING {
		return fmt.Errorf("mulligan: the service is %v", status)
	}
	return nil
}

// Close closes the connections of [Dial].
func (c *Client) Close() error { return c.close() }

// An Option of [Dial].
type Option func(*options)

type options struct {
	deadline time.Duration
	backoff  time.Duration
	tls      *TLSFiles
	names    TLSNames
	// Whether any call was answered.
	answered atomic.Bool
	dial     []grpc.DialOption
}

// WithDeadline bounds a call with its retry. It must be positive; an earlier deadline
// of the call's context wins. Default: [DefaultDeadline].
func WithDeadline(deadline time.Duration) Option {
	return func(o *options) { o.deadline = deadline }
}

// WithRetryBackoff sets the pause before the retry. It varies by up to half, so that
// the callers of a restarted server do not return together. Default: 200 ms.
func WithRetryBackoff(pause time.Duration) Option {
	return func(o *options) { o.backoff = pause }
}

// WithTLS uses TLS, mutual if files has a certificate. Without it calls are in
// plaintext.
func WithTLS(files TLSFiles) Option {
	return func(o *options) { o.tls = &files }
}

// WithDialOptions passes gRPC's own options, such as the stats handler of OpenTelemetry
// (otelgrpc.NewClientHandler) or the Prometheus interceptors of go-grpc-middleware.
// Interceptors see each attempt of a call.
func WithDialOptions(more ...grpc.DialOption) Option {
	return func(o *options) { o.dial = append(o.dial, more...) }
}

// Dial returns a client of the service at target, "host:port" or any gRPC target. With
// a headless Service, "dns:///mulligan.mulligan:8980", calls go to all replicas in
// turn. It begins to connect in the background.
//
// A call that ends with UNAVAILABLE is repeated once if the deadline allows, because a
// stopping server answers so and another replica may not. So is a call that an
// overloaded server refused, but not before the time that it asks for
// (google.rpc.RetryInfo). This is safe: a failure is charged exactly once, however
// often it is reported. Other errors are returned at once; [Classify] says what they
// mean.
func Dial(target string, opts ...Option) (*Client, error) {
	o := &options{deadline: DefaultDeadline, backoff: 200 * time.Millisecond, names: fieldNames}
	for _, apply := range opts {
		apply(o)
	}
	if !isTarget(target) {
		return nil, fmt.Errorf("mulligan: target %q is not valid, expected HOST:PORT or dns:///HOST:PORT", target)
	}
	if o.deadline <= 0 {
		return nil, fmt.Errorf("mulligan: deadline %v is not valid, expected a positive duration", o.deadline)
	}
	if o.backoff < 0 {
		return nil, fmt.Errorf("mulligan: retry backoff %v is not valid, expected zero or a positive duration", o.backoff)
	}
	transport, err := o.transport()
	if err != nil {
		return nil, err
	}
	connection, err := grpc.NewClient(target, append([]grpc.DialOption{
		grpc.WithTransportCredentials(transport),
		grpc.WithDefaultServiceConfig(serviceConfig),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxResponseBytes)),
		grpc.WithConnectParams(reconnect),
		grpc.WithChainUnaryInterceptor(o.nameMistakes, o.repeat),
	}, o.dial...)...)
	if err != nil {
		return nil, fmt.Errorf("mulligan: target %q: %w", target, err)
	}
	// Connects before the first call, whose deadline a handshake could use up.
	connection.Connect()
	client := NewClient(connection)
	client.close = connection.Close
	return client, nil
}

// isTarget refuses targets that gRPC accepts but waits for in vain: a URL, and a host
// without a port, for which it uses port 443.
func isTarget(target string) bool {
	scheme, _, _ := strings.Cut(target, ":")
	if strings.Contains(target, ":///") || resolver.Get(scheme) != nil {
		return true
	}
	_, port, err := net.SplitHostPort(target)
	return err == nil && port != "" && !strings.Contains(port, "/")
}

// NewClient returns a client on an existing connection. Like the generated client, it
// adds no deadline and no retry.
func NewClient(connection grpc.ClientConnInterface) *Client {
	return &Client{
		RetryDecisionServiceClient: mulliganv1.NewRetryDecisionServiceClient(connection),
		policies:                   mulliganv1.NewPolicyServiceClient(connection),
		health:                     healthv1.NewHealthClient(connection),
		close:                      func() error { return nil },
	}
}

// By default gRPC waits a second, longer than our backoff.
var reconnect = grpc.ConnectParams{
	Backoff: backoff.Config{
		BaseDelay: 50 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: 5 * time.Second,
	},
	MinConnectTimeout: 5 * time.Second,
}

func (o *options) transport() (credentials.TransportCredentials, error) {
	if o.tls == nil {
		return insecure.NewCredentials(), nil
	}
	return o.tls.credentials(o.names)
}
