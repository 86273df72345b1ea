package mulligan_test

import (
	"context"
	"crypto/tls"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/resolver"
	"google.golang.org/grpc/resolver/manual"
	"google.golang.org/grpc/status"

	"mulligan.dev/mulligan"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/testing/certificates"
)

// answering counts its calls and answers them with a function.
type answering struct {
	mulliganv1.UnimplementedRetryDecisionServiceServer
	calls  atomic.Int32
	answer func(ctx context.Context, call int32) error
}

func (s *answering) Decide(ctx context.Context, _ *mulliganv1.DecideRequest) (*mulliganv1.DecideResponse, error) {
	call := s.calls.Add(1)
	if s.answer != nil {
		if err := s.answer(ctx, call); err != nil {
			return nil, err
		}
	}
	return &mulliganv1.DecideResponse{}, nil
}

// serve returns the address of a server on a free port.
func serve(t *testing.T, service *answering, opts ...grpc.ServerOption) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer(opts...)
	mulliganv1.RegisterRetryDecisionServiceServer(server, service)
	go server.Serve(listener)
	t.Cleanup(server.Stop)
	return listener.Addr().String()
}

func connect(t *testing.T, target string, opts ...mulligan.Option) *mulligan.Client {
	t.Helper()
	client, err := mulligan.Dial(target, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client
}

func ask(ctx context.Context, client *mulligan.Client) error {
	_, err := client.Decide(ctx, &mulliganv1.DecideRequest{})
	return err
}

func TestRepeatsRefusedCallOnce(t *testing.T) {
	for name, test := range map[string]struct {
		errs  []error
		calls int32
		want  codes.Code
		least time.Duration
	}{
		"answered":                   {nil, 1, codes.OK, 0},
		"away once":                  {[]error{status.Error(codes.Unavailable, "draining")}, 2, codes.OK, 0},
		"away":                       {[]error{status.Error(codes.Unavailable, "1"), status.Error(codes.Unavailable, "2")}, 2, codes.Unavailable, 0},
		"overloaded once":            {[]error{overloaded(60 * time.Millisecond)}, 2, codes.OK, 60 * time.Millisecond},
		"too large":                  {[]error{status.Error(codes.ResourceExhausted, "too large")}, 1, codes.ResourceExhausted, 0},
		"wrong":                      {[]error{status.Error(codes.InvalidArgument, "report")}, 1, codes.InvalidArgument, 0},
		"asked to wait past the end": {[]error{overloaded(time.Hour)}, 1, codes.ResourceExhausted, 0},
	} {
		t.Run(name, func(t *testing.T) {
			service := &answering{answer: func(_ context.Context, call int32) error {
				if int(call) <= len(test.errs) {
					return test.errs[call-1]
				}
				return nil
			}}
			client := connect(t, serve(t, service), mulligan.WithRetryBackoff(0))
			started := time.Now()
			err := ask(context.Background(), client)
			if status.Code(err) != test.want || service.calls.Load() != test.calls {
				t.Errorf("%v after %d calls, want %v after %d", err, service.calls.Load(), test.want, test.calls)
			}
			if took := time.Since(started); took < test.least {
				t.Errorf("repeated after %v, the server asked for %v", took, test.least)
			}
		})
	}
}

func TestDialConnectsBeforeTheFirstCall(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	client, err := mulligan.Dial(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if err := listener.(*net.TCPListener).SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	connection, err := listener.Accept()
	if err != nil {
		t.Fatalf("no connection: %v", err)
	}
	connection.Close()
}

func TestACallHasADeadline(t *testing.T) {
	service := &answering{answer: func(ctx context.Context, _ int32) error { <-ctx.Done(); return ctx.Err() }}
	client := connect(t, serve(t, service), mulligan.WithDeadline(50*time.Millisecond))
	if err := ask(context.Background(), client); status.Code(err) != codes.DeadlineExceeded {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	patient := connect(t, serve(t, service), mulligan.WithDeadline(time.Hour))
	if err := ask(ctx, patient); status.Code(err) != codes.DeadlineExceeded {
		t.Errorf("the earlier deadline of the context: got %v", err)
	}
}

func TestAsksAllReplicas(t *testing.T) {
	replicas := []*answering{{}, {}, {}}
	var addresses []resolver.Address
	for _, replica := range replicas {
		addresses = append(addresses, resolver.Address{Addr: serve(t, replica)})
	}
	// As a headless Service resolves.
	dns := manual.NewBuilderWithScheme("headless")
	dns.InitialState(resolver.State{Addresses: addresses})
	client := connect(t, "headless:///mulligan", mulligan.WithDialOptions(grpc.WithResolvers(dns)))
	// Connections come up one after another.
	for begun := time.Now(); time.Since(begun) < time.Minute; {
		if err := ask(context.Background(), client); err != nil {
			t.Fatal(err)
		}
		if replicas[0].calls.Load() > 0 && replicas[1].calls.Load() > 0 && replicas[2].calls.Load() > 0 {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("calls %d, %d, %d", replicas[0].calls.Load(), replicas[1].calls.Load(), replicas[2].calls.Load())
}

func TestInterceptorsSeeEachAttempt(t *testing.T) {
	service := &answering{answer: func(_ context.Context, call int32) error {
		if call == 1 {
			return status.Error(codes.Unavailable, "draining")
		}
		return nil
	}}
	var seen atomic.Int32
	client := connect(t, serve(t, service), mulligan.WithRetryBackoff(0), mulligan.WithDialOptions(grpc.WithChainUnaryInterceptor(
		func(ctx context.Context, method string, request, answer any, c *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
			seen.Add(1)
			return invoke(ctx, method, request, answer, c, opts...)
		})))
	if err := ask(context.Background(), client); err != nil || seen.Load() != 2 {
		t.Errorf("%v, %d attempts seen", err, seen.Load())
	}
}

func filesOf(files certificates.Files) mulligan.TLSFiles {
	return mulligan.TLSFiles{CA: files.CA, Certificate: files.Certificate, Key: files.Key}
}

func issue(t *testing.T, authority *certificates.Authority, name string) tls.Certificate {
	t.Helper()
	files := authority.Issue(t, name)
	own, err := tls.LoadX509KeyPair(files.Certificate, files.Key)
	if err != nil {
		t.Fatal(err)
	}
	return own
}

func TestMutualTLSReadsItsFilesAgain(t *testing.T) {
	ca := certificates.New(t)
	own := issue(t, ca, "mulligan")
	var caller atomic.Value
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	// Each call has its own connection, as after a server's maximum age.
	service := &answering{}
	server := grpc.NewServer(grpc.Creds(credentials.NewTLS(&tls.Config{
		Certificates: []tls.Certificate{own}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: ca.Pool(),
		VerifyConnection: func(state tls.ConnectionState) error {
			caller.Store(state.PeerCertificates[0].Subject.CommonName)
			return nil
		},
	})))
	mulliganv1.RegisterRetryDecisionServiceServer(server, service)
	go server.Serve(listener)
	t.Cleanup(server.Stop)

	files := ca.Issue(t, "first")
	askAnew := func(client *mulligan.Client, want string) {
		t.Helper()
		if err := ask(context.Background(), client); err != nil || caller.Load() != want {
			t.Errorf("%v, the server saw %v, want %q", err, caller.Load(), want)
		}
	}
	// The same credentials for connections that come and go.
	reconnecting := &dropping{address: listener.Addr().String()}
	client := connect(t, "passthrough:///127.0.0.1", mulligan.WithTLS(filesOf(files)),
		mulligan.WithDialOptions(grpc.WithContextDialer(reconnecting.dial)))
	askAnew(client, "first")
	ca.Renew(t, files, "second")
	reconnecting.drop()
	askAnew(client, "second")
	if err := os.WriteFile(files.Key, []byte("half a k"), 0o600); err != nil {
		t.Fatal(err)
	}
	reconnecting.drop()
	askAnew(client, "second")
	ca.Renew(t, files, "third")
	reconnecting.drop()
	askAnew(client, "third")
}

// dropping remembers its connections so that they can be cut.
type dropping struct {
	address string
	last    atomic.Pointer[net.Conn]
}

func (d *dropping) dial(ctx context.Context, _ string) (net.Conn, error) {
	connection, err := (&net.Dialer{}).DialContext(ctx, "tcp", d.address)
	d.last.Store(&connection)
	return connection, err
}

func (d *dropping) drop() { (*d.last.Load()).Close() }

func TestRejectsInvalidOptions(t *testing.T) {
	ca := certificates.New(t)
	files := filesOf(ca.Issue(t, "caller"))
	noKey, noCA, gone, noPEM := files, files, files, files
	noKey.Key, noCA.CA, gone.CA, noPEM.CA = "", "", files.CA+".gone", files.Key
	for _, test := range []struct {
		target string
		option mulligan.Option
		want   string
	}{
		{"", nil, `target "" is not valid, expected HOST:PORT`},
		{"mulligan", nil, `target "mulligan" is not valid, expected HOST:PORT`},
		{"127.0.0.1", nil, `target "127.0.0.1" is not valid`},
		{"http://mulligan:8980", nil, `target "http://mulligan:8980" is not valid`},
		{"https://mulligan", nil, `target "https://mulligan" is not valid`},
		{"a:1", mulligan.WithDeadline(0), "deadline 0s is not valid, expected a positive duration"},
		{"a:1", mulligan.WithRetryBackoff(-1), "retry backoff -1ns is not valid"},
		{"a:1", mulligan.WithTLS(noKey), `TLSFiles.Key "" is not valid, expected a key together with TLSFiles.Certificate`},
		{"a:1", mulligan.WithTLS(noCA), `TLSFiles.CA "" is not valid`},
		{"a:1", mulligan.WithTLS(gone), "no such file"},
		{"a:1", mulligan.WithTLS(noPEM), "has no certificate in PEM form"},
	} {
		var opts []mulligan.Option
		if test.option != nil {
			opts = append(opts, test.option)
		}
		if _, err := mulligan.Dial(test.target, opts...); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
}
