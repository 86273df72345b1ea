package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mulligan.dev/mulligan/internal/badnode"
	"mulligan.dev/mulligan/internal/controller"
)

// Fails before anything is watched or asked.
func TestInvalidSetupEndsStart(t *testing.T) {
	forbiddingCluster(t)
	receivers := filepath.Join(t.TempDir(), "receivers.yaml")
	if err := os.WriteFile(receivers, []byte("receivers: [{name: a, webhook: {url: 'ftp://h'}}]"), 0o600); err != nil {
		t.Fatal(err)
	}
	noLog := filepath.Join(t.TempDir(), "pod.json")
	if err := os.WriteFile(noLog, []byte("{\"kind\": \"Pod\"}\nnothing\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ flag, want string }{
		{"--receivers=/no/such", "receivers: open /no/such"},
		{"--receivers=" + receivers, "receivers[0] (a).webhook.url: "},
		{"--logs=journal", `--logs: "journal", expected kubernetes, loki=URL or file=PATTERN`},
		{"--node-action=cordon", `--node-action="cordon", expected one of none event condition taint`},
		{"--peers=north", `--peers: "north", expected https://HOST:PORT`},
		{"--print-trial=/no/such", "--print-trial: stat /no/such"},
		{"--print-trial=" + noLog, "is no decision log: none of its 2 lines is a decision"},
	} {
		if err := run([]string{test.flag, "--server=127.0.0.1:1"}); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.flag, err, test.want)
		}
	}
}

func TestItActsWhereItLooks(t *testing.T) {
	_, err := parse([]string{"--watch-namespaces=ml,etl", "--act-namespaces=ml,acted"})
	if err == nil || !strings.Contains(err.Error(), `--act-namespaces: "acted" is not among --watch-namespaces=ml,etl`) {
		t.Errorf("%v", err)
	}
	for _, watched := range []string{"", "etl,ml"} {
		if _, err := parse([]string{"--watch-namespaces=" + watched, "--act-namespaces=ml"}); err != nil {
			t.Errorf("%q: %v", watched, err)
		}
	}
}

// New writes are off by default.
func TestNothingNewIsOnByDefault(t *testing.T) {
	f, err := parse(nil)
	if err != nil {
		t.Fatal(err)
	}
	if f.Mode != controller.Observe || f.Nodes.Action != badnode.None || f.receivers != "" || f.logs != "" || f.Peers.URLs != nil || f.ActIn != nil || f.CountObserved || f.NoEvents {
		t.Errorf("%+v", f)
	}
}

func TestFlagsOfATrial(t *testing.T) {
	f, err := parse([]string{"--read-only", "--count-observed", "--events=false", "--act-namespaces=ml,etl"})
	if err != nil {
		t.Fatal(err)
	}
	if !f.ReadOnly || !f.CountObserved || !f.NoEvents || !slices.Equal(f.ActIn, []string{"ml", "etl"}) {
		t.Errorf("%+v", f.Options)
	}
}
