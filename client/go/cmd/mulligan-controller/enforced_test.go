package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/config"

	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/controller"
	"mulligan.dev/mulligan/mulligantest"
)

// enforcing is an API server with one failed Job. It allows exactly what the roles of
// deploy/controller allow, and stores nothing.
type enforcing struct {
	rights map[string][]string
	lock   sync.Mutex
	// Requests that were accepted and refused, as VERB RESOURCE. written also contains the
	// reasons of Events.
	written, refused map[string]bool
}

var enforcedResources = map[string][]metav1.APIResource{
	"/api/v1": {
		{Name: "pods", Kind: "Pod", Namespaced: true}, {Name: "events", Kind: "Event", Namespaced: true},
		{Name: "configmaps", Kind: "ConfigMap", Namespaced: true}, {Name: "namespaces", Kind: "Namespace"}, {Name: "nodes", Kind: "Node"},
	},
	"/apis/batch/v1":        {{Name: "jobs", Kind: "Job", Namespaced: true}, {Name: "cronjobs", Kind: "CronJob", Namespaced: true}},
	"/apis/mulligan.dev/v1": {{Name: "retryrecords", Kind: "RetryRecord", Namespaced: true}},
}

func failedOne() *batchv1.Job {
	ended := metav1.NewTime(time.Now().Add(-20 * time.Second).UTC().Truncate(time.Second))
	template := corev1.PodTemplateSpec{Spec: corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "main", Image: "train"}}}}
	return &batchv1.Job{
		TypeMeta:   metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "train", UID: "uid-train", ResourceVersion: "1", Generation: 1, CreationTimestamp: ended},
		Spec:       batchv1.JobSpec{Template: template},
		Status: batchv1.JobStatus{Failed: 1, Conditions: []batchv1.JobCondition{{
			Type: batchv1.JobFailed, Status: corev1.ConditionTrue, Reason: "BackoffLimitExceeded", LastTransitionTime: ended,
		}}},
	}
}

// asked is a parsed request. api is the path of the API group and version; an empty resource
// means discovery of a group that is not installed.
type asked struct{ api, group, resource, name, verb string }

func askedBy(r *http.Request) asked {
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/"), "/")
	a, depth := asked{}, 2
	if parts[0] == "apis" {
		a.group, depth = parts[1], 3
	}
	a.api, parts = "/"+strings.Join(parts[:depth], "/"), parts[depth:]
	if len(parts) > 2 && parts[0] == "namespaces" {
		parts = parts[2:]
	}
	if len(parts) > 0 {
		a.resource = parts[0]
	}
	if len(parts) > 1 {
		a.name = parts[1]
	}
	a.verb = map[string]string{http.MethodPost: "create", http.MethodPut: "update", http.MethodPatch: "patch", http.MethodDelete: "delete"}[r.Method]
	switch {
	case a.verb != "":
	case r.URL.Query().Get("watch") != "":
		a.verb = "watch"
	case a.name != "":
		a.verb = "get"
	default:
		a.verb = "list"
	}
	return a
}

func (e *enforcing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if answer := discoveryOf(r.URL.Path); answer != nil {
		json.NewEncoder(w).Encode(answer)
		return
	}
	a, job := askedBy(r), failedOne()
	switch {
	case a.resource == "":
		fail(w, http.StatusNotFound, "NotFound")
	case !slices.Contains(e.rights[a.group+"/"+a.resource], a.verb):
		e.note(e.refused, a.verb+" "+a.resource)
		fail(w, http.StatusForbidden, "Forbidden")
	case a.verb == "watch" && r.URL.Query().Get("sendInitialEvents") != "":
		fail(w, http.StatusUnprocessableEntity, "Invalid")
	case a.verb == "watch":
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	case a.verb == "list":
		json.NewEncoder(w).Encode(a.list())
	case a.verb == "get" && a.resource == "jobs" && a.name == job.Name:
		json.NewEncoder(w).Encode(job)
	case a.verb == "get":
		fail(w, http.StatusNotFound, "NotFound")
	default:
		e.note(e.written, a.verb+" "+a.resource)
		e.take(w, r, a)
	}
}

// list returns the Job, its namespace, or an empty list.
func (a asked) list() map[string]any {
	items := map[string][]any{
		"jobs":       {failedOne()},
		"namespaces": {map[string]any{"metadata": map[string]any{"name": "ml", "uid": "uid-ml", "labels": map[string]string{"mulligan.dev/policy": ""}}}},
	}[a.resource]
	kind := ""
	for _, each := range enforcedResources[a.api] {
		if each.Name == a.resource {
			kind = each.Kind
		}
	}
	return map[string]any{
		"apiVersion": strings.TrimPrefix(strings.TrimPrefix(a.api, "/apis/"), "/api/"), "kind": kind + "List",
		"metadata": map[string]any{"resourceVersion": "1"}, "items": append([]any{}, items...),
	}
}

// take answers a write with the object as JSON; requests may be protobuf.
func (e *enforcing) take(w http.ResponseWriter, r *http.Request, a asked) {
	body, _ := io.ReadAll(r.Body)
	if a.verb == "patch" {
		body, _ = json.Marshal(failedOne())
	}
	if obj, _, err := scheme.Codecs.UniversalDeserializer().Decode(body, nil, nil); err == nil {
		if event, ok := obj.(*corev1.Event); ok {
			e.note(e.written, event.Reason)
		}
		body, _ = json.Marshal(obj)
	}
	w.Write(body)
}

func fail(w http.ResponseWriter, code int, reason string) {
	w.WriteHeader(code)
	fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":%q,"code":%d}`, reason, code)
}

func discoveryOf(path string) any {
	if path == "/api" {
		return metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{"v1"}}
	}
	if path == "/apis" {
		groups := metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}}
		for _, name := range []string{"batch", "mulligan.dev"} {
			version := metav1.GroupVersionForDiscovery{GroupVersion: name + "/v1", Version: "v1"}
			groups.Groups = append(groups.Groups, metav1.APIGroup{Name: name, Versions: []metav1.GroupVersionForDiscovery{version}, PreferredVersion: version})
		}
		return groups
	}
	if resources, ok := enforcedResources[path]; ok {
		return metav1.APIResourceList{
			TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: strings.TrimPrefix(strings.TrimPrefix(path, "/apis/"), "/api/"), APIResources: resources,
		}
	}
	return nil
}

func (e *enforcing) note(in map[string]bool, what string) {
	e.lock.Lock()
	defer e.lock.Unlock()
	in[what] = true
}

func (e *enforcing) has(in map[string]bool, what string) bool {
	e.lock.Lock()
	defer e.lock.Unlock()
	return in[what]
}

// enforce runs a controller with the rights of the files until the condition holds, for at most
// two minutes.
func enforce(t *testing.T, files []string, until func(*enforcing) bool, args ...string) *enforcing {
	t.Helper()
	e := &enforcing{rights: map[string][]string{}, written: map[string]bool{}, refused: map[string]bool{}}
	for _, file := range files {
		for _, rules := range rightsIn(t, file) {
			for key, verbs := range rules {
				e.rights[key] = append(e.rights[key], verbs...)
			}
		}
	}
	server := httptest.NewServer(e)
	t.Cleanup(server.Close)
	file := filepath.Join(t.TempDir(), "kubeconfig")
	text := `{"apiVersion":"v1","kind":"Config","current-context":"c","clusters":[{"name":"c","cluster":{"server":"` + server.URL +
		`"}}],"contexts":[{"name":"c","context":{"cluster":"c"}}]}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBECONFIG", file)
	f, err := parse(append(args, "--leader-elect=false", "--metrics-address=0", "--health-address=0"))
	if err != nil {
		t.Fatal(err)
	}
	ties := controller.NewTies()
	mgr, err := newManager(f, ties)
	if err != nil {
		t.Fatal(err)
	}
	service := mulligantest.New(t)
	for range 20 {
		service.Next(mulligantest.Cause(mulliganv1.Cause_CONTAINER_OOM, func(answer *mulliganv1.DecideResponse) { answer.Decision.RetryAfter = nil }))
	}
	if err := controller.SetUp(another{mgr}, service.Client(), ties, f.Options); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- mgr.Start(ctx) }()
	for begun := time.Now(); !until(e) && time.Since(begun) < 2*time.Minute; {
		time.Sleep(50 * time.Millisecond)
	}
	// Leaves time for later requests.
	time.Sleep(500 * time.Millisecond)
	cancel()
	server.CloseClientConnections()
	<-ended
	return e
}

// another allows several managers in one process.
type another struct{ ctrl.Manager }

func (a another) GetControllerOptions() config.Controller {
	options := a.Manager.GetControllerOptions()
	options.SkipNameValidation = ptr.To(true)
	return options
}

// With the rights of rbac.yaml the controller observes: it writes Events and its
// record, and no request is refused.
func TestObservingNeedsNoMoreThanItsRights(t *testing.T) {
	e := enforce(t, []string{"rbac.yaml"}, func(e *enforcing) bool { return e.has(e.written, "WouldRetry") })
	if len(e.refused) > 0 || !e.written["create retryrecords"] || !e.written["create events"] {
		t.Errorf("refused %v, written %v", e.refused, e.written)
	}
	if e.written["patch jobs"] || e.written["create jobs"] {
		t.Errorf("workloads are written: %v", e.written)
	}
}

// Acting needs the rights of act.yaml in addition.
func TestActingNeedsTheRightsToAct(t *testing.T) {
	tries := func(e *enforcing, write string) bool { return e.has(e.written, write) || e.has(e.refused, write) }
	e := enforce(t, []string{"rbac.yaml", "act.yaml"}, func(e *enforcing) bool { return tries(e, "create jobs") && tries(e, "patch jobs") }, "--mode=act")
	if len(e.refused) > 0 || !e.written["create jobs"] || !e.written["patch jobs"] {
		t.Errorf("refused %v, written %v", e.refused, e.written)
	}
	e = enforce(t, []string{"rbac.yaml"}, func(e *enforcing) bool { return tries(e, "patch jobs") || tries(e, "create jobs") }, "--mode=act")
	if e.written["create jobs"] || e.written["patch jobs"] || len(e.refused) == 0 {
		t.Errorf("with the rights to observe alone: refused %v, written %v", e.refused, e.written)
	}
}
