package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"mulligan.dev/mulligan"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/testing/realserver"
)

func failedJob(failures int32) *batchv1.Job {
	return &batchv1.Job{
		TypeMeta:   metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"},
		ObjectMeta: metav1.ObjectMeta{Name: "train", Namespace: "ml", UID: "job-1"},
		Spec:       batchv1.JobSpec{Parallelism: ptr.To(int32(1))},
		Status:     batchv1.JobStatus{Failed: failures},
	}
}

func ownedPod(status corev1.PodStatus) *corev1.Pod {
	failed := pod(status)
	failed.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}
	failed.OwnerReferences = []metav1.OwnerReference{{APIVersion: "batch/v1", Kind: "Job", Name: "train", UID: "job-1", Controller: ptr.To(true)}}
	return failed
}

// explain runs the command line on objects as kubectl prints them.
func explain(t *testing.T, objects []any, flags ...string) (*mulliganv1.DecideResponse, string) {
	t.Helper()
	var input bytes.Buffer
	for _, object := range objects {
		text, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		input.Write(append(text, '\n'))
	}
	written := filepath.Join(t.TempDir(), "ledger.json")
	command := exec.Command(realserver.Binary(t, "mulligan"), append([]string{
		"explain", "-", "-o", "json", "--observed-at", observedAt.Format("2006-01-02T15:04:05Z"), "--ledger-out", written,
	}, flags...)...)
	command.Stdin = &input
	output, err := command.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, err.(*exec.ExitError).Stderr)
	}
	response := &mulliganv1.DecideResponse{}
	if err := protojson.Unmarshal(output, response); err != nil {
		t.Fatal(err)
	}
	ledger, err := os.ReadFile(written)
	if err != nil {
		t.Fatal(err)
	}
	return response, strings.TrimSpace(string(ledger))
}

func TestReadsLedgerOfBinary(t *testing.T) {
	client := dial(t)
	report := mulligan.NewReport().Add(failedJob(1), ownedPod(terminated(137, "OOMKilled")))
	fromServer := answer(t, client, request(t, report, nil))
	fromCommand, written := explain(t, []any{failedJob(1), ownedPod(terminated(137, "OOMKilled"))})
	if !proto.Equal(fromServer.GetLedger(), fromCommand.GetLedger()) {
		t.Errorf("the server's %v\nthe command's %v", fromServer.GetLedger(), fromCommand.GetLedger())
	}
	encoded, err := mulligan.EncodeLedger(fromServer.GetLedger())
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := mulligan.ParseLedger(written)
	if err != nil || !proto.Equal(parsed, fromServer.GetLedger()) {
		t.Errorf("--ledger-out %s is read as %v, %v", written, parsed, err)
	}
	if compact := compacted(t, written); compact != encoded {
		t.Errorf("bytes differ:\nours   %s\ntheirs %s", encoded, compact)
	}
}

func compacted(t *testing.T, text string) string {
	t.Helper()
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(text)); err != nil {
		t.Fatal(err)
	}
	return compact.String()
}

func TestBinaryReadsLedgerAnnotation(t *testing.T) {
	client := dial(t)
	report := mulligan.NewReport().Add(failedJob(1), ownedPod(terminated(137, "OOMKilled")))
	first := answer(t, client, request(t, report, nil))
	annotation, err := mulligan.EncodeLedger(first.GetLedger())
	if err != nil {
		t.Fatal(err)
	}
	job := failedJob(1)
	job.Annotations = map[string]string{mulligan.LedgerAnnotation: annotation}
	again, written := explain(t, []any{job, ownedPod(terminated(137, "OOMKilled"))})
	if !again.GetAccounting().GetDuplicate() {
		t.Errorf("charged again: %v", again.GetAccounting())
	}
	// The module reads what the command writes to the object.
	job.Annotations[mulligan.LedgerAnnotation] = written
	if ledger, err := mulligan.LedgerFrom(job); err != nil || !proto.Equal(ledger, first.GetLedger()) {
		t.Errorf("got %v, %v", ledger, err)
	}
}

func TestCountsSeededLedgerOnce(t *testing.T) {
	client := dial(t)
	own := mulligan.NewReport().Add(pod(terminated(1, "Error"))).With(func(r *mulliganv1.FailureReport) {
		r.Workload = &mulliganv1.WorkloadReference{ApiGroup: "sim.example.com", Kind: "SimJob", Name: "flow", Namespace: "ml", Uid: "sim-1"}
	})
	got := answer(t, client, request(t, own, mulligan.SeedLedger("SimJob.status.retries", 2, "application")))
	if got.GetLedger().GetAttemptsSeen() != 3 || got.GetLedger().GetBudgets()["application"].GetUsed() != 3 || !got.GetDecision().GetLastAttempt() {
		t.Errorf("got %v, %v", got.GetDecision(), got.GetLedger())
	}
}

func TestALedgerIsHandedOnToASuccessor(t *testing.T) {
	client := dial(t)
	first := answer(t, client, request(t, mulligan.NewReport().Add(failedJob(1), ownedPod(terminated(137, "OOMKilled"))), nil))
	successor, failed := failedJob(0), ownedPod(terminated(137, "OOMKilled"))
	successor.Name, successor.UID = "train-r2", "job-2"
	failed.Name, failed.UID, failed.OwnerReferences[0].UID, failed.OwnerReferences[0].Name = "train-r2-0", "u-2", "job-2", "train-r2"
	report := mulligan.NewReport().Add(successor, failed)
	got := answer(t, client, request(t, report, mulligan.HandOn(first.GetLedger())))
	if ledger := got.GetLedger(); ledger.GetAttemptsSeen() != 2 || ledger.GetBudgets()["memory"].GetUsed() != 2 || ledger.GetWorkloadUid() != "job-2" {
		t.Errorf("got %v", ledger)
	}
	if len(got.GetWarnings()) > 0 {
		t.Errorf("warnings %q", got.GetWarnings())
	}
}
