package kubectl

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"mulligan.dev/mulligan/internal/testing/realserver"
)

func TestReportShowsCostOfFailures(t *testing.T) {
	nodes := []*unstructured.Unstructured{object(t, nodeText), object(t, strings.ReplaceAll(nodeText, "node-a", "node-b"))}
	api := newAPIServer(t, slices.Concat(nodes, batchWork(t), bigSet(t, 20))...)
	saved := filepath.Join(t.TempDir(), "objects.json")
	out, errOut, err := plugin(t, context.Background(), api, "report", "-A", "-o", "json", "--save", saved,
		"--mulligan="+realserver.Binary(t, "mulligan"))
	if err != nil {
		t.Fatalf("%v, %s", err, errOut)
	}
	report := struct {
		OfCluster bool
		All       struct {
			Failures, Workloads int
			PodHours            float64
		}
		By map[string]map[string]struct{ Failures int }
	}{}
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatal(err)
	}
	if !report.OfCluster || report.All.Workloads != 2 || report.By["cause"]["CONTAINER_OOM"].Failures != 2 {
		t.Errorf("want an OOM of the Job and one of the JobSet, got %+v", report)
	}
	if report.All.PodHours < 20*7.0/60 {
		t.Errorf("%.2f pod-hours, want those of a gang of 20 that ran for seven minutes", report.All.PodHours)
	}
	if report.By["zone"]["zone-1"].Failures != 2 {
		t.Errorf("want the zone of the nodes, got %+v", report.By["zone"])
	}
	list := struct{ Items []json.RawMessage }{}
	text, err := os.ReadFile(saved)
	if err == nil {
		err = json.Unmarshal(text, &list)
	}
	if err != nil || len(list.Items) != 26 {
		t.Errorf("saved %d objects, want 26, %v", len(list.Items), err)
	}
	for has, want := range map[string]bool{`"name":"node-a"`: true, `"name":"node-b"`: false, "sha256:": false} {
		if strings.Contains(string(text), has) != want {
			t.Errorf("%s saved: %v, want %v", has, !want, want)
		}
	}
}

// A node with images, which are not read.
const nodeText = `
apiVersion: v1
kind: Node
metadata: {name: node-a, uid: node-1, labels: {topology.kubernetes.io/zone: zone-1}}
status: {images: [{names: ["registry.local/trainer@sha256:1"]}]}
`

func TestReportPassesFlagsToBinary(t *testing.T) {
	api := newAPIServer(t, batchWork(t)...)
	out, _, err := plugin(t, context.Background(), api, "report", "-n", "ml", "--since", "7d", "--until", "1d", "--team-label", "team",
		"--compare", "a.yaml", "--compare", "-b", "--mulligan="+recorder(t))
	if err != nil {
		t.Fatal(err)
	}
	args, _, _ := strings.Cut(out, "\n")
	for _, want := range []string{"report", "--filename=-", "--output=text", "--since=7d", "--until=1d", "--team-label=team", "--compare=a.yaml", "--compare=-b"} {
		if !strings.Contains(args, want) {
			t.Errorf("no %s among %s", want, args)
		}
	}
}

func TestReportChecksFlagsBeforeListing(t *testing.T) {
	for _, test := range []struct {
		flags []string
		want  string
	}{
		{[]string{"--since", "garbage"}, "--since"},
		{[]string{"--since", "2026-11-20", "--until", "2026-11-10"}, "--until"},
		{[]string{"--compare", "/nosuch"}, "/nosuch"},
		{[]string{"--save", t.TempDir()}, "is not a file"},
		{[]string{"--save="}, `--save: "" is not valid`},
		{[]string{"--team-label="}, `--team-label: "" is not valid`},
		{[]string{"--since", ""}, `--since: "" is not valid`},
	} {
		// An empty cluster: listing it would return another error.
		api := newAPIServer(t)
		_, errOut, err := plugin(t, context.Background(), api, append([]string{"report", "-A", "--mulligan=" + realserver.Binary(t, "mulligan")}, test.flags...)...)
		if err == nil || !strings.Contains(err.Error()+errOut, test.want) || strings.Contains(err.Error()+errOut, "no batch work") {
			t.Errorf("%v: got %v %s, want %q", test.flags, err, errOut, test.want)
		}
	}
}

func TestReportRejectsInvalidArguments(t *testing.T) {
	api := newAPIServer(t, batchWork(t)...)
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"report", "-o", "pdf"}, `--output: "pdf" is not valid, expected text, html, json, csv`},
		{[]string{"report", "job/train"}, "job/train"},
		{[]string{"report", "-n", "empty"}, "there is no batch work in namespace empty"},
		{[]string{"report", "-A", "--save", "/nosuch/file"}, "--save: "},
	} {
		_, errOut, err := plugin(t, context.Background(), api, append(test.args, "--mulligan="+recorder(t))...)
		if err == nil || !strings.Contains(err.Error()+errOut, test.want) {
			t.Errorf("%v: got %v %s, want %q", test.args, err, errOut, test.want)
		}
	}
}
