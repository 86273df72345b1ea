package mulligantest

import (
	"context"
	"errors"
	"net"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/proto"

	"mulligan.dev/mulligan"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
)

// Server is a scripted service. It is safe for concurrent use.
type Server struct {
	mulliganv1.UnimplementedRetryDecisionServiceServer
	listener *bufconn.Listener
	client   *mulligan.Client

	mutex    sync.Mutex
	steps    []Step
	decided  map[string]decided
	requests []*mulliganv1.DecideRequest
}

// New starts a server that stops with the test. Without steps it answers that nothing
// has failed.
func New(t testing.TB) *Server {
	t.Helper()
	s := &Server{listener: bufconn.Listen(1 << 20), decided: map[string]decided{}}
	server := grpc.NewServer()
	mulliganv1.RegisterRetryDecisionServiceServer(server, s)
	healthv1.RegisterHealthServer(server, health.NewServer())
	stopped := make(chan error, 1)
	go func() { stopped <- server.Serve(s.listener) }()
	client, err := mulligan.Dial("passthrough:///mulligantest", mulligan.WithRetryBackoff(0), mulligan.WithDialOptions(s.DialOptions()...))
	if err != nil {
		t.Fatal(err)
	}
	s.client = client
	t.Cleanup(func() {
		client.Close()
		server.Stop()
		// A test without questions may end before the server starts.
		if err := <-stopped; err != nil && !errors.Is(err, grpc.ErrServerStopped) {
			t.Errorf("mulligantest: %v", err)
		}
	})
	return s
}

// Client returns a client of the server, which need not be closed. Like every client of
// [mulligan.Dial] it repeats calls, so a caller sees only an [Unavailable] that comes
// twice.
func (s *Server) Client() *mulligan.Client { return s.client }

// DialOptions make [mulligan.Dial] reach the server with any target of
// "passthrough:///", for callers that want other options.
func (s *Server) DialOptions() []grpc.DialOption {
	return []grpc.DialOption{
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return s.listener.DialContext(ctx) }),
	}
}

// Next adds steps to the script, one per future failure.
func (s *Server) Next(steps ...Step) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.steps = append(s.steps, steps...)
}

// Left returns the number of steps not yet taken.
func (s *Server) Left() int {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return len(s.steps)
}

// Requests returns copies of all requests so far, with each item of a batch.
func (s *Server) Requests() []*mulliganv1.DecideRequest {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	copies := make([]*mulliganv1.DecideRequest, len(s.requests))
	for i, request := range s.requests {
		copies[i] = proto.CloneOf(request)
	}
	return copies
}

// Decide implements the service.
func (s *Server) Decide(_ context.Context, request *mulliganv1.DecideRequest) (*mulliganv1.DecideResponse, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.requests = append(s.requests, proto.CloneOf(request))
	if request.GetReport() == nil {
		return nil, status.Error(codes.InvalidArgument, "report: is absent, expected what failed")
	}
	key := identityOf(request.GetReport())
	before, ok := s.decided[key]
	switch {
	case ok && knows(request.GetLedger(), key):
		return again(before.response, request), nil
	case ok:
		// The ledger was not stored, so this is the same question and gets the same
		// answer.
		return before.step.take(request, key)
	case len(s.steps) == 0:
		return notFailed(request), nil
	}
	step := s.steps[0]
	s.steps = s.steps[1:]
	response, err := step.take(request, key)
	if err != nil {
		return nil, err
	}
	s.decided[key] = decided{step, proto.CloneOf(response)}
	return response, nil
}

// The answer to a failure, and its step.
type decided struct {
	step     Step
	response *mulliganv1.DecideResponse
}

func (step Step) take(request *mulliganv1.DecideRequest, key string) (*mulliganv1.DecideResponse, error) {
	response, err := step(request)
	if err != nil {
		return nil, err
	}
	response.FailureId, response.RequestId = key, request.GetRequestId()
	if history := response.GetLedger().GetHistory(); len(history) > len(request.GetLedger().GetHistory()) {
		history[len(history)-1].FailureId = key
	}
	return response, nil
}

// BatchDecide implements the service.
func (s *Server) BatchDecide(ctx context.Context, batch *mulliganv1.BatchDecideRequest) (*mulliganv1.BatchDecideResponse, error) {
	answer := &mulliganv1.BatchDecideResponse{}
	for _, request := range batch.GetRequests() {
		result := &mulliganv1.BatchDecideResult{}
		response, err := s.Decide(ctx, request)
		if err != nil {
			result.Result = &mulliganv1.BatchDecideResult_Error{Error: status.Convert(err).Proto()}
		} else {
			result.Result = &mulliganv1.BatchDecideResult_Response{Response: response}
		}
		answer.Results = append(answer.Results, result)
	}
	return answer, nil
}

// Demystify implements the service. It returns the next step's diagnosis without taking
// the step.
func (s *Server) Demystify(_ context.Context, request *mulliganv1.DemystifyRequest) (*mulliganv1.DemystifyResponse, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	asked := &mulliganv1.DecideRequest{Report: request.GetReport()}
	response := notFailed(asked)
	if len(s.steps) > 0 {
		var err error
		if response, err = s.steps[0](asked); err != nil {
			return nil, err
		}
	}
	return &mulliganv1.DemystifyResponse{Diagnosis: response.GetDiagnosis()}, nil
}
