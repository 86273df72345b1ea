package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"mulligan.dev/mulligan"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/testing/realserver"
)

// A line of tests/testdata/situations.jsonl: states of objects of every kind.
type situation struct {
	Name   string
	Report json.RawMessage
}

func situations(t *testing.T) []situation {
	t.Helper()
	root := os.Getenv("MULLIGAN_ROOT")
	if root == "" {
		t.Skip("MULLIGAN_ROOT is not set: run scripts/test-go")
	}
	text, err := os.ReadFile(filepath.Join(root, "tests", "testdata", "situations.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var all []situation
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, len(text))
	for lines.Scan() {
		var one situation
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
	return all
}

// Kubernetes' names for the fields of a report, and the controllers' types of those
// that they marshal.
var fields = map[string]struct {
	apiVersion, kind string
	typed            func() client.Object
}{
	"pods":             {"v1", "Pod", func() client.Object { return &corev1.Pod{} }},
	"jobs":             {"batch/v1", "Job", func() client.Object { return &batchv1.Job{} }},
	"nodes":            {"v1", "Node", func() client.Object { return &corev1.Node{} }},
	"events":           {"v1", "Event", func() client.Object { return &corev1.Event{} }},
	"jobSet":           {"jobset.x-k8s.io/v1alpha2", "JobSet", nil},
	"rayJob":           {"ray.io/v1", "RayJob", nil},
	"rayCluster":       {"ray.io/v1", "RayCluster", nil},
	"trainJob":         {"trainer.kubeflow.org/v1alpha1", "TrainJob", nil},
	"kueueWorkload":    {"kueue.x-k8s.io/v1beta2", "Workload", nil},
	"sparkApplication": {"sparkoperator.k8s.io/v1beta2", "SparkApplication", nil},
	"kubeflowJob":      {"kubeflow.org/v1", "", nil},
}

// objectsOf splits a report into the objects of a dynamic client. It drops everything
// else.
func objectsOf(t *testing.T, report json.RawMessage) []*unstructured.Unstructured {
	t.Helper()
	var members map[string]any
	if err := json.Unmarshal(report, &members); err != nil {
		t.Fatal(err)
	}
	var objects []*unstructured.Unstructured
	for field, value := range members {
		of, ok := fields[field]
		if !ok {
			continue
		}
		items, isList := value.([]any)
		if !isList {
			items = []any{value}
		}
		for _, item := range items {
			object := item.(map[string]any)
			object["apiVersion"] = of.apiVersion
			if of.kind != "" {
				object["kind"] = of.kind
			}
			objects = append(objects, &unstructured.Unstructured{Object: object})
		}
	}
	return objects
}

// typed makes k8s.io/api types where they exist, as an informer does.
func typed(t *testing.T, object *unstructured.Unstructured) runtime.Object {
	t.Helper()
	for _, of := range fields {
		if of.typed == nil || of.apiVersion != object.GetAPIVersion() || of.kind != object.GetKind() {
			continue
		}
		as := of.typed()
		text, err := object.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, as); err != nil {
			t.Fatalf("%s %s: %v", object.GetKind(), object.GetName(), err)
		}
		// Typed clients leave these empty.
		as.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
		return as
	}
	return object
}

// Every situation is reported in three ways: as a report's JSON, as unstructured
// objects and as typed objects sent as bytes. The C++ server, and the C++ command line,
// which reads the JSON itself, answer all equally.
func TestJSONAndBytesOfEveryKindGetTheSameAnswer(t *testing.T) {
	if command, server := commit(t, "mulligan"), commit(t, "mulligan-server"); command != server {
		t.Fatalf("mulligan is of commit %s and mulligan-server of %s: build both", command, server)
	}
	service := dial(t)
	all := situations(t)
	fromCommand := explainRequests(t, all)
	differences := 0
	for i, one := range all {
		asJSON := &mulliganv1.FailureReport{}
		// Objects may be of a newer release than the mirrors.
		if err := (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(one.Report, asJSON); err != nil {
			t.Fatalf("%s: %v", one.Name, err)
		}
		observed := asJSON.GetObservedAt().AsTime()
		loose, bytes := mulligan.NewReport(), mulligan.NewReport()
		for _, object := range objectsOf(t, one.Report) {
			loose.Add(object)
			bytes.Add(typed(t, object))
		}
		for form, report := range map[string]*mulligan.Report{"unstructured": loose, "typed": bytes} {
			want := answer(t, service, &mulliganv1.DecideRequest{Report: asJSON})
			// Everything except objects: an exit, a failed creation, the caller's
			// report.
			rest := proto.CloneOf(asJSON)
			request, err := report.At(observed).With(func(built *mulliganv1.FailureReport) {
				built.Workload, built.FailureId, built.Attempt = rest.Workload, rest.FailureId, rest.Attempt
				built.CreationError, built.Progress, built.Exit, built.Usage = rest.CreationError, rest.Progress, rest.Exit, rest.Usage
			}).Request(nil)
			if err != nil {
				t.Errorf("%s, %s: %v", one.Name, form, err)
				continue
			}
			if got := answer(t, service, request); !same(got, want) {
				differences++
				t.Errorf("%s, %s:\ngot  %v\nwant %v", one.Name, form, got, want)
			}
			if !same(fromCommand[i], want) {
				differences++
				t.Errorf("%s: the command line says\n%v\nthe server %v", one.Name, fromCommand[i], want)
			}
			if differences > 5 {
				t.Fatal("and so on")
			}
		}
	}
	t.Logf("%d situations", len(all))
}

// commit returns the binary's commit: "NAME 0.1.0 (commit X, ...".
func commit(t *testing.T, name string) string {
	t.Helper()
	text, err := exec.Command(realserver.Binary(t, name), "--version").Output()
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), "(commit ")
	found, _, _ := strings.Cut(after, ",")
	return found
}

func answer(t *testing.T, service *mulligan.Client, request *mulliganv1.DecideRequest) *mulliganv1.DecideResponse {
	t.Helper()
	response, err := service.Decide(context.Background(), request)
	if err != nil {
		t.Fatal(err)
	}
	return response
}

// same ignores what may differ: the file names of rules in the explanation, and the id
// of the bytes that were asked about.
func same(a, b *mulliganv1.DecideResponse) bool {
	return proto.Equal(a.GetDecision(), b.GetDecision()) && proto.Equal(a.GetDiagnosis(), b.GetDiagnosis()) &&
		proto.Equal(a.GetAccounting(), b.GetAccounting()) && proto.Equal(a.GetLedger(), b.GetLedger()) && a.GetFailureId() == b.GetFailureId()
}

func explainRequests(t *testing.T, all []situation) []*mulliganv1.DecideResponse {
	t.Helper()
	var requests bytes.Buffer
	for _, one := range all {
		requests.WriteString(`{"report":` + string(one.Report) + "}\n")
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, realserver.Binary(t, "mulligan"), "explain", "--requests", "-")
	command.Stdin = &requests
	text, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	var responses []*mulliganv1.DecideResponse
	for _, line := range bytes.Split(bytes.TrimSpace(text), []byte("\n")) {
		response := &mulliganv1.DecideResponse{}
		if err := protojson.Unmarshal(line, response); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		responses = append(responses, response)
	}
	if len(responses) != len(all) {
		t.Fatalf("%d answers to %d requests", len(responses), len(all))
	}
	return responses
}
