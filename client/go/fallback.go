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

// Meaning is what an error of a call means for the caller. No error is a verdict:
// "do not retry" comes without an error. Whatever the error, nothing was charged,
// and asking again is safe.
type Meaning int

const (
	// Answered: there is no error.
	Answered Meaning = iota
	// AskLater: nothing is wrong with the request; the service is away, busy or
	// slow.
	AskLater
	// NoAnswer: asking again gives the same error. Request, policy name or
	// configuration have to change; for INTERNAL it is a bug of the service, met
	// by this request.
	NoAnswer
)

// String returns "answered", "ask later" or "no answer".
func (m Meaning) String() string {
	return [...]string{"answered", "ask later", "no answer"}[m]
}

// Classify tells what an error of a [Client] means. UNAVAILABLE,
// DEADLINE_EXCEEDED, ABORTED, CANCELLED and RESOURCE_EXHAUSTED of an overloaded
// server (with a [RetryDelay], or refused by the transport) are worth another
// question; every other RESOURCE_EXHAUSTED is a request that is too large, and
// stays so.
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

// overloaded tells a server that has too much to do from a request that is too
// large, and returns how long to stay away at least.
func overloaded(err error) (time.Duration, bool) {
	if asked, ok := RetryDelay(err); ok {
		return asked, true
	}
	// gRPC's own memory bound refuses streams before the server sees them, in
	// these words and without details.
	return 0, codeOf(err) == codes.ResourceExhausted && strings.Contains(err.Error(), "ENHANCE_YOUR_CALM")
}

// Errors of contexts come without a status.
func codeOf(err error) codes.Code {
	if s, ok := status.FromError(err); ok {
		return s.Code()
	}
	return status.FromContextError(err).Code()
}

// RetryDelay returns how long an overloaded server asked callers to stay away
// (google.rpc.RetryInfo), and whether it did.
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

// Fallback is what a caller does while the service has no answer. Its zero value
// is the conservative local rule: WAIT. Nothing is started, nothing is given up,
// the object keeps what it holds, and the question is asked again. That is never
// wrong, only late; a guess would spend retries that nobody counts.
//
// Where late is worse, Native is the operator's own code path. It decides
// without the ledger, so nothing is charged for what it does; the next report
// shows its attempts, and the service counts them then.
type Fallback struct {
	// Wait is the pause before the next question, at least the time an overloaded
	// server asks for. Default: [DefaultFallbackWait].
	Wait time.Duration
	// Patience is how long after the failure to wait for a service that is away
	// or busy ([AskLater]) before Native decides. Zero: Native decides at once.
	Patience time.Duration
	// Native decides as the operator does without Mulligan (its backoffLimit,
	// maxRestarts, ...). Nil: there is only waiting.
	Native func(ctx context.Context, obj client.Object) (*mulliganv1.Decision, error)
}

// Decide returns what to do about obj, which failed at failedAt, after a call that
// ended with cause. The decision is WAIT or Native's. It has a sentence that says
// why, for an Event; what it leads to is not charged and the ledger stays as it
// is.
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
