package notify

import (
	"bytes"
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/go-logr/logr"

	"mulligan.dev/mulligan/internal/trust"
)

const (
	// Messages that wait for a receiver; more are dropped and counted.
	queueLength = 256
	// The most tries per message. The pause doubles each time, up to longestPause.
	maxTries     = 8
	firstPause   = time.Second
	longestPause = 5 * time.Minute
	callTimeout  = 5 * time.Second
	// How long waiting messages are sent at the end, once each.
	farewell = 5 * time.Second
)

// sender sends messages to one receiver, one after the other.
type sender struct {
	receiver Receiver
	queue    chan *Message
	// Messages dropped since the last one that was queued. Guarded by the notifier.
	lost int
	log  logr.Logger
	// sleep returns false if the context has ended.
	sleep func(context.Context, time.Duration) bool
}

func newSender(r Receiver, log logr.Logger) *sender {
	Announce(r.Name)
	return &sender{
		receiver: r, queue: make(chan *Message, queueLength), log: log.WithValues("receiver", r.Name),
		sleep: sleep,
	}
}

func sleep(ctx context.Context, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// offer never blocks; it returns false if the queue is full.
func (s *sender) offer(m *Message) bool {
	select {
	case s.queue <- m:
		waiting.WithLabelValues(s.receiver.Name).Set(float64(len(s.queue)))
		return true
	default:
		messages.WithLabelValues(s.receiver.Name, lost).Inc()
		return false
	}
}

func (s *sender) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			s.end(ctx)
			return
		case m := <-s.queue:
			waiting.WithLabelValues(s.receiver.Name).Set(float64(len(s.queue)))
			s.deliver(ctx, m)
		}
	}
}

// end sends the waiting messages, once each.
func (s *sender) end(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
	defer cancel()
	for {
		select {
		case m := <-s.queue:
			if _, _, err := s.try(ctx, m); err != nil {
				messages.WithLabelValues(s.receiver.Name, failed).Inc()
				continue
			}
			messages.WithLabelValues(s.receiver.Name, sent).Inc()
		default:
			return
		}
	}
}

// deliver retries until the message is accepted, refused for good, or tried often enough.
func (s *sender) deliver(ctx context.Context, m *Message) {
	pause := firstPause
	for tries := 1; ; tries++ {
		// A running call is not cancelled, because it may have been accepted already.
		again, asked, err := s.try(context.WithoutCancel(ctx), m)
		if err == nil {
			messages.WithLabelValues(s.receiver.Name, sent).Inc()
			return
		}
		if !again || tries == maxTries {
			messages.WithLabelValues(s.receiver.Name, failed).Inc()
			s.log.Info("a message was not delivered", "error", err.Error(), "tries", tries, "about", m.Kind+" "+m.Namespace+"/"+m.Name)
			return
		}
		if !s.sleep(ctx, max(pause, min(asked, longestPause))) {
			s.offer(m)
			return
		}
		pause = min(2*pause, longestPause)
	}
}

// try sends the message once. again says that another try may help, after the
// receiver's requested pause. The error contains nothing of the address, which may be a
// secret, or of the answer, which may repeat the address.
func (s *sender) try(ctx context.Context, m *Message) (again bool, after time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	request, err := s.request(ctx, m)
	if err != nil {
		return false, 0, err
	}
	client, err := s.receiver.service.client()
	if err != nil {
		return true, 0, err
	}
	defer client.CloseIdleConnections()
	response, err := client.Do(request)
	if err != nil {
		return true, 0, trust.Why(err)
	}
	defer response.Body.Close()
	if response.StatusCode/100 == 2 {
		return false, 0, nil
	}
	again = response.StatusCode >= 500 || response.StatusCode == http.StatusTooManyRequests || response.StatusCode == http.StatusRequestTimeout
	seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
	return again, time.Duration(max(seconds, 0)) * time.Second, trust.Refusal(response)
}

func (s *sender) request(ctx context.Context, m *Message) (*http.Request, error) {
	// Reads the files each time, because secrets change.
	target, err := s.receiver.service.target()
	if err != nil {
		return nil, err
	}
	body, contentType, path, err := s.receiver.post.body(m)
	if err != nil {
		return nil, err
	}
	if path != "" {
		target = target.JoinPath(path)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, target.String(), bytes.NewReader(body))
	if err != nil {
		return nil, trust.Why(err)
	}
	request.Header.Set("Content-Type", contentType)
	request.Header.Set("User-Agent", "mulligan-controller")
	if file := s.receiver.service.BearerTokenFile; file != "" {
		token, err := secretIn(file)
		if err != nil {
			return nil, err
		}
		request.Header.Set("Authorization", "Bearer "+token)
	}
	return request, nil
}

func (s Service) client() (*http.Client, error) { return trust.Client(s.CAFile) }
