package main

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/client-go/rest"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"mulligan.dev/mulligan/internal/controller"
	"mulligan.dev/mulligan/internal/testing/certificates"
)

// reviewer is an API server that knows the tokens "prometheus", which may get /metrics,
// "peer", which may get recent failures, and "stranger".
func reviewer(t *testing.T) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.Path {
		case "/apis/authentication.k8s.io/v1/tokenreviews":
			var review authenticationv1.TokenReview
			json.NewDecoder(r.Body).Decode(&review)
			user := review.Spec.Token
			review.Status.Authenticated = user == "prometheus" || user == "stranger" || user == "peer"
			review.Status.User.Username = user
			json.NewEncoder(w).Encode(review)
		case "/apis/authorization.k8s.io/v1/subjectaccessreviews":
			var review authorizationv1.SubjectAccessReview
			json.NewDecoder(r.Body).Decode(&review)
			asked := review.Spec.NonResourceAttributes
			may := map[string]string{"prometheus": "/metrics", "peer": controller.DigestPath}
			review.Status.Allowed = may[review.Spec.User] == asked.Path && asked.Verb == "get"
			json.NewEncoder(w).Encode(review)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server
}

// serveMetrics returns the address of the metrics with the flags.
func serveMetrics(t *testing.T, args ...string) string {
	t.Helper()
	f, err := parse(append(args, "--metrics-address=127.0.0.1:0"))
	if err != nil {
		t.Fatal(err)
	}
	options, err := metricsOptions(f)
	if err != nil {
		t.Fatal(err)
	}
	api := reviewer(t)
	server, err := metricsserver.NewServer(options, &rest.Config{Host: api.URL}, api.Client())
	if err != nil {
		t.Fatal(err)
	}
	digest := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("{}")) })
	if err := server.AddExtraHandler(controller.DigestPath, digest); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- server.Start(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	for begun := time.Now(); time.Since(begun) < time.Minute; {
		if at := server.(interface{ GetBindAddr() string }).GetBindAddr(); at != "" {
			return at
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("metrics are not served")
	return ""
}

func TestMetricsAreForThoseTheAPIServerLetsRead(t *testing.T) {
	authority := certificates.New(t)
	files := authority.Issue(t, "mulligan-controller")
	address := serveMetrics(t, "--tls-cert="+files.Certificate, "--tls-key="+files.Key)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{
		RootCAs: authority.Pool(), ServerName: "mulligan-controller",
	}}}
	// An unknown token is an error to controller-runtime's filter.
	for who, want := range map[[2]string]int{
		{"", "/metrics"}: 401, {"nobody", "/metrics"}: 500, {"stranger", "/metrics"}: 403, {"prometheus", "/metrics"}: 200, {"peer", "/metrics"}: 403,
		{"", controller.DigestPath}: 401, {"stranger", controller.DigestPath}: 403, {"prometheus", controller.DigestPath}: 403, {"peer", controller.DigestPath}: 200,
	} {
		token, path := who[0], who[1]
		request, err := http.NewRequestWithContext(t.Context(), "GET", "https://"+address+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if token != "" {
			request.Header.Set("Authorization", "Bearer "+token)
		}
		answer, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("token %q, %s: %d, want %d", token, path, answer.StatusCode, want)
		}
	}
	if answer, err := http.Get("http://" + address + "/metrics"); err == nil && answer.StatusCode == 200 {
		t.Error("served in plaintext")
	}
}

func TestPublicMetrics(t *testing.T) {
	answer, err := http.Get("http://" + serveMetrics(t, "--metrics-secure=false") + "/metrics")
	if err != nil || answer.StatusCode != 200 {
		t.Errorf("%v, %v", answer, err)
	}
}
