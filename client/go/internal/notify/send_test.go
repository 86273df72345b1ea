package notify

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
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

// lone is the sender of the only receiver of a configuration. Its pauses take no time and
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
	s, pauses, clock := n.senders[0], &[]time.Duration{}, time.Now()
	s.now = func() time.Time { return clock }
	s.sleep = func(_ context.Context, pause time.Duration) bool {
		*pauses, clock = append(*pauses, pause), clock.Add(pause)
		return true
	}
	return n, s, pauses
}

// counted is what the metric says.
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
			n.Tell(failure())
			s.tell(t.Context(), <-s.queue)
			if !slices.Equal(*pauses, test.pauses) {
				t.Errorf("pauses %v, want %v", *pauses, test.pauses)
			}
			if got := counted(t, "all", test.result) - before; got != 1 {
				t.Errorf("counted as %s %v times", test.result, got)
			}
			ids := map[string]bool{}
			for len(box.posts) > 0 {
				var m Message
				if err := json.Unmarshal([]byte(box.next(t).body), &m); err != nil {
					t.Fatal(err)
				}
				ids[m.ID] = true
			}
			if len(ids) != 1 {
				t.Errorf("ids %v, want the same each time", ids)
			}
		})
	}
}

func TestAReceiverIsAskedForPatienceAndGetsIt(t *testing.T) {
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
	n.Tell(failure())
	s.tell(t.Context(), <-s.queue)
	if !slices.Equal(*pauses, []time.Duration{40 * time.Second}) {
		t.Errorf("pauses %v, want the 40s that were asked for", *pauses)
	}
}

func TestAReceiverTakesSoManyAMinute(t *testing.T) {
	box := newMailbox(t)
	n, s, pauses := lone(t, box, "receivers: [{name: slow, perMinute: 2, webhook: {url: '%URL%'}}]")
	for i := range 5 {
		n.Tell(failure(named(fmt.Sprint("job-", i))))
	}
	for range 5 {
		s.tell(t.Context(), <-s.queue)
	}
	var all time.Duration
	for _, pause := range *pauses {
		all += pause
	}
	if len(box.posts) != 5 || all.Round(time.Second) != 90*time.Second {
		t.Errorf("%d messages with pauses of %v, want all five within 90s, two at once", len(box.posts), all)
	}
}

// A receiver that takes nothing loses what it has no room for, and learns how much.
func TestTellNeverWaits(t *testing.T) {
	box := newMailbox(t)
	n, s, _ := lone(t, box, "receivers: [{name: stuck, webhook: {url: '%URL%'}}]")
	before := counted(t, "stuck", lost)
	for i := range queueLength + 7 {
		n.Tell(failure(named(fmt.Sprint("job-", i))))
	}
	if len(s.queue) != queueLength || counted(t, "stuck", lost)-before != 7 {
		t.Fatalf("%d wait, want %d and 7 lost", len(s.queue), queueLength)
	}
	<-s.queue
	n.Tell(failure(named("late")))
	var last *Message
	for len(s.queue) > 0 {
		last = <-s.queue
	}
	if last.Name != "late" || last.Lost != 7 {
		t.Errorf("the last is %s with %d lost before it, want late with 7", last.Name, last.Lost)
	}
}

func TestSignature(t *testing.T) {
	box := newMailbox(t)
	key := []byte("0123456789abcdef01234567")
	file := filepath.Join(t.TempDir(), "key")
	write(t, file, "whsec_"+base64.StdEncoding.EncodeToString(key)+"\n")
	n, _ := begin(t, box, "receivers: [{name: signed, webhook: {url: '%URL%', hmacKeyFile: '"+file+"'}}]")
	n.Tell(failure())
	got := box.next(t)
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(got.header.Get("Webhook-Id") + "." + got.header.Get("Webhook-Timestamp") + "." + got.body))
	if want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)); got.header.Get("Webhook-Signature") != want {
		t.Errorf("signature %q, want %q", got.header.Get("Webhook-Signature"), want)
	}
	var m Message
	if err := json.Unmarshal([]byte(got.body), &m); err != nil || m.ID != got.header.Get("Webhook-Id") {
		t.Errorf("the message %q, %v, is not the one that is signed", m.ID, err)
	}
}

// A redirect would carry messages and tokens where the configuration does not lead.
func TestNoRedirectIsFollowed(t *testing.T) {
	other := newMailbox(t)
	server := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer server.Close()
	n, s, _ := lone(t, &mailbox{Server: server}, toAll)
	n.Tell(failure())
	s.tell(t.Context(), <-s.queue)
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

func TestSlack(t *testing.T) {
	box := newMailbox(t)
	n, _ := begin(t, box, "storyURL: 'https://stories/{{.Namespace}}/{{.Name}}'\nreceivers: [{name: chat, slack: {url: '%URL%', channel: '#jobs'}}]")
	n.Tell(failure(func(f *Failure) { f.Answer.Diagnosis.Problem, f.Name = evil, "a|b>c" }))
	var got struct{ Text, Channel string }
	if err := json.Unmarshal([]byte(box.next(t).body), &got); err != nil {
		t.Fatal(err)
	}
	want := "*Your work waits for you* Job `ml/a|b&gt;c`: APP_ERROR\n" +
		"`&lt;!channel&gt; [x](http://evil) '@here' &amp; &lt;http://evil|ok&gt; Second line`\n" +
		"Do first: `correct the import`\n" +
		"<https://stories/ml/a%7Cb%3Ec|story>"
	if got.Text != want || got.Channel != "#jobs" {
		t.Errorf("%s in %s, want\n%s", got.Text, got.Channel, want)
	}
}

func TestTemplates(t *testing.T) {
	box := newMailbox(t)
	n, _ := begin(t, box, `
cluster: north
receivers:
  - name: pager
    webhook: {url: '%URL%', template: '{"title": {{json .Problem}}, "where": {{json (printf "%s/%s" .Cluster .Team)}}}'}`)
	n.Tell(failure(func(f *Failure) { f.Answer.Diagnosis.Problem = `", "title": "forged` }))
	got := map[string]string{}
	if err := json.Unmarshal([]byte(box.next(t).body), &got); err != nil {
		t.Fatal(err)
	}
	if got["title"] != `", "title": "forged` || got["where"] != "north/vision" || len(got) != 2 {
		t.Errorf("%v", got)
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
