package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mulligan.dev/mulligan"
	"mulligan.dev/mulligan/internal/controller"
	"mulligan.dev/mulligan/internal/retrypolicy"
)

// The API server's discovery; everything else is forbidden.
var discovery = map[string]string{
	"/api":  `{"kind":"APIVersions","versions":["v1"]}`,
	"/apis": `{"kind":"APIGroupList","apiVersion":"v1","groups":[{"name":"batch","versions":[{"groupVersion":"batch/v1","version":"v1"}],"preferredVersion":{"groupVersion":"batch/v1","version":"v1"}}]}`,
	"/api/v1": `{"kind":"APIResourceList","groupVersion":"v1","resources":[
		{"name":"pods","namespaced":true,"kind":"Pod","verbs":["list","watch"]},
		{"name":"events","namespaced":true,"kind":"Event","verbs":["list","watch"]},
		{"name":"nodes","namespaced":false,"kind":"Node","verbs":["list","watch"]},
		{"name":"namespaces","namespaced":false,"kind":"Namespace","verbs":["list","watch"]},
		{"name":"configmaps","namespaced":true,"kind":"ConfigMap","verbs":["list","watch"]}]}`,
	"/apis/batch":    `{"kind":"APIGroup","apiVersion":"v1","name":"batch","versions":[{"groupVersion":"batch/v1","version":"v1"}]}`,
	"/apis/batch/v1": `{"kind":"APIResourceList","groupVersion":"batch/v1","resources":[{"name":"jobs","namespaced":true,"kind":"Job","verbs":["list","watch"]}]}`,
}

// forbiddingCluster returns the paths that were asked for.
func forbiddingCluster(t *testing.T) *sync.Map {
	t.Helper()
	asked := &sync.Map{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Store(r.URL.Path, true)
		w.Header().Set("Content-Type", "application/json")
		if text, ok := discovery[r.URL.Path]; ok {
			fmt.Fprint(w, text)
			return
		}
		if strings.HasPrefix(r.URL.Path, "/apis/") && strings.Count(r.URL.Path, "/") == 3 {
			http.NotFound(w, r) // a kind that is not installed
			return
		}
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","message":"no RBAC rule","code":403}`)
	}))
	t.Cleanup(server.Close)
	file := filepath.Join(t.TempDir(), "kubeconfig")
	text := `{"apiVersion":"v1","kind":"Config","current-context":"c","clusters":[{"name":"c","cluster":{"server":"` + server.URL +
		`"}}],"contexts":[{"name":"c","context":{"cluster":"c"}}]}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBECONFIG", file)
	return asked
}

// controller-runtime's manager then ignores signals. What a verdict reads is read before
// the first one, which has a second.
func TestIsNotReadyWithoutReadAccess(t *testing.T) {
	asked := forbiddingCluster(t)
	f, err := parse([]string{"--leader-elect=false", "--metrics-address=0", "--health-address=0", "--server=127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	mgr, err := newManager(f, controller.NewTies())
	if err != nil {
		t.Fatal(err)
	}
	f.Webhooks, f.WebhooksReady = true, make(chan struct{})
	service, err := mulligan.Dial(f.server)
	if err != nil {
		t.Fatal(err)
	}
	defer service.Close()
	if err := controller.SetUp(mgr, service, controller.NewTies(), f.Options); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- start(ctx, mgr) }()
	if err := sees(mgr.GetCache())(httptest.NewRequest("GET", "/readyz", nil)); err == nil {
		t.Error("ready, though nothing may be read")
	}
	for _, path := range []string{"/api/v1/pods", "/api/v1/nodes", "/api/v1/namespaces", "/api/v1/events", "/apis/batch/v1/jobs"} {
		deadline := time.Now().Add(time.Minute)
		for _, ok := asked.Load(path); !ok; _, ok = asked.Load(path) {
			if time.Now().After(deadline) {
				t.Fatalf("%s is not read", path)
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	cancel()
	select {
	case err := <-ended:
		if err == nil {
			t.Error("stopped as if all had been well")
		}
	case <-time.After(time.Minute):
		t.Error("still there")
	}
}

func TestPoliciesNeedTheirKind(t *testing.T) {
	forbiddingCluster(t)
	f, err := parse([]string{"--retry-policies", "--metrics-address=0", "--health-address=0"})
	if err != nil {
		t.Fatal(err)
	}
	mgr, err := newManager(f, controller.NewTies())
	if err != nil {
		t.Fatal(err)
	}
	err = (&retrypolicy.Reconciler{Client: mgr.GetClient()}).SetUp(mgr)
	if err == nil || !strings.Contains(err.Error(), "kubectl apply -f deploy/controller/retrypolicies.yaml") {
		t.Errorf("got %v", err)
	}
}

func TestRejectsInvalidFlags(t *testing.T) {
	for _, flag := range []string{"--watch-namespaces=a,,b", "--watch-namespaces=a,", "--mode=foo", "--max-age=-1s", "--concurrency=0", "more"} {
		name, _, _ := strings.Cut(flag, "=")
		if _, err := parse([]string{flag}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v", flag, err)
		}
	}
}
