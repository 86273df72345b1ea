package mulligan

import (
	"context"
	"math/rand/v2"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// repeat is the outermost interceptor: it gives a call its deadline and, if useful, a
// second attempt.
func (o *options) repeat(ctx context.Context, method string, request, answer any,
	connection *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption,
) error {
	ctx, cancel := context.WithTimeout(ctx, o.deadline)
	defer cancel()
	err := invoke(ctx, method, request, answer, connection, opts...)
	asked, busy := overloaded(err)
	if status.Code(err) != codes.Unavailable && !busy {
		return err
	}
	// Not before the requested time, and not all callers at once.
	pause := max(asked, vary(max(o.backoff, 2*asked)))
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= pause {
		return err
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return err
	case <-timer.C:
	}
	return invoke(ctx, method, request, answer, connection, opts...)
}

func vary(pause time.Duration) time.Duration {
	return time.Duration(float64(pause) * (0.5 + rand.Float64()))
}
