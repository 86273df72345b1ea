package kubectl

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/httpstream"
	"k8s.io/apimachinery/pkg/util/httpstream/spdy"
)

// apiServer answers discovery, GET, and LIST in pages, from a few objects, and forwards
// ports of pods to one address.
type apiServer struct {
	*httptest.Server
	mutex   sync.Mutex
	objects []*unstructured.Unstructured
	// Target of "portforward" of any pod.
	forwardTo string
	requests  []string
	// The log of every container.
	log string
	// Answers a request instead of the objects, unless it returns nil.
	refuse func(r *http.Request) *metav1.Status
	// "limit" of each request.
	limits []string
}

// served are the API resources.
var served = []struct {
	groupVersion, kind, plural string
	short                      []string
}{
	{"v1", "Pod", "pods", []string{"po"}},
	{"v1", "Event", "events", []string{"ev"}},
	{"v1", "Node", "nodes", nil},
	{"v1", "Namespace", "namespaces", nil},
	{"v1", "Service", "services", nil},
	{"v1", "ConfigMap", "configmaps", nil},
	{"apps/v1", "Deployment", "deployments", []string{"deploy"}},
	{"batch/v1", "Job", "jobs", nil},
	{"batch/v1", "CronJob", "cronjobs", []string{"cj"}},
	{"jobset.x-k8s.io/v1alpha2", "JobSet", "jobsets", nil},
	{"mulligan.dev/v1", "RetryRecord", "retryrecords", []string{"retries"}},
}

func newAPIServer(t *testing.T, objects ...*unstructured.Unstructured) *apiServer {
	t.Helper()
	s := &apiServer{objects: objects}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

// kubeconfig writes a kubeconfig for the server, with namespace ml.
func (s *apiServer) kubeconfig(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "kubeconfig")
	text := `{"apiVersion":"v1","kind":"Config","current-context":"c","clusters":[{"name":"c","cluster":{"server":"` + s.URL +
		`"}}],"contexts":[{"name":"c","context":{"cluster":"c","namespace":"ml"}}]}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func (s *apiServer) serve(w http.ResponseWriter, r *http.Request) {
	s.mutex.Lock()
	s.requests = append(s.requests, r.Method+" "+r.URL.Path)
	s.limits = append(s.limits, r.URL.Query().Get("limit"))
	s.mutex.Unlock()
	if strings.HasSuffix(r.URL.Path, "/portforward") {
		s.forward(w, r)
		return
	}
	if strings.HasSuffix(r.URL.Path, "/log") {
		io.WriteString(w, s.log)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if s.refuse != nil {
		if status := s.refuse(r); status != nil {
			status.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
			w.WriteHeader(int(status.Code))
			json.NewEncoder(w).Encode(status)
			return
		}
	}
	answer, found := s.answer(r)
	if !found {
		w.WriteHeader(http.StatusNotFound)
		answer = metav1.Status{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure,
			Reason: metav1.StatusReasonNotFound, Code: http.StatusNotFound, Message: r.URL.Path + " not found",
		}
	}
	json.NewEncoder(w).Encode(answer)
}

func (s *apiServer) answer(r *http.Request) (any, bool) {
	path := strings.Trim(r.URL.Path, "/")
	switch path {
	case "api":
		return metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{"v1"}}, true
	case "apis":
		return groups(), true
	}
	parts := strings.Split(path, "/")
	groupVersion, rest := parts[1], parts[2:]
	if parts[0] == "apis" {
		groupVersion, rest = parts[1]+"/"+parts[2], parts[3:]
	}
	if len(rest) == 0 {
		return resources(groupVersion), true
	}
	namespace := ""
	if rest[0] == "namespaces" && len(rest) > 2 {
		namespace, rest = rest[1], rest[2:]
	}
	return s.read(groupVersion, namespace, rest, r)
}

func groups() metav1.APIGroupList {
	list := metav1.APIGroupList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "APIGroupList"}}
	for _, resource := range served {
		group, version, ok := strings.Cut(resource.groupVersion, "/")
		known := slices.ContainsFunc(list.Groups, func(g metav1.APIGroup) bool { return g.Name == group })
		if !ok || known {
			continue
		}
		at := metav1.GroupVersionForDiscovery{GroupVersion: resource.groupVersion, Version: version}
		list.Groups = append(list.Groups, metav1.APIGroup{Name: group, Versions: []metav1.GroupVersionForDiscovery{at}, PreferredVersion: at})
	}
	return list
}

func resources(groupVersion string) metav1.APIResourceList {
	list := metav1.APIResourceList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "APIResourceList"}, GroupVersion: groupVersion}
	for _, resource := range served {
		if resource.groupVersion == groupVersion {
			list.APIResources = append(list.APIResources, metav1.APIResource{
				Name: resource.plural, SingularName: strings.ToLower(resource.kind), Kind: resource.kind,
				Namespaced: resource.kind != "Node" && resource.kind != "Namespace", Verbs: metav1.Verbs{"get", "list"}, ShortNames: resource.short,
			})
		}
	}
	return list
}

func (s *apiServer) read(groupVersion, namespace string, rest []string, r *http.Request) (any, bool) {
	at := slices.IndexFunc(served, func(one struct {
		groupVersion, kind, plural string
		short                      []string
	}) bool {
		return one.groupVersion == groupVersion && one.plural == rest[0]
	})
	if at < 0 {
		return nil, false
	}
	selector, err := labels.Parse(r.URL.Query().Get("labelSelector"))
	if err != nil {
		panic(err)
	}
	about := strings.TrimPrefix(r.URL.Query().Get("fieldSelector"), "involvedObject.uid=")
	items := []any{}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, object := range s.objects {
		uid, _, _ := unstructured.NestedString(object.Object, "involvedObject", "uid")
		if object.GetAPIVersion() != groupVersion || object.GetKind() != served[at].kind ||
			namespace != "" && object.GetNamespace() != namespace || !selector.Matches(labels.Set(object.GetLabels())) || about != "" && uid != about {
			continue
		}
		if len(rest) == 2 && object.GetName() == rest[1] {
			return object.Object, true
		}
		items = append(items, object.Object)
	}
	if len(rest) == 2 {
		return nil, false
	}
	metadata := map[string]any{}
	from, _ := strconv.Atoi(r.URL.Query().Get("continue"))
	items = items[from:]
	if limit, _ := strconv.Atoi(r.URL.Query().Get("limit")); limit > 0 && len(items) > limit {
		items = items[:limit]
		metadata["continue"] = strconv.Itoa(from + limit)
	}
	return map[string]any{"apiVersion": groupVersion, "kind": served[at].kind + "List", "metadata": metadata, "items": items}, true
}

// change replaces an object.
func (s *apiServer) change(object *unstructured.Unstructured) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for i, old := range s.objects {
		if old.GetKind() == object.GetKind() && old.GetName() == object.GetName() {
			s.objects[i] = object
		}
	}
}

// forward copies data like the kubelet.
func (s *apiServer) forward(w http.ResponseWriter, r *http.Request) {
	if _, err := httpstream.Handshake(r, w, []string{"portforward.k8s.io"}); err != nil {
		return
	}
	connection := spdy.NewResponseUpgrader().UpgradeResponse(w, r, func(stream httpstream.Stream, replied <-chan struct{}) error {
		if stream.Headers().Get("streamType") != "data" {
			return nil
		}
		go func() {
			<-replied
			defer stream.Close()
			target, err := net.Dial("tcp", s.forwardTo)
			if err != nil {
				return
			}
			defer target.Close()
			go io.Copy(target, stream)
			io.Copy(stream, target)
		}()
		return nil
	})
	if connection != nil {
		<-connection.CloseChan()
	}
}
