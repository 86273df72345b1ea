package notify

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

func contextOf(t *testing.T) (context.Context, context.CancelFunc) {
	return context.WithCancel(context.WithoutCancel(t.Context()))
}

// lone is the sender of a configuration's only receiver. Its pauses take no time and
// are kept.
func lone(t *testing.T, box *mailbox, text string) (*Notifier, *sender, *[]time.Duration) {
	t.Helper()
	config, err := Parse([]byte(strings.ReplaceAll(text, "%URL%", box.URL)))
	if err != nil {
		t.Fatal(err)
	}
	n, err := New(config, logr.Discard())
	if err != nil {
		t.Fatal(err)
	}
	s, pauses := n.senders[0], &[]time.Duration{}
	s.sleep = func(_ context.Context, pause time.Duration) bool {
		*pauses = append(*pauses, pause)
		return true
	}
	return n, s, pauses
}

// counted returns the metric's value.
func counted(t *testing.T, receiver, result string) float64 {
	t.Helper()
	families, err := metrics.Registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		for _, series := range family.GetMetric() {
			labels := map[string]string{}
			for _, label := range series.GetLabel() {
				labels[label.GetName()] = label.GetValue()
			}
			if family.GetName() == "mulligan_controller_notifications_total" && labels["receiver"] == receiver && labels["result"] == result {
				return series.GetCounter().GetValue()
			}
		}
	}
	t.Fatalf("no series of %s, %s", receiver, result)
	return 0
}

func TestTriedAgain(t *testing.T) {
	for _, test := range []struct {
		name     string
		statuses []int
		pauses   []time.Duration
		result   string
	}{
		{"taken", nil, nil, sent},
		{"a service that is away for a while", []int{503, 500}, []time.Duration{time.Second, 2 * time.Second}, sent},
		{"one that has too much", []int{429}, []time.Duration{time.Second}, sent},
		{"one that refuses it for good", []int{400}, nil, failed},
		{"one that leads elsewhere", []int{302}, nil, failed},
		{"one that is away for long", slices.Repeat([]int{503}, 8), []time.Duration{1e9, 2e9, 4e9, 8e9, 16e9, 32e9, 64e9}, failed},
	} {
		t.Run(test.name, func(t *testing.T) {
			box := newMailbox(t, test.statuses...)
			n, s, pauses := lone(t, box, toAll)
			before := counted(t, "all", test.result)
			n.Notify(failure())
			s.deliver(t.Context(), <-s.queue)
			if !slices.Equal(*pauses, test.pauses) {
				t.Errorf("pauses %v, want %v", *pauses, test.pauses)
			}
			if got := counted(t, "all", test.result) - before; got != 1 {
				t.Errorf("counted as %s %v times", test.result, got)
			}
			ids := map[string]bool{}
			for len(box.posts) > 0 {
				ids[eventIn(t, box.next(t)).ID] = true
			}
			if len(ids) != 1 {
				t.Errorf("ids %v, want the same each time", ids)
			}
		})
	}
}

func TestHonoursRetryAfterOfReceiver(t *testing.T) {
	first := true
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if first {
			w.Header().Set("Retry-After", "40")
			w.WriteHeader(http.StatusTooManyRequests)
		}
		first = false
	}))
	defer server.Close()
	n, s, pauses := lone(t, &mailbox{Server: server}, toAll)
	n.Notify(failure())
	s.deliver(t.Context(), <-s.queue)
	if !slices.Equal(*pauses, []time.Duration{40 * time.Second}) {
		t.Errorf("pauses %v, want the 40s that were asked for", *pauses)
	}
}

// Messages beyond the queue of a blocked receiver are dropped, and it learns how many.
func TestTellNeverWaits(t *testing.T) {
	box := newMailbox(t)
	n, s, _ := lone(t, box, "receivers: [{name: stuck, webhook: {url: '%URL%'}}]")
	before := counted(t, "stuck", lost)
	for i := range queueLength + 7 {
		n.Notify(failure(named(fmt.Sprint("job-", i))))
	}
	if len(s.queue) != queueLength || counted(t, "stuck", lost)-before != 7 {
		t.Fatalf("%d wait, want %d and 7 lost", len(s.queue), queueLength)
	}
	<-s.queue
	n.Notify(failure(named("late")))
	var last *Message
	for len(s.queue) > 0 {
		last = <-s.queue
	}
	if last.Name != "late" || last.Lost != 7 {
		t.Errorf("the last is %s with %d lost before it, want late with 7", last.Name, last.Lost)
	}
}

// A redirect could send messages and tokens to other addresses.
func TestNoRedirectIsFollowed(t *testing.T) {
	other := newMailbox(t)
	server := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer server.Close()
	n, s, _ := lone(t, &mailbox{Server: server}, toAll)
	n.Notify(failure())
	s.deliver(t.Context(), <-s.queue)
	if len(other.posts) > 0 {
		t.Error("the redirect was followed")
	}
}

const evil = "<!channel> [x](http://evil) `@here` & <http://evil|ok>\nSecond\u202eline \u200b"

func TestTextsOfOthersAreOneVisibleLine(t *testing.T) {
	f := failure(func(f *Failure) {
		f.Answer.Diagnosis.Problem = evil
		f.Answer.Diagnosis.FirstStep.Text = strings.Repeat("é", maxText)
		f.Labels = map[string]string{"team": "a\nb"}
	})
	m := messageOf(f)
	if want := "<!channel> [x](http://evil) `@here` & <http://evil|ok> Second line"; m.Problem != want {
		t.Errorf("problem %q, want %q", m.Problem, want)
	}
	if len(m.FirstStep) > maxText+3 || !strings.HasSuffix(m.FirstStep, "é...") {
		t.Errorf("a long text is %d bytes and ends in %q", len(m.FirstStep), m.FirstStep[len(m.FirstStep)-6:])
	}
}

// Fields of CloudEvents 1.0 in structured mode, with texts that try to break out of
// them.
func TestWebhooksGetCloudEvents(t *testing.T) {
	box := newMailbox(t)
	n, _ := begin(t, box, "cluster: 'no rth/é'\n"+toAll)
	n.Notify(failure(func(f *Failure) { f.Answer.Diagnosis.Problem = `", "title": "forged` }))
	got := box.next(t)
	e := eventIn(t, got)
	if kind := got.header.Get("Content-Type"); kind != "application/cloudevents+json" {
		t.Errorf("content type %s", kind)
	}
	for name, pair := range map[string][2]string{
		"specversion": {e.SpecVersion, "1.0"}, "source": {e.Source, "/mulligan-controller/no%20rth%2F%C3%A9"},
		"type": {e.Type, "dev.mulligan.failure"}, "subject": {e.Subject, "ml/Job/train"},
		"datacontenttype": {e.DataContentType, "application/json"}, "id": {e.ID, e.Data.ID},
		"problem": {e.Data.Problem, `", "title": "forged`}, "cluster": {e.Data.Cluster, "no rth/é"},
		"team": {e.Data.Team, "vision"},
	} {
		if pair[0] != pair[1] || pair[0] == "" {
			t.Errorf("%s is %q, want %q", name, pair[0], pair[1])
		}
	}
	if !e.Time.Equal(e.Data.Time) || e.Time.IsZero() {
		t.Errorf("time %v, want that of the message, %v", e.Time, e.Data.Time)
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
