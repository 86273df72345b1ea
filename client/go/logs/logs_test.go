package logs

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"mulligan.dev/mulligan"
)

func run() mulligan.LogsOf {
	return mulligan.LogsOf{
		Pod:       &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "train-1", UID: "u1"}},
		Container: "main", Previous: true, Restarts: 2,
		Started: time.Unix(1000, 0), Ended: time.Unix(2000, 0),
	}
}

func tail(t *testing.T, reader mulligan.LogReader, most int) string {
	t.Helper()
	text, err := reader.Tail(t.Context(), run(), most)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestKubernetes(t *testing.T) {
	answers := map[string]func(http.ResponseWriter){
		"the end": func(w http.ResponseWriter) {
			fmt.Fprint(w, strings.Repeat("x", 6<<20), "\nthe end")
		},
		"": func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404}`)
		},
	}
	for want, answer := range answers {
		asked := ""
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked = r.URL.String()
			answer(w)
		}))
		defer server.Close()
		reader, err := Parse("kubernetes", &rest.Config{Host: server.URL})
		if err != nil {
			t.Fatal(err)
		}
		if got := tail(t, reader, 7); got != want {
			t.Errorf("tail %q, want %q", got, want)
		}
		if want := "/api/v1/namespaces/ml/pods/train-1/log?container=main&previous=true&tailLines=2000"; asked != want {
			t.Errorf("asked %s, want %s", asked, want)
		}
	}
}

func TestLoki(t *testing.T) {
	var asked *http.Request
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r
		fmt.Fprint(w, `{"status":"success","data":{"resultType":"streams","result":[
			{"stream":{"stream":"stdout"},"values":[["1500000000003","third"],["1500000000001","first"]]},
			{"stream":{"stream":"stderr"},"values":[["1500000000004","fifth"],["1500000000004","fourth",{"trace_id":"0242ac120002"}],["1500000000002","second",{}]]}],"stats":{"summary":{"execTime":0.1}}}}`)
	}))
	defer server.Close()
	reader, err := Parse("loki="+server.URL+"/prefix#team-a", nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := tail(t, reader, 1000); got != "first\nsecond\nthird\nfourth\nfifth\n" {
		t.Errorf("tail %q, want the lines in the order they were written", got)
	}
	if got := tail(t, reader, 6); got != "fifth\n" {
		t.Errorf("tail %q, want the last six bytes", got)
	}
	query := asked.URL.Query()
	if asked.URL.Path != "/prefix/loki/api/v1/query_range" || asked.Header.Get("X-Scope-OrgID") != "team-a" ||
		query.Get("query") != `{namespace="ml",pod="train-1",container="main"}` || query.Get("direction") != "backward" ||
		query.Get("start") != "940000000000" || query.Get("end") != "2060000000000" {
		t.Errorf("asked %s with %v", asked.URL, asked.Header)
	}
}

// Loki refuses queries of more than 30 days and an hour.
func TestOfALongRunLokiIsAskedAboutTheLastMonth(t *testing.T) {
	var asked url.Values
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.URL.Query()
		fmt.Fprint(w, `{"status":"success","data":{"resultType":"streams","result":[]}}`)
	}))
	defer server.Close()
	reader, err := NewLoki(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	const day = 24 * 3600
	long := run()
	long.Started, long.Ended = time.Unix(0, 0), time.Unix(45*day, 0)
	if text, err := reader.Tail(t.Context(), long, 100); err != nil || len(text) > 0 {
		t.Errorf("tail %q, %v, want nothing", text, err)
	}
	start, end := fmt.Sprintf("%d000000000", 15*day+60), fmt.Sprintf("%d000000000", 45*day+60)
	if asked.Get("start") != start || asked.Get("end") != end {
		t.Errorf("asked from %s to %s, want %s to %s", asked.Get("start"), asked.Get("end"), start, end)
	}
}

func TestPassesOnRefusalOfLoki(t *testing.T) {
	const limit = "max entries limit per query exceeded, limit > max_entries_limit_per_query (2000 > 1000)"
	for _, test := range []struct {
		status          int
		kind, says, err string
	}{
		{http.StatusBadRequest, "text/plain; charset=utf-8", limit + "\n", `loki: 400 Bad Request: "` + limit + `"`},
		{http.StatusUnauthorized, "text/plain", "no org id", `loki: 401 Unauthorized: "no org id"`},
		{http.StatusTooManyRequests, "text/plain", "too many outstanding requests\x1b[31m\nmore", `loki: 429 Too Many Requests: "too many outstanding requests\x1b[31m"`},
		{http.StatusBadGateway, "text/plain", strings.Repeat("x", 300), `loki: 502 Bad Gateway: "` + strings.Repeat("x", maxReason) + `..."`},
		{http.StatusBadGateway, "text/html", "<html>", "loki: 502 Bad Gateway"},
		{http.StatusServiceUnavailable, "text/plain", "", "loki: 503 Service Unavailable"},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", test.kind)
			w.WriteHeader(test.status)
			fmt.Fprint(w, test.says)
		}))
		reader, err := NewLoki(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := reader.Tail(t.Context(), run(), 100); err == nil || err.Error() != test.err {
			t.Errorf("%d: %v, want %s", test.status, err, test.err)
		}
		server.Close()
	}
}

// For any answer of Loki or a proxy, the error contains no secrets of the address.
func TestLokiThatFailsIsAnErrorWithoutItsAddress(t *testing.T) {
	const token, tenant = "glc_0123456789", "c2VjcmV0LXBhdGg"
	for name, answer := range map[string]http.HandlerFunc{
		"it says nothing": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) },
		"it repeats the path": func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, "no route to "+r.URL.Path, http.StatusNotFound)
		},
		"it repeats who asks": func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, "not you: "+r.Header.Get("Authorization"), http.StatusUnauthorized)
		},
		"it knows who asks": func(w http.ResponseWriter, r *http.Request) {
			user, password, _ := r.BasicAuth()
			http.Error(w, user+" may not, with "+password, http.StatusForbidden)
		},
		"it leads to what is no address": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "http://%zz"+r.URL.Path)
			w.WriteHeader(http.StatusFound)
		},
		"it closes the connection": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		server := httptest.NewServer(answer)
		reader, err := NewLoki(strings.Replace(server.URL, "http://", "http://"+token+":hunter2@", 1) + "/" + tenant)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			_, err := reader.Tail(t.Context(), run(), 100)
			if err == nil {
				t.Fatalf("%s: no error", name)
			}
			for _, secret := range []string{"hunter2", token, tenant, server.Listener.Addr().String(), base64.StdEncoding.EncodeToString([]byte(token + ":hunter2"))} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("%s: %v repeats %s", name, err, secret)
				}
			}
			server.Close()
		}
	}
}

func TestFiles(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "ml_train-1_u1", "main")
	if err := os.MkdirAll(path, 0o755); err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("2026-11-03T09:07:33.123456789Z stdout F a line\n", 100) + "2026-11-03T09:07:33.123456789+01:00 stderr F the end\n"
	if err := os.WriteFile(filepath.Join(path, "2.log"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	reader, err := Parse("file="+folder+"/{namespace}_{pod}_{uid}/{container}/{restarts}.log", nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := tail(t, reader, 15); got != "a line\nthe end\n" {
		t.Errorf("tail %q, want the last lines as they were written", got)
	}
	other := run()
	other.Restarts = 7
	if text, err := reader.Tail(t.Context(), other, 15); err != nil || len(text) > 0 {
		t.Errorf("of a file that is not there: %q, %v, want nothing", text, err)
	}
}

// Names come from objects that others write.
func TestNoNameLeadsToAnotherFile(t *testing.T) {
	reader, err := NewFiles(t.TempDir() + "/{pod}/{container}")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"../../etc/passwd", "..", "."} {
		of := run()
		of.Container = name
		if _, err := reader.Tail(t.Context(), of, 10); err == nil || !strings.Contains(err.Error(), "another path") {
			t.Errorf("container %q: %v, want a refusal", name, err)
		}
	}
}

func TestRejectsUnknownSources(t *testing.T) {
	for source, want := range map[string]string{
		"elastic":                    `"elastic", expected kubernetes, loki=URL or file=PATTERN`,
		"loki=loki:3100":             `loki="loki:3100", expected http://HOST or https://HOST`,
		"loki=htp://me:hunter2@loki": "no such URL, expected http://HOST",
		"file=logs/{pod}":            "expected an absolute path",
		"file=/var/log/all.log":      "with {pod} or {uid} in it",
		"file=/logs/{pod}{job}":      "no placeholder but {namespace} {pod} {uid} {container} {restarts}",
	} {
		if _, err := Parse(source, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q in it", source, err, want)
		}
	}
}
