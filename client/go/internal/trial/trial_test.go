package trial

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"mulligan.dev/mulligan"
	"mulligan.dev/mulligan/internal/testing/realserver"
)

// line is one of a decision log: a Job of that phase, and what was answered.
func line(name, condition, situation, action, outlook, more string) string {
	return fmt.Sprintf(`{"request":{"compareNative":true,"report":{"jobs":[{"metadata":{"name":%q,"namespace":"ml","uid":"uid-%s"},"status":{"conditions":[{"type":%q,"status":"True"}]}}]}},`+
		`"response":{"diagnosis":{"situation":%q,"cause":"APP_ERROR","outlook":%q,"problem":"no\nmodule"},"decision":{"action":%q%s}}}`+"\n",
		name, name, condition, situation, outlook, action, more)
}

func TestComparesOutcomeWithVerdict(t *testing.T) {
	const memory = `,"resources":[{"resource":"memory","factor":2}]`
	acted := func(text string) string { return strings.ReplaceAll(text, `"compareNative":true,`, "") }
	end := func(name string) string {
		return line(name, "Complete", "FINISHED", "IGNORE", "OUTLOOK_UNSPECIFIED", "")
	}
	for _, test := range []struct {
		name, log string
		want      Verdict
	}{
		{"given up for what passes", line("a", "Failed", "BROKEN", "RETRY", "RECOVERS", ""), Saved},
		{"given up for what more memory helps", line("a", "Failed", "BROKEN", "RETRY", "CANNOT_RECOVER", memory), Saved},
		{"given up for what comes again", line("a", "Failed", "BROKEN", "RETRY", "CANNOT_RECOVER", ""), Spent},
		{"given up by both", line("a", "Failed", "BROKEN", "FAIL", "CANNOT_RECOVER", ""), Agreed},
		{"it ran on, and came through", line("a", "Suspended", "BROKEN", "FAIL", "CANNOT_RECOVER", "") + end("a"), Lost},
		{"its operator tried it again, and it came through", line("a", "Suspended", "ALIVE", "FAIL", "CANNOT_RECOVER", "") + end("a"), Lost},
		{"its operator tries it again in vain", line("a", "Suspended", "ALIVE", "FAIL", "CANNOT_RECOVER", "") + line("a", "Failed", "BROKEN", "FAIL", "CANNOT_RECOVER", ""), Agreed},
		{"what its operator tries again stays with it", line("a", "Suspended", "ALIVE", "FAIL", "CANNOT_RECOVER", "") + line("a", "Suspended", "ALIVE", "IGNORE", "CANNOT_RECOVER", ""), Stopped},
		{"it ran on", line("a", "Suspended", "BROKEN", "WAIT_FOR_SPEC_UPDATE", "CANNOT_RECOVER", ""), Stopped},
		{"it waits", line("a", "Suspended", "BROKEN", "WAIT", "CANNOT_RECOVER", ""), Waiting},
		{"another one came through", line("a", "Failed", "BROKEN", "FAIL", "CANNOT_RECOVER", "") + end("b"), Agreed},
		{"acted, and it came through", acted(line("a", "Failed", "BROKEN", "RETRY", "RECOVERS", "") + end("a")), Rescued},
		{"acted, and nothing was seen since", acted(line("a", "Failed", "BROKEN", "RETRY", "RECOVERS", "")), Retried},
		{"acted, and given up in the end", acted(line("a", "Failed", "BROKEN", "RETRY", "RECOVERS", "") + line("a", "Failed", "BROKEN", "FAIL", "CANNOT_RECOVER", "")), GivenUp},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := &Result{}
			if err := r.Read(strings.NewReader(test.log)); err != nil {
				t.Fatal(err)
			}
			workloads := r.Verdicts()
			if len(workloads) != 1 || workloads[0].Verdict != test.want || r.BadLines > 0 {
				t.Errorf("%d workloads, %+v, %d bad lines; want %q", len(workloads), workloads[0], r.BadLines, titles[test.want])
			}
		})
	}
}

func TestAttemptsOfOneWorkloadAreOne(t *testing.T) {
	labelled := func(text string) string {
		return strings.ReplaceAll(strings.ReplaceAll(text, `"compareNative":true,`, ""), `"metadata":{`, `"metadata":{"labels":{"mulligan.dev/origin":"train"},`)
	}
	r := &Result{}
	log := labelled(line("train", "Failed", "BROKEN", "RETRY", "RECOVERS", "")) + labelled(line("train-r2-x", "Complete", "FINISHED", "IGNORE", "OUTLOOK_UNSPECIFIED", ""))
	// The first attempt has no label before its retry.
	log = strings.Replace(log, `"labels":{"mulligan.dev/origin":"train"},`, "", 1)
	if err := r.Read(strings.NewReader(log)); err != nil {
		t.Fatal(err)
	}
	if workloads := r.Verdicts(); len(workloads) != 1 || workloads[0].Verdict != Rescued {
		t.Errorf("%d workloads, %+v, want one that was rescued", len(workloads), workloads[0])
	}
}

func TestPrint(t *testing.T) {
	r := &Result{}
	log := line("b", "Failed", "BROKEN", "RETRY", "RECOVERS", "") + "torn {\n" + line("a", "Failed", "BROKEN", "RETRY", "RECOVERS", "") + line("c", "Failed", "BROKEN", "FAIL", "RECOVERS", "")
	for i := range maxNamed + 5 {
		log += line(fmt.Sprint("w", i), "Suspended", "BROKEN", "WAIT", "RECOVERS", "")
	}
	if err := r.Read(strings.NewReader(log)); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	r.Print(&text)
	for _, want := range []string{
		"58 workloads failed, by 59 lines, 1 of which could not be read\n",
		"\n2 would have been saved: given up by their operator, started again by Mulligan\n  Job ml/a: APP_ERROR: no module\n  Job ml/b: APP_ERROR: no module\n",
		"\n55 would have waited\n", "  and 5 more\n",
		"\n1 given up by their operator and by Mulligan\n  Job ml/c: APP_ERROR: no module\n",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is not in\n%s", want, text.String())
		}
	}
}

func TestALineWithoutEndIsNotKept(t *testing.T) {
	r := &Result{}
	log := strings.NewReader(strings.Repeat("x", maxLine+1<<20) + "\n" + line("a", "Failed", "BROKEN", "RETRY", "RECOVERS", ""))
	if err := r.Read(log); err != nil || r.Lines != 2 || r.BadLines != 1 || len(r.Verdicts()) != 1 {
		t.Errorf("%v, %d lines, %d bad", err, r.Lines, r.BadLines)
	}
}

// What a real server logs of a real question is read: each kind's phase is found in it.
func TestTheLogOfARealServer(t *testing.T) {
	file := filepath.Join(t.TempDir(), "decisions.jsonl")
	server := realserver.Start(t, "--decision-log="+file)
	client := server.Dial(t)
	ended := metav1.NewTime(time.Now().Add(-time.Minute).Truncate(time.Second))
	for name, code := range map[string]int32{"oom": 137, "typo": 127} {
		job := &batchv1.Job{
			ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "ml", UID: types.UID("uid-" + name)},
			Status:     batchv1.JobStatus{Failed: 1, Conditions: []batchv1.JobCondition{{Type: batchv1.JobFailed, Status: corev1.ConditionTrue, Reason: "BackoffLimitExceeded", LastTransitionTime: ended}}},
		}
		yes := true
		state := &corev1.ContainerStateTerminated{ExitCode: code, Reason: "Error", FinishedAt: ended, StartedAt: metav1.NewTime(ended.Add(-time.Hour))}
		if code == 137 {
			state.Reason = "OOMKilled"
		}
		pod := &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: name + "-x", Namespace: "ml", UID: types.UID("pod-" + name), OwnerReferences: []metav1.OwnerReference{{APIVersion: "batch/v1", Kind: "Job", Name: name, UID: job.UID, Controller: &yes}}},
			Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main"}}},
			Status:     corev1.PodStatus{Phase: corev1.PodFailed, ContainerStatuses: []corev1.ContainerStatus{{Name: "main", State: corev1.ContainerState{Terminated: state}}}},
		}
		request, err := mulligan.NewReport().Add(job, pod).Request(nil)
		if err != nil {
			t.Fatal(err)
		}
		request.CompareNative = true
		if _, err := client.Decide(t.Context(), request); err != nil {
			t.Fatal(err)
		}
	}
	server.Stop(t)
	log, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	r := &Result{}
	if err := r.Read(log); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, w := range r.Verdicts() {
		got = append(got, fmt.Sprint(w.Name, " ", w.Cause, " ", w.Verdict == Saved, " ", w.Verdict == Agreed))
	}
	if want := []string{"oom CONTAINER_OOM true false", "typo CONFIG_MISSING false true"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v; %d bad lines", got, want, r.BadLines)
	}
}
