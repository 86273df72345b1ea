package kubectl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"mulligan.dev/mulligan/internal/testing/manifest"
	"mulligan.dev/mulligan/internal/testing/realserver"
)

var object = manifest.Object

const jobText = `
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml, uid: job-1, resourceVersion: "1", managedFields: [{manager: kubectl}]}
spec:
  backoffLimit: 6
  selector: {matchLabels: {batch.kubernetes.io/controller-uid: job-1}}
status: {failed: 1}
`

const podText = `
apiVersion: v1
kind: Pod
metadata:
  name: train-x7
  namespace: ml
  uid: pod-1
  resourceVersion: "2"
  creationTimestamp: "2026-11-03T09:00:00Z"
  labels: {batch.kubernetes.io/controller-uid: job-1}
  ownerReferences: [{apiVersion: batch/v1, kind: Job, name: train, uid: job-1, controller: true}]
spec:
  nodeName: node-a
  restartPolicy: Never
  containers: [{name: main, image: "train:1", resources: {limits: {memory: 16Gi}}}]
status:
  phase: Failed
  startTime: "2026-11-03T09:00:00Z"
  containerStatuses:
  - name: main
    state: {terminated: {exitCode: 137, reason: OOMKilled, startedAt: "2026-11-03T09:00:05Z", finishedAt: "2026-11-03T09:07:00Z"}}
`

const eventText = `
apiVersion: v1
kind: Event
metadata: {name: train.1, namespace: ml, uid: event-1}
involvedObject: {kind: Job, name: train, uid: job-1}
reason: BackoffLimitExceeded
type: Warning
`

const imagePodText = `
apiVersion: v1
kind: Pod
metadata: {name: typo, namespace: ml, uid: pod-2, resourceVersion: "3", creationTimestamp: "2026-11-03T09:00:00Z"}
spec: {nodeName: node-a, containers: [{name: main, image: "nosuch:1"}]}
status:
  phase: Pending
  containerStatuses:
  - name: main
    state: {waiting: {reason: ImagePullBackOff, message: "Back-off pulling image \"nosuch:1\": manifest unknown"}}
`

func batchWork(t *testing.T) []*unstructured.Unstructured {
	return []*unstructured.Unstructured{object(t, jobText), object(t, podText), object(t, eventText)}
}

// plugin runs the plugin on a cluster and returns its output.
func plugin(t *testing.T, ctx context.Context, api *apiServer, args ...string) (out, errOut string, err error) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	command := NewCommand(genericiooptions.IOStreams{In: strings.NewReader(""), Out: &stdout, ErrOut: &stderr})
	t.Setenv("KUBECONFIG", api.kubeconfig(t))
	command.SetArgs(args)
	err = command.ExecuteContext(ctx)
	return stdout.String(), stderr.String(), err
}

// recorder makes a binary that prints its arguments and its input.
func recorder(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "mulligan")
	if err := os.WriteFile(file, []byte("#!/bin/sh\necho \"$@\"\ncat\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestBinaryNamesWorkloadsAsPlugin(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mulligan")
	if err := os.WriteFile(file, []byte("#!/bin/sh\necho \"names: $MULLIGAN_NAME_ONE\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	api := newAPIServer(t, batchWork(t)...)
	for _, one := range []struct{ asked, want string }{
		{"why", "names: kubectl mulligan why KIND/NAME\n"},
		// Its flags are the binary's own.
		{"explain", "names: \n"},
	} {
		out, _, err := plugin(t, context.Background(), api, "--mulligan="+file, one.asked)
		if err != nil || out != one.want {
			t.Errorf("%s: %v, %q", one.asked, err, out)
		}
	}
}

// nowhere sets a $PATH without the binary.
func nowhere(t *testing.T) {
	t.Helper()
	t.Setenv("PATH", t.TempDir())
}

func TestWhyPassesObjectsToBinary(t *testing.T) {
	api := newAPIServer(t, append(batchWork(t), object(t, imagePodText))...)
	for _, named := range [][]string{{"job/train"}, {"jobs", "train"}, {"jobs.batch/train"}, {"po/train-x7"}, {"Pod/train-x7"}} {
		out, errOut, err := plugin(t, context.Background(), api, append([]string{"why", "--mulligan=" + recorder(t), "--pass=--explain=full"}, named...)...)
		if err != nil || errOut != "" {
			t.Fatalf("%v: %v, %s", named, err, errOut)
		}
		if !strings.HasPrefix(out, "explain - -o text --explain=full\n") {
			t.Errorf("%v: arguments %s", named, strings.SplitN(out, "\n", 2)[0])
		}
		for _, has := range []string{`"kind":"Job"`, `"kind":"Pod"`, `"kind":"Event"`, `"memory":"16Gi"`, `"name":"train-x7"`} {
			if !strings.Contains(out, has) {
				t.Errorf("%v: no %s in %s", named, has, out)
			}
		}
		for _, hasNot := range []string{"managedFields", "typo", `"kind":"List"`} {
			if strings.Contains(out, hasNot) {
				t.Errorf("%v: %s in %s", named, hasNot, out)
			}
		}
	}
}

func TestLogsAreReadWhereThatIsAskedFor(t *testing.T) {
	silent := object(t, strings.Replace(podText, "exitCode: 137, reason: OOMKilled", "exitCode: 1, reason: Error", 1))
	api := newAPIServer(t, object(t, jobText), silent)
	api.log = "API_TOKEN=0123456789abcdef\nNo module named torhc"
	for _, test := range []struct {
		flags []string
		want  bool
	}{{nil, false}, {[]string{"--logs"}, true}, {[]string{"--logs=kubernetes"}, true}} {
		out, _, err := plugin(t, context.Background(), api, append([]string{"why", "--mulligan=" + recorder(t), "job/train"}, test.flags...)...)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(out, `"message":"API_TOKEN=[blanked]\nNo module named torhc"`); got != test.want {
			t.Errorf("%v: the log is passed on: %v, want %v: %s", test.flags, got, test.want, out)
		}
		if strings.Contains(out, "0123456789abcdef") {
			t.Errorf("%v: the token is not blanked", test.flags)
		}
	}
	if _, _, err := plugin(t, context.Background(), api, "why", "--mulligan="+recorder(t), "job/train", "--logs=elastic"); err == nil || !strings.Contains(err.Error(), `--logs: "elastic", expected kubernetes`) {
		t.Errorf("error %v", err)
	}
}

func TestWhyNamesNextAttempt(t *testing.T) {
	work := batchWork(t)
	for _, obj := range work {
		if obj.GetKind() == "Job" {
			obj.SetAnnotations(map[string]string{"mulligan.dev/retried-as": "train-r2-abcde"})
		}
	}
	_, said, err := plugin(t, context.Background(), newAPIServer(t, work...), "why", "--mulligan="+recorder(t), "job/train")
	if err != nil || !strings.Contains(said, "note: train has been started again as train-r2-abcde") {
		t.Errorf("got %v, %s", err, said)
	}
}

const recordText = `
apiVersion: mulligan.dev/v1
kind: RetryRecord
metadata: {name: job-train-abc, namespace: ml, uid: record-1, labels: {mulligan.dev/origin: train}}
spec: {apiVersion: batch/v1, kind: Job, name: train}
status:
  attempt: 1
  attempts: [{name: train, uid: job-1}]
  ledger: {attemptsSeen: 1}
  decision: {about: job-1, action: RETRY, mode: act, attempt: 2, retry: train-r2-abcde, decidedAt: "2026-11-03T09:07:00Z", notBefore: "2026-11-03T09:07:30Z", failureId: x, generation: 1, sentence: x}
`

// The controller's progress is read from its record, and not from annotations.
func TestWhyShowsProgressOfController(t *testing.T) {
	refused := func(status string) string {
		return recordText + `  conditions: [{type: RetryNotCreated, status: "True", reason: x, message: "exceeded quota", lastTransitionTime: "2026-11-03T09:08:00Z"}]
  state: ` + status + "\n"
	}
	for _, test := range []struct{ name, record, want string }{
		{"held", recordText + "  state: Retrying\n", "note: attempt 2 (train-r2-abcde) is granted, was due at 09:07:30 UTC and is not there: held by the rate limit"},
		{"due", strings.Replace(recordText, "2026-11-03T09:07:30Z", "2999-11-03T09:07:30Z", 1) + "  state: Retrying\n", "note: attempt 2 (train-r2-abcde) is granted and starts at 09:07:30 UTC"},
		{"refused", refused("RetryNotCreated"), "note: attempt 2 (train-r2-abcde) is granted and has been refused by the API server since 09:08:00 UTC, it is tried again: exceeded quota"},
		{"refused for good", refused("RetryRefused"), "note: attempt 2 was granted, was refused by the API server (RetryNotCreated), and is not tried again: exceeded quota"},
		{"retried", strings.Replace(recordText, "uid: job-1}]", "uid: job-1}, {name: train-r2-abcde, uid: job-2}]", 1), "note: train has been started again as train-r2-abcde"},
	} {
		t.Run(test.name, func(t *testing.T) {
			work := append(batchWork(t), object(t, test.record))
			work[0].SetAnnotations(map[string]string{"mulligan.dev/retried-as": "evil", "mulligan.dev/ledger": `{"attemptsSeen":77}`})
			out, said, err := plugin(t, context.Background(), newAPIServer(t, work...), "why", "--mulligan="+recorder(t), "job/train")
			if err != nil || !strings.Contains(said, test.want) || strings.Contains(said, "evil") {
				t.Errorf("got %v, %s", err, said)
			}
			if !strings.Contains(out, `{\"attemptsSeen\":1}`) || strings.Contains(out, "77") {
				t.Errorf("the ledger is not the record's: %s", out)
			}
		})
	}
}

// The record says who stopped the work. Annotations could be forged.
func TestWhyShowsWhoStoppedTheWork(t *testing.T) {
	stopped := strings.NewReplacer("action: RETRY", "action: FAIL, suspend: true", "attempt: 2, retry: train-r2-abcde, ", "").Replace(recordText) +
		"  state: GivenUp\n  firstStep: 'correct the image; then let it go on: kubectl patch job train'\n"
	for _, test := range []struct{ name, record, want, never string }{
		{"stopped", stopped, "mulligan-controller stopped it at 2026-11-03T09:07:00Z: x", "evil"},
		{"not stopped", recordText + "  state: Retrying\n", "job-1", "mulligan.dev/stopped"},
	} {
		t.Run(test.name, func(t *testing.T) {
			work := append(batchWork(t), object(t, test.record))
			work[0].SetAnnotations(map[string]string{"mulligan.dev/stopped": "evil", "mulligan.dev/first-step": "evil"})
			out, _, err := plugin(t, context.Background(), newAPIServer(t, work...), "why", "--mulligan="+recorder(t), "job/train")
			if err != nil || !strings.Contains(out, test.want) || strings.Contains(out, test.never) {
				t.Errorf("%v, got\n%s", err, out)
			}
			if shown := strings.Contains(out, "then let it go on: kubectl patch job train"); shown != (test.name == "stopped") {
				t.Errorf("the command to continue is shown: %v", shown)
			}
		})
	}
}

func TestWhyOfNamespaceListsWork(t *testing.T) {
	elsewhere := object(t, imagePodText)
	elsewhere.SetNamespace("other")
	elsewhere.SetName("elsewhere")
	api := newAPIServer(t, append(batchWork(t), object(t, imagePodText), elsewhere)...)
	for _, test := range []struct {
		flag      string
		elsewhere bool
	}{{"--namespace=ml", false}, {"-A", true}} {
		out, _, err := plugin(t, context.Background(), api, "why", "--mulligan="+recorder(t), test.flag, "-o", "json")
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(out, "explain - -o json\n{\"apiVersion\":\"v1\",\"kind\":\"List\"") || !strings.Contains(out, "typo") {
			t.Errorf("%s: got %s", test.flag, out)
		}
		if strings.Contains(out, "elsewhere") != test.elsewhere {
			t.Errorf("%s: the other namespace: %s", test.flag, out)
		}
	}
	if _, _, err := plugin(t, context.Background(), api, "why", "--mulligan="+recorder(t), "-n", "empty"); err == nil || !strings.Contains(err.Error(), "no batch work in namespace empty") {
		t.Errorf("an empty namespace: %v", err)
	}
}

func TestOmitsEventsAboutDeletedObjects(t *testing.T) {
	event := func(reason, apiVersion, kind, uid string) *unstructured.Unstructured {
		return object(t, fmt.Sprintf(`{"apiVersion": "v1", "kind": "Event", "reason": %q, "metadata": {"name": %q, "namespace": "ml"},
			"involvedObject": {"apiVersion": %q, "kind": %q, "namespace": "ml", "name": "x", "uid": %q}}`, reason, strings.ToLower(reason), apiVersion, kind, uid))
	}
	api := newAPIServer(t, append(batchWork(t),
		event("OfAPodThatIsGone", "v1", "Pod", "gone"), event("OfAJobThatIsGone", "batch/v1", "Job", "gone"),
		event("OfAClaim", "v1", "PersistentVolumeClaim", "claim"), event("OfNoUID", "v1", "Pod", ""))...)
	out, _, err := plugin(t, context.Background(), api, "why", "--mulligan="+recorder(t), "--namespace=ml", "-o", "json")
	if err != nil {
		t.Fatal(err)
	}
	for reason, want := range map[string]bool{"OfAPodThatIsGone": false, "OfAJobThatIsGone": false, "OfAClaim": true, "OfNoUID": true} {
		if strings.Contains(out, reason) != want {
			t.Errorf("%s listed: %v, want %v", reason, !want, want)
		}
	}
}

func TestWhyRejectsInvalidArguments(t *testing.T) {
	api := newAPIServer(t, batchWork(t)...)
	binary := "--mulligan=" + recorder(t)
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"job"}, `"job" is not valid, expected KIND/NAME or KIND NAME, such as job/train`},
		{[]string{"job/a/b"}, `"job/a/b" is not valid`},
		{[]string{"job/a", "b"}, `"job/a b" is not valid`},
		{[]string{"job/train", "-A"}, "-A: expected no object with it"},
		{[]string{"rayjob/x"}, `the cluster has no kind "rayjob", expected one such as job`},
		{[]string{"job/gone"}, "not found"},
		{[]string{"job/train", "-o", "pdf"}, `--output: "pdf" is not valid, expected text, html, json, yaml`},
		{[]string{"job/train", "-w", "-o", "html"}, "a page is written once"},
		{[]string{"job/train", "--interval=0s"}, "--interval: 0s is not valid"},
		{[]string{"job/train", "--service=mulligan"}, `--service: "mulligan" is not valid, expected NAMESPACE/NAME`},
		{[]string{"job/train", "--local", "--mulligan-server=a:1"}, "at most one of"},
		{[]string{"job/train", "--mulligan=/no/such/file"}, "--mulligan: "},
	} {
		_, _, err := plugin(t, context.Background(), api, append([]string{"why", binary}, test.args...)...)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: got %v, want %s", test.args, err, test.want)
		}
	}
}

func TestFailsWithoutBinaryAndService(t *testing.T) {
	nowhere(t)
	_, _, err := plugin(t, context.Background(), newAPIServer(t, batchWork(t)...), "why", "job/train")
	if err == nil || !strings.Contains(err.Error(), "nothing can decide") || !strings.Contains(err.Error(), "--mulligan") {
		t.Errorf("got %v", err)
	}
}

func TestReturnsExitCodeOfBinary(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mulligan")
	if err := os.WriteFile(file, []byte("#!/bin/sh\necho it is wrong >&2\nexit 3\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	_, errOut, err := plugin(t, context.Background(), newAPIServer(t), "--mulligan="+file, "policy", "check", "--strict", "x.yaml")
	var exited *exec.ExitError
	if !errors.As(err, &exited) || exited.ExitCode() != 3 || errOut != "it is wrong\n" {
		t.Errorf("got %v, %q", err, errOut)
	}
	for _, passed := range []string{"explain", "decide", "policy", "replay"} {
		out, _, err := plugin(t, context.Background(), newAPIServer(t), "--mulligan="+recorder(t), passed, "test", "--all", "-f", "x")
		if err != nil || out != passed+" test --all -f x\n" {
			t.Errorf("%s: %v, %q", passed, err, out)
		}
	}
}

func TestWatchExplainsChanges(t *testing.T) {
	api := newAPIServer(t, batchWork(t)...)
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	reader, writer := io.Pipe()
	command := NewCommand(genericiooptions.IOStreams{In: strings.NewReader(""), Out: writer, ErrOut: io.Discard})
	command.SetArgs([]string{"why", "job/train", "-w", "--interval=10ms", "--mulligan=" + recorder(t)})
	t.Setenv("KUBECONFIG", api.kubeconfig(t))
	ended := make(chan error, 1)
	go func() {
		err := command.ExecuteContext(ctx)
		writer.Close()
		ended <- err
	}()
	var shown strings.Builder
	stories, changed, buffer := 0, false, make([]byte, 1<<16)
	for stories < 2 {
		n, err := reader.Read(buffer)
		if err != nil {
			t.Fatalf("%v after %s", err, shown.String())
		}
		shown.Write(buffer[:n])
		stories = strings.Count(shown.String(), "explain - -o text")
		if stories == 1 && !changed {
			changed = true
			newer := object(t, jobText)
			newer.SetResourceVersion("7")
			api.change(newer)
		}
	}
	cancel()
	go io.Copy(io.Discard, reader)
	if err := <-ended; err != nil {
		t.Errorf("got %v", err)
	}
	if !strings.Contains(shown.String(), "\n--- 20") {
		t.Errorf("no time between the stories: %s", shown.String())
	}
}

func TestCompletion(t *testing.T) {
	api := newAPIServer(t, batchWork(t)...)
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"why", "jo"}, "job/\njobset/\n:6\n"},
		{[]string{"why", "job/t"}, "job/train\n:4\n"},
		{[]string{"why", "job", ""}, "train\n:4\n"},
		{[]string{"why", "rayjob/"}, ":4\n"},
		{[]string{"why", "job/train", ""}, ":4\n"},
		{[]string{"why", "job/train", "-o", ""}, "text\nhtml\njson\nyaml\n:4\n"},
	} {
		out, _, err := plugin(t, context.Background(), api, append([]string{"__complete"}, test.args...)...)
		if err != nil || out != test.want {
			t.Errorf("%v: got %q, %v, want %q", test.args, out, err, test.want)
		}
	}
	if out, _, err := plugin(t, context.Background(), api, "completion", "bash"); err != nil || !strings.Contains(out, "__complete") {
		t.Errorf("no script for bash: %v", err)
	}
}

// End to end with the real binary, without a service.
func TestExplainsOOMKill(t *testing.T) {
	binary := realserver.Binary(t, "mulligan")
	api := newAPIServer(t, append(batchWork(t), object(t, imagePodText))...)
	out, _, err := plugin(t, context.Background(), api, "why", "job/train", "--mulligan="+binary)
	if err != nil {
		t.Fatal(err)
	}
	for _, has := range []string{"the kernel killed a process", "memory limit of 16Gi", "Job ml/train", "RETRY", "memory 1 of 3 used", "backoffLimit"} {
		if !strings.Contains(out, has) {
			t.Errorf("no %q in\n%s", has, out)
		}
	}
	page, _, err := plugin(t, context.Background(), api, "why", "pod/train-x7", "--mulligan="+binary, "-o", "html")
	if err != nil || !strings.HasPrefix(page, "<!DOCTYPE html>") && !strings.HasPrefix(strings.ToLower(page), "<!doctype html>") {
		t.Errorf("%v: %.80s", err, page)
	}
	table, _, err := plugin(t, context.Background(), api, "why", "--mulligan="+binary)
	if err != nil || !strings.Contains(table, "2 workloads, 2 broken") || !strings.Contains(table, "IMAGE_") {
		t.Errorf("%v: %s", err, table)
	}
}
