package controller

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"mulligan.dev/mulligan"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/testing/realserver"
)

func elected(yes bool) <-chan struct{} {
	leads := make(chan struct{})
	if yes {
		close(leads)
	}
	return leads
}

// cluster has failures, and a clock that stands still.
func cluster(failures int, cause mulliganv1.Cause, zone string) *recent {
	now := time.Now()
	r := newRecent(func() time.Time { return now })
	for i := range failures {
		r.note(attempt(fmt.Sprint("job-", i), ""), now, on("n1", zone, "i"), Act, broken(cause, "n1", mulliganv1.Decision_RETRY))
	}
	return r
}

// listen is a cluster "south" that asks the servers.
func listen(t *testing.T, own *recent, servers ...*httptest.Server) *listener {
	t.Helper()
	peers := Peers{Cluster: "south"}
	for _, server := range servers {
		t.Cleanup(server.Close)
		peers.URLs = append(peers.URLs, server.URL)
	}
	l, err := newListener(peers, own.now)
	if err != nil {
		t.Fatal(err)
	}
	own.others = l
	l.askAll(t.Context())
	return l
}

func serving(r *recent, name string, leads bool) *httptest.Server {
	mux := http.NewServeMux()
	mux.HandleFunc(DigestPath, r.serve(name, elected(leads)))
	return httptest.NewServer(mux)
}

func TestDigestsOfClustersAreOne(t *testing.T) {
	const own = "failed 2 canaries 0 recovered 0 zone z image i: 2 FABRIC_FAULT n1/a/i"
	for _, test := range []struct {
		name    string
		servers func() []*httptest.Server
		want    string
	}{
		{"two others, whose nodes are others", func() []*httptest.Server {
			return []*httptest.Server{serving(cluster(3, mulliganv1.Cause_FABRIC_FAULT, "a"), "north", true), serving(cluster(1, mulliganv1.Cause_NODE_LOST, "b"), "east", true)}
		}, "failed 6 canaries 0 recovered 0 zone z image i: 3 FABRIC_FAULT north/n1/a/i 2 FABRIC_FAULT n1/a/i 1 NODE_LOST east/n1/b/i"},
		{"one where nothing failed", func() []*httptest.Server {
			return []*httptest.Server{serving(cluster(0, 0, ""), "north", true)}
		}, own},
		{"a replica that does not lead", func() []*httptest.Server {
			return []*httptest.Server{serving(cluster(3, mulliganv1.Cause_FABRIC_FAULT, "a"), "north", false)}
		}, own},
		{"one that is away", func() []*httptest.Server {
			server := serving(cluster(3, mulliganv1.Cause_FABRIC_FAULT, "a"), "north", true)
			server.Close()
			return []*httptest.Server{server}
		}, own},
		{"one that has our name", func() []*httptest.Server {
			return []*httptest.Server{serving(cluster(3, mulliganv1.Cause_FABRIC_FAULT, "a"), "south", true)}
		}, own},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := cluster(2, mulliganv1.Cause_FABRIC_FAULT, "a")
			listen(t, r, test.servers()...)
			if got := digestText(r); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

func TestDoesNotForwardDigestsOfPeers(t *testing.T) {
	r := cluster(2, mulliganv1.Cause_FABRIC_FAULT, "a")
	listen(t, r, serving(cluster(3, mulliganv1.Cause_FABRIC_FAULT, "a"), "north", true))
	if own := r.own(); own.GetFailed() != 2 || len(own.GetGroups()) != 1 {
		t.Errorf("served to others: %v, want what failed here alone", own)
	}
}

func TestForgetsSilentPeer(t *testing.T) {
	r := cluster(2, mulliganv1.Cause_FABRIC_FAULT, "a")
	clock := time.Now()
	r.now = func() time.Time { return clock }
	server := serving(cluster(3, mulliganv1.Cause_FABRIC_FAULT, "a"), "north", true)
	l := listen(t, r, server)
	server.Close()
	for _, test := range []struct {
		after time.Duration
		want  int32
	}{{time.Minute, 5}, {3 * time.Minute, 2}} {
		clock = clock.Add(test.after)
		l.askAll(t.Context())
		if got := r.digest(where{})[0].GetFailed(); got != test.want {
			t.Errorf("after %v more: %d failures, want %d", test.after, got, test.want)
		}
	}
}

// A peer is another cluster, and may send anything.
func TestWhatAPeerMayNotSay(t *testing.T) {
	recent := func(text string) string { return `{"version":1,"cluster":"north","recent":` + text + `}` }
	for _, test := range []struct{ name, text, want string }{
		{"no JSON", "<html>", "invalid character"},
		{"another version", `{"version":2,"cluster":"north"}`, "version 2, expected 1"},
		{"no name", `{"version":1}`, `cluster "", expected a name of its own`},
		{"a name that makes nodes of another cluster", `{"version":1,"cluster":"a/b"}`, `cluster "a/b"`},
		{"another window", recent(`{"window":"3600s","failed":1}`), "window 1h0m0s with 0 groups, expected 10m0s"},
		{"an unknown cause", recent(`{"window":"600s","failed":1,"groups":[{"cause":9999,"workloads":1}]}`), "groups[0] does not fit"},
		{"less than nothing", recent(`{"window":"600s","failed":1,"groups":[{"cause":"NODE_LOST","workloads":-5}]}`), "groups[0] does not fit"},
		{"too many", recent(`{"window":"600s","failed":2000000000}`), "failed 2000000000, expected 0 to 1000000"},
		{"more in groups than in all", recent(`{"window":"600s","failed":1,"groups":[{"cause":"NODE_LOST","workloads":2}]}`), "failed 1, expected 2"},
		{"a name without end", recent(`{"window":"600s","failed":1,"groups":[{"cause":"NODE_LOST","workloads":1,"zone":"` + strings.Repeat("z", 2000) + `"}]}`), "groups[0] does not fit"},
		{"an answer without end", strings.Repeat(" ", maxDigestBytes+1), fmt.Sprint("more than ", maxDigestBytes, " bytes")},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, test.text) }))
			r := cluster(2, mulliganv1.Cause_FABRIC_FAULT, "a")
			l := listen(t, r, server)
			if got := r.digest(where{})[0].GetFailed(); got != 2 {
				t.Errorf("%d failures are reported, want our 2", got)
			}
			if _, err := l.ask(t.Context(), server.URL); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

// Whatever peers send, the service takes the question.
func TestPeersDoNotMakeQuestionsInvalid(t *testing.T) {
	client := realserver.Start(t).Dial(t)
	many := `{"window":"600s","failed":1000000,"groups":[{"cause":"NODE_LOST","workloads":1000000}]}`
	for name, texts := range map[string][]string{
		"less than nothing is usual": {`{"window":"600s","failed":1,"groups":[{"cause":"NODE_LOST","workloads":1,"usual":-1}]}`},
		"no number is usual":         {`{"window":"600s","failed":1,"groups":[{"cause":"NODE_LOST","workloads":1,"usual":"NaN"}]}`},
		"retries less than nothing":  {`{"window":"600s","failed":1,"groups":[{"cause":"NODE_LOST","workloads":1,"passed":-1,"failedAgain":-1}]}`},
		"odd totals":                 {`{"window":"600s","failed":1,"running":-1,"nodes":-1,"canaries":-1,"recovered":-1}`},
		"more than a request takes":  {many, many},
	} {
		t.Run(name, func(t *testing.T) {
			r := cluster(2, mulliganv1.Cause_FABRIC_FAULT, "a")
			var servers []*httptest.Server
			for i, text := range texts {
				servers = append(servers, httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					fmt.Fprintf(w, `{"version":1,"cluster":"north-%d","recent":%s}`, i, text)
				})))
			}
			listen(t, r, servers...)
			request, err := mulligan.NewReport().Add(endedPod(time.Now().Add(-time.Minute))).Request(nil)
			if err != nil {
				t.Fatal(err)
			}
			request.Recent = r.digest(where{})
			if _, err := client.Decide(t.Context(), request); err != nil {
				t.Errorf("%v; asked with %v", err, request.Recent)
			}
		})
	}
}

func TestCanariesOfOthersAreTheirs(t *testing.T) {
	other := cluster(1, mulliganv1.Cause_FABRIC_FAULT, "a")
	other.recovered = 7
	r := cluster(2, mulliganv1.Cause_FABRIC_FAULT, "a")
	listen(t, r, serving(other, "north", true))
	if digest := r.digest(where{})[0]; digest.GetRecovered() != 0 || digest.GetFailed() != 3 {
		t.Errorf("got %v", digest)
	}
}

func TestATokenIsPresentedToPeers(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := ""
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r.Header.Get("Authorization")
		fmt.Fprint(w, `{"version":1,"cluster":"north"}`)
	}))
	defer server.Close()
	l, err := newListener(Peers{Cluster: "south", URLs: []string{server.URL}, TokenFile: file}, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.ask(t.Context(), server.URL); err == nil {
		t.Error("an untrusted certificate was accepted")
	}
	l.client = server.Client()
	if _, err := l.ask(t.Context(), server.URL); err != nil || got != "Bearer secret" {
		t.Errorf("%v, presented %q", err, got)
	}
}

func TestPeersThatCannotBeUsedAreNamed(t *testing.T) {
	for _, test := range []struct {
		peers Peers
		want  string
	}{
		{Peers{Cluster: "a", URLs: []string{"north:8443"}}, `--peers: "north:8443", expected https://HOST:PORT`},
		{Peers{Cluster: "a", URLs: []string{"http://north"}, TokenFile: "f"}, "a token would travel in the clear"},
		{Peers{URLs: []string{"https://north"}}, "--cluster-name is empty"},
		{Peers{Cluster: "a/b"}, `--cluster-name="a/b", expected at most 100 characters and no slash`},
	} {
		if err := test.peers.Validate(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
}

// The service finds an incident that no cluster sees alone.
func TestAnIncidentOfTwoClustersIsFound(t *testing.T) {
	client := realserver.Start(t).Dial(t)
	ended := metav1.NewTime(time.Now().Add(-time.Minute).Truncate(time.Second))
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "ml", UID: types.UID("u")},
		Spec:       corev1.PodSpec{NodeName: "n1", Containers: []corev1.Container{{Name: "main", Image: "i"}}},
		Status: corev1.PodStatus{Phase: corev1.PodFailed, ContainerStatuses: []corev1.ContainerStatus{{Name: "main", State: corev1.ContainerState{
			Terminated: &corev1.ContainerStateTerminated{ExitCode: 1, Reason: "Error", FinishedAt: ended, Message: "NCCL WARN NET/IB : Got completion from peer with status=12 error, vendor err 129"},
		}}}},
	}
	derived := func(r *recent) mulliganv1.DerivedCause {
		request, err := mulligan.NewReport().Add(pod).Request(nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Recent = r.digest(where{zone: "a", image: "i"})
		answer, err := client.Decide(t.Context(), request)
		if err != nil {
			t.Fatal(err)
		}
		if cause := answer.GetDiagnosis().GetCause(); cause != mulliganv1.Cause_FABRIC_FAULT {
			t.Fatalf("cause %v", cause)
		}
		return answer.GetDiagnosis().GetDerivedCause()
	}
	r := cluster(2, mulliganv1.Cause_FABRIC_FAULT, "a")
	if got := derived(r); got == mulliganv1.DerivedCause_INCIDENT {
		t.Errorf("alone: %v", got)
	}
	listen(t, r, serving(cluster(30, mulliganv1.Cause_FABRIC_FAULT, "a"), "north", true))
	if got := derived(r); got != mulliganv1.DerivedCause_INCIDENT {
		t.Errorf("together: %v, want INCIDENT", got)
	}
}
