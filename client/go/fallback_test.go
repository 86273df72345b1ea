package mulligan_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"mulligan.dev/mulligan"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
)

func overloaded(after time.Duration) error {
	refusal, err := status.New(codes.ResourceExhausted, "busy").WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(after)})
	if err != nil {
		panic(err)
	}
	return refusal.Err()
}

func TestClassify(t *testing.T) {
	for _, test := range []struct {
		err  error
		want mulligan.Meaning
	}{
		{nil, mulligan.Answered},
		{status.Error(codes.InvalidArgument, ""), mulligan.NoAnswer},
		{status.Error(codes.NotFound, ""), mulligan.NoAnswer},
		{status.Error(codes.FailedPrecondition, ""), mulligan.NoAnswer},
		{status.Error(codes.ResourceExhausted, "too large"), mulligan.NoAnswer},
		{overloaded(time.Second), mulligan.AskLater},
		{status.Error(codes.ResourceExhausted, "stream terminated by RST_STREAM with error code: ENHANCE_YOUR_CALM"), mulligan.AskLater},
		{status.Error(codes.PermissionDenied, ""), mulligan.NoAnswer},
		{status.Error(codes.Unavailable, ""), mulligan.AskLater},
		{status.Error(codes.DeadlineExceeded, ""), mulligan.AskLater},
		{status.Error(codes.Internal, ""), mulligan.NoAnswer},
		{status.Error(codes.Unimplemented, ""), mulligan.NoAnswer},
		{context.DeadlineExceeded, mulligan.AskLater},
		{fmt.Errorf("asking: %w", context.Canceled), mulligan.AskLater},
		{fmt.Errorf("asking: %w", overloaded(time.Second)), mulligan.AskLater},
		{errors.New("disk full"), mulligan.NoAnswer},
	} {
		if got := mulligan.Classify(test.err); got != test.want {
			t.Errorf("%v: %v, want %v", test.err, got, test.want)
		}
	}
}

func TestFallback(t *testing.T) {
	away := status.Error(codes.Unavailable, "no server")
	wrong := status.Error(codes.InvalidArgument, "report is empty")
	native := func(context.Context, client.Object) (*mulliganv1.Decision, error) {
		return &mulliganv1.Decision{Action: mulliganv1.Decision_FAIL}, nil
	}
	for name, test := range map[string]struct {
		fallback mulligan.Fallback
		cause    error
		since    time.Duration
		want     mulliganv1.Decision_Action
		after    time.Duration
	}{
		"without a native path it waits":         {mulligan.Fallback{}, away, time.Hour, mulliganv1.Decision_WAIT, 30 * time.Second},
		"also for what asking cannot help":       {mulligan.Fallback{}, wrong, time.Hour, mulliganv1.Decision_WAIT, 30 * time.Second},
		"as long as configured":                  {mulligan.Fallback{Wait: time.Minute}, away, 0, mulliganv1.Decision_WAIT, time.Minute},
		"and not less than the server asks for":  {mulligan.Fallback{Wait: time.Second}, overloaded(time.Minute), 0, mulliganv1.Decision_WAIT, time.Minute},
		"the native path decides at once":        {mulligan.Fallback{Native: native}, away, 0, mulliganv1.Decision_FAIL, 0},
		"or after some patience":                 {mulligan.Fallback{Native: native, Patience: time.Hour}, away, time.Minute, mulliganv1.Decision_WAIT, 30 * time.Second},
		"which ends":                             {mulligan.Fallback{Native: native, Patience: time.Hour}, away, 2 * time.Hour, mulliganv1.Decision_FAIL, 0},
		"patience does not help a wrong request": {mulligan.Fallback{Native: native, Patience: time.Hour}, wrong, 0, mulliganv1.Decision_FAIL, 0},
		"a native path may have no opinion": {mulligan.Fallback{Native: func(context.Context, client.Object) (*mulliganv1.Decision, error) {
			return nil, nil
		}}, away, 0, mulliganv1.Decision_WAIT, 30 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := test.fallback.Decide(context.Background(), jobWith(nil), time.Now().Add(-test.since), test.cause)
			if err != nil {
				t.Fatal(err)
			}
			if got.GetAction() != test.want || got.GetRetryAfter().AsDuration() != test.after {
				t.Errorf("%v after %v, want %v after %v", got.GetAction(), got.GetRetryAfter().AsDuration(), test.want, test.after)
			}
			if !strings.Contains(got.GetSentence(), "Mulligan had no answer") || !strings.Contains(got.GetSentence(), "nothing was charged") {
				t.Errorf("sentence %q", got.GetSentence())
			}
		})
	}
}

func TestFailedNativePathIsAnError(t *testing.T) {
	fallback := mulligan.Fallback{Native: func(context.Context, client.Object) (*mulliganv1.Decision, error) {
		return nil, errors.New("no backoffLimit")
	}}
	_, err := fallback.Decide(context.Background(), jobWith(nil), now, status.Error(codes.Unavailable, "no server"))
	if err == nil || !strings.Contains(err.Error(), "no backoffLimit") || !strings.Contains(err.Error(), "no server") {
		t.Errorf("got %v", err)
	}
}
