package notify

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"

	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
)

// mailbox is a service that keeps what is posted to it. It answers with the statuses in
// turn, then with 200.
type mailbox struct {
	*httptest.Server
	posts chan post
}

type post struct {
	header http.Header
	body   string
}

func newMailbox(t *testing.T, statuses ...int) *mailbox {
	t.Helper()
	box := &mailbox{posts: make(chan post, 1000)}
	box.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		box.posts <- post{r.Header, string(body)}
		if len(statuses) > 0 {
			w.WriteHeader(statuses[0])
			statuses = statuses[1:]
		}
	}))
	t.Cleanup(box.Close)
	return box
}

func (b *mailbox) next(t *testing.T) post {
	t.Helper()
	select {
	case p := <-b.posts:
		return p
	case <-time.After(20 * time.Second):
		t.Fatal("nothing was posted")
	}
	return post{}
}

// event is what a webhook receives.
type event struct {
	SpecVersion, ID, Source, Type, Subject, DataContentType string
	Time                                                    time.Time
	Data                                                    Message
}

func eventIn(t *testing.T, p post) event {
	t.Helper()
	var e event
	if err := json.Unmarshal([]byte(p.body), &e); err != nil {
		t.Fatal(err)
	}
	return e
}

// begin starts a notifier of a configuration, in which %URL% is the mailbox. Its end
// sends waiting messages, so anything not posted by then never is.
func begin(t *testing.T, box *mailbox, text string) (*Notifier, func()) {
	t.Helper()
	config, err := Parse([]byte(strings.ReplaceAll(text, "%URL%", box.URL)))
	if err != nil {
		t.Fatal(err)
	}
	n, err := New(config, logr.Discard())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := contextOf(t)
	ended := make(chan struct{})
	go func() { n.Start(ctx); close(ended) }()
	end := func() { cancel(); <-ended }
	t.Cleanup(end)
	return n, end
}

const toAll = "receivers: [{name: all, webhook: {url: '%URL%'}}]"

// failure is of a user's program that is given up.
func failure(edits ...func(*Failure)) Failure {
	f := Failure{
		ID: "Job/uid-train/1", Mode: "act", Kind: "Job", Namespace: "ml", Name: "train",
		Labels: map[string]string{"team": "vision"},
		Answer: &mulliganv1.DecideResponse{
			Decision: &mulliganv1.Decision{Action: mulliganv1.Decision_FAIL, Sentence: "Fail the Job."},
			Diagnosis: &mulliganv1.Diagnosis{
				Cause: mulliganv1.Cause_APP_ERROR, Situation: mulliganv1.Diagnosis_BROKEN,
				FaultDomain: mulliganv1.Diagnosis_APPLICATION, Problem: "no module named torhc",
				FirstStep: &mulliganv1.FirstStep{Text: "correct the import", Actor: mulliganv1.FirstStep_USER},
			},
		},
	}
	for _, edit := range edits {
		edit(&f)
	}
	return f
}

func decided(action mulliganv1.Decision_Action) func(*Failure) {
	return func(f *Failure) { f.Answer.Decision.Action = action }
}

func caused(cause mulliganv1.Cause, domain mulliganv1.Diagnosis_FaultDomain, actor mulliganv1.FirstStep_Actor) func(*Failure) {
	return func(f *Failure) {
		d := f.Answer.Diagnosis
		d.Cause, d.FaultDomain, d.FirstStep = cause, domain, &mulliganv1.FirstStep{Text: "see", Actor: actor}
	}
}

func outlook(o mulliganv1.Diagnosis_Outlook) func(*Failure) {
	return func(f *Failure) { f.Answer.Diagnosis.Outlook = o }
}

func on(node string) func(*Failure) {
	return func(f *Failure) { f.Answer.Diagnosis.Culprit = &mulliganv1.Culprit{Node: node} }
}

// avoiding makes the next attempt avoid the node.
func avoiding(node string, hard bool) func(*Failure) {
	return func(f *Failure) {
		f.Answer.Decision.Placement = &mulliganv1.Placement{AvoidNodes: []*mulliganv1.AvoidNode{{Node: node, Hard: hard}}}
	}
}

func named(name string) func(*Failure) {
	return func(f *Failure) { f.Name, f.ID = name, "Job/uid-"+name+"/1" }
}

func inIncident(f *Failure) {
	f.Answer.Diagnosis.DerivedCause = mulliganv1.DerivedCause_INCIDENT
}

const (
	user     = mulliganv1.FirstStep_USER
	platform = mulliganv1.FirstStep_PLATFORM
	nobody   = mulliganv1.FirstStep_NOBODY
)

func TestWhoHasToAct(t *testing.T) {
	for _, test := range []struct {
		name string
		f    Failure
		want string
	}{
		{"a typo that is given up is the user's", failure(), "USER"},
		{"a spec that has to change is the user's", failure(decided(mulliganv1.Decision_WAIT_FOR_SPEC_UPDATE)), "USER"},
		{"what is started again passes", failure(decided(mulliganv1.Decision_RETRY)), ""},
		{"a spot reclaim passes", failure(decided(mulliganv1.Decision_RETRY), caused(mulliganv1.Cause_SPOT_RECLAIMED, mulliganv1.Diagnosis_DISRUPTION, nobody)), ""},
		{"a preemption that ends the work needs no one", failure(caused(mulliganv1.Cause_PREEMPTED_QUEUE, mulliganv1.Diagnosis_QUEUE, nobody)), ""},
		{"a full cluster that is waited for passes", failure(decided(mulliganv1.Decision_WAIT), caused(mulliganv1.Cause_UNSCHEDULABLE, mulliganv1.Diagnosis_QUEUE, platform), outlook(mulliganv1.Diagnosis_RECOVERS)), ""},
		{"a secret that is missing does not pass", failure(decided(mulliganv1.Decision_WAIT), caused(mulliganv1.Cause_CONFIG_MISSING, mulliganv1.Diagnosis_CONFIGURATION, user), outlook(mulliganv1.Diagnosis_CANNOT_RECOVER)), "USER"},
		{"a broken device that the retry must avoid is the platform's", failure(decided(mulliganv1.Decision_RETRY), caused(mulliganv1.Cause_GPU_FAULT, mulliganv1.Diagnosis_INFRASTRUCTURE, platform), on("n1"), avoiding("n1", true)), "PLATFORM"},
		{"a node that is only avoided for an hour passes", failure(decided(mulliganv1.Decision_RETRY), caused(mulliganv1.Cause_NODE_LOST, mulliganv1.Diagnosis_INFRASTRUCTURE, platform), on("n1"), avoiding("n1", false)), ""},
		{"another node that is avoided is an old matter", failure(decided(mulliganv1.Decision_RETRY), caused(mulliganv1.Cause_GPU_FAULT, mulliganv1.Diagnosis_INFRASTRUCTURE, platform), on("n2"), avoiding("n1", true)), ""},
		{"an incident is the platform's while its victims wait", failure(decided(mulliganv1.Decision_WAIT), caused(mulliganv1.Cause_SANDBOX_OR_MOUNT, mulliganv1.Diagnosis_INFRASTRUCTURE, nobody), inIncident), "PLATFORM"},
		{"without a first step the domain says who", failure(func(f *Failure) {
			f.Answer.Diagnosis.FirstStep, f.Answer.Diagnosis.FaultDomain = nil, mulliganv1.Diagnosis_CONTROL_PLANE
		}), "PLATFORM"},
		{"nothing is broken", failure(func(f *Failure) { f.Answer.Diagnosis.Situation = mulliganv1.Diagnosis_HELD }), ""},
		{"a loop that goes on until it is stopped", failure(func(f *Failure) { f.Answer.Diagnosis.Situation = mulliganv1.Diagnosis_ALIVE }), "USER"},
		{"what goes on is left to its operator", failure(decided(mulliganv1.Decision_IGNORE), func(f *Failure) { f.Answer.Diagnosis.Situation = mulliganv1.Diagnosis_ALIVE }), ""},
		{"nothing is done", failure(decided(mulliganv1.Decision_IGNORE)), ""},
		{"a granted retry that the API server refuses is the user's", failure(decided(mulliganv1.Decision_RETRY), func(f *Failure) { f.Refused = "too large" }), "USER"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := ""
			if m := messageOf(test.f); m != nil {
				got = m.Actor
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestEachReceiverIsTold(t *testing.T) {
	box := newMailbox(t)
	n, end := begin(t, box, "receivers: [{name: a, webhook: {url: '%URL%'}}, {name: b, webhook: {url: '%URL%'}}]")
	n.Notify(failure())
	n.Notify(failure(named("eval"), decided(mulliganv1.Decision_RETRY))) // it passes
	end()
	if got := len(box.posts); got != 2 {
		t.Errorf("%d messages, want one for each of the receivers", got)
	}
}

func TestAnIncidentIsToldOnce(t *testing.T) {
	gpu := func(name, node string) Failure {
		return failure(named(name), decided(mulliganv1.Decision_RETRY), caused(mulliganv1.Cause_GPU_FAULT, mulliganv1.Diagnosis_INFRASTRUCTURE, platform), on(node), avoiding(node, true))
	}
	struck := func(name string) Failure {
		return failure(named(name), decided(mulliganv1.Decision_WAIT), caused(mulliganv1.Cause_SANDBOX_OR_MOUNT, mulliganv1.Diagnosis_INFRASTRUCTURE, nobody), inIncident)
	}
	for _, test := range []struct {
		name     string
		failures []Failure
		want     int
	}{
		{"the same failure asked about again", []Failure{failure(), failure(), failure()}, 1},
		{"two workloads of a user", []Failure{failure(), failure(named("eval"))}, 2},
		{"one workload that fails otherwise", []Failure{failure(), failure(caused(mulliganv1.Cause_CONFIG_MISSING, mulliganv1.Diagnosis_CONFIGURATION, user))}, 2},
		{"one that fails again after a change", []Failure{failure(), failure(func(f *Failure) { f.ID = "Job/uid-train/2" })}, 2},
		{"many workloads on one broken node", []Failure{gpu("a", "n1"), gpu("b", "n1"), gpu("c", "n1")}, 1},
		{"two broken nodes", []Failure{gpu("a", "n1"), gpu("b", "n2")}, 2},
		{"many workloads of one incident", []Failure{struck("a"), struck("b"), struck("c")}, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			box := newMailbox(t)
			n, end := begin(t, box, toAll)
			for _, f := range test.failures {
				n.Notify(f)
			}
			end()
			if got := len(box.posts); got != test.want {
				t.Errorf("%d messages, want %d", got, test.want)
			}
		})
	}
}

func TestRepeatsLastingIncidentWithCount(t *testing.T) {
	box := newMailbox(t)
	n, end := begin(t, box, toAll+"\nrepeatAfter: 1h")
	clock := time.Now()
	n.now = func() time.Time { return clock }
	for _, after := range []time.Duration{0, time.Minute, 58 * time.Minute, time.Minute} {
		clock = clock.Add(after)
		n.Notify(failure())
	}
	end()
	close(box.posts)
	var more []int
	for post := range box.posts {
		more = append(more, eventIn(t, post).Data.More)
	}
	if !slices.Equal(more, []int{0, 2}) {
		t.Errorf("reported with %v failures between, want none and two", more)
	}
}

func TestForgottenAreTheOldestIncidents(t *testing.T) {
	box := newMailbox(t)
	config, err := Parse([]byte(strings.ReplaceAll(toAll, "%URL%", box.URL)))
	if err != nil {
		t.Fatal(err)
	}
	n, err := New(config, logr.Discard())
	if err != nil {
		t.Fatal(err)
	}
	for i := range maxIncidents {
		n.known[strings.Repeat("x", i%7)+string(rune(i))] = &incident{reportedAt: n.now()}
	}
	n.Notify(failure())
	if len(n.known) > maxIncidents {
		t.Errorf("%d incidents are remembered, want at most %d", len(n.known), maxIncidents)
	}
}
