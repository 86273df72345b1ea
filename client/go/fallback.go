package mulligan

import (
	"context"
	"fmt"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
	"sigs.k8s.io/controller-runtime/pkg/client"

	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
)

// Meaning is what an error of a call means for the caller. No error is a verdict: "do
// not retry" comes without an error. After any error nothing was charged, and asking
// again is safe.
type Meaning int

const (
	// Answered: there is no error.
	Answered Meaning = iota
	// AskLater: the request is valid; the service is away, busy or slow.
	AskLater
	// NoAnswer: the same request would fail again. The request, policy name or
	// configuration must change. INTERNAL is a bug of the service met by this request.
	NoAnswer
)

// String returns "answered", "ask later" or "no answer".
func (m Meaning) String() string {
	return [...]string{"answered", "ask later", "no answer"}[m]
}

// Classify returns the meaning of an error of a [Client]. AskLater: UNAVAILABLE,
// DEADLINE_EXCEEDED, ABORTED, CANCELLED, and RESOURCE_EXHAUSTED of an overloaded server
// (with a [RetryDelay], or refused by the transport). Any other RESOURCE_EXHAUSTED is a
// request that is too large.
func Classify(err error) Meaning {
	switch codeOf(err) {
	case codes.OK:
		return Answered
	case codes.Unavailable, codes.DeadlineExceeded, codes.Aborted, codes.Canceled:
		return AskLater
	case codes.ResourceExhausted:
		if _, ok := overloaded(err); ok {
			return AskLater
		}
	}
	return NoAnswer
}

// overloaded returns whether the server is overloaded, and the least time to stay away.
// Otherwise the request may be too large.
func overloaded(err error) (time.Duration, bool) {
	if asked, ok := RetryDelay(err); ok {
		return asked, true
	}
	// gRPC's memory bound refuses streams before the server sees them, with this text
	// and no details.
	return 0, codeOf(err) == codes.ResourceExhausted && strings.Contains(err.Error(), "ENHANCE_YOUR_CALM")
}

// Errors of contexts have no status.
func codeOf(err error) codes.Code {
	if s, ok := status.FromError(err); ok {
		return s.Code()
	}
	return status.FromContextError(err).Code()
}

// RetryDelay returns how long an overloaded server asks callers to stay away
// (google.rpc.RetryInfo), and whether it does.
func RetryDelay(err error) (time.Duration, bool) {
	s, _ := status.FromError(err)
	for _, detail := range s.Details() {
		if info, ok := detail.(*errdetails.RetryInfo); ok && info.GetRetryDelay() != nil {
			return info.GetRetryDelay().AsDuration(), true
		}
	}
	return 0, false
}

// DefaultFallbackWait is the pause between two questions of a [Fallback].
const DefaultFallbackWait = 30 * time.Second

// Fallback decides while the service has no answer. Its zero value is the conservative
// rule WAIT: nothing is started or given up, the object keeps its resources, and the
// caller asks again. That may be late but is never wrong; a guess would use retries
// that no one counts.
//
// If late is worse, Native is the operator's own code path. It decides without the
// ledger, so its retries are not charged until the next report shows the attempts.
type Fallback struct {
	// Wait is the pause before the next question, at least the time that an overloaded
	// server asks for. Default: [DefaultFallbackWait].
	Wait time.Duration
	// Patience is how long after the failure to wait for a service that is away or busy
	// ([AskLater]) before Native decides. Zero: Native decides at once.
	Patience time.Duration
	// Native decides as the operator does without Mulligan (its backoffLimit,
	// maxRestarts, ...). If nil, or if it returns nil, the decision is WAIT.
	Native func(ctx context.Context, obj client.Object) (*mulliganv1.Decision, error)
}

// Decide returns WAIT or Native's decision about obj, which failed at failedAt, after a
// call that ended with cause. Its sentence says why, for an Event. Nothing is charged,
// and the ledger does not change.
func (f Fallback) Decide(ctx context.Context, obj client.Object, failedAt time.Time, cause error) (*mulliganv1.Decision, error) {
	patient := Classify(cause) == AskLater && time.Since(failedAt) < f.Patience
	if f.Native == nil || patient {
		return f.waiting(cause), nil
	}
	decision, err := f.Native(ctx, obj)
	if err != nil {
		return nil, fmt.Errorf("mulligan: no answer (%w), and the native path failed: %w", cause, err)
	}
	if decision == nil {
		return f.waiting(cause), nil
	}
	if decision.GetSentence() == "" {
		decision.Sentence = fmt.Sprintf("Mulligan had no answer (%v): decided by the operator's own rule; nothing was charged.", cause)
	}
	return decision, nil
}

func (f Fallback) waiting(cause error) *mulliganv1.Decision {
	wait := f.Wait
	if wait <= 0 {
		wait = DefaultFallbackWait
	}
	asked, _ := RetryDelay(cause)
	wait = max(wait, asked)
	return &mulliganv1.Decision{
		Action:     mulliganv1.Decision_WAIT,
		RetryAfter: durationpb.New(wait),
		Sentence:   fmt.Sprintf("Mulligan had no answer (%v): nothing is started or given up, asked again in %v; nothing was charged.", cause, wait),
	}
}
