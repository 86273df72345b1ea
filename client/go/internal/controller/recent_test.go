package controller

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"mulligan.dev/mulligan"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/controller/records"
	"mulligan.dev/mulligan/mulligantest"
)

// attempt is the lineage of an object; a first attempt has no record yet.
func attempt(name, origin string) lineage {
	obj := &unstructured.Unstructured{}
	obj.SetKind("Job")
	obj.SetNamespace("ml")
	obj.SetName(name)
	if origin == "" {
		return lineageOf(obj, nil)
	}
	return lineageOf(obj, &records.RetryRecord{Spec: records.Spec{Name: origin}})
}

func on(node, zone, image string) where {
	return whereOf([]runtime.Object{
		&corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Image: image}}}},
		&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: node, Labels: map[string]string{corev1.LabelTopologyZone: zone}}},
	})
}

func broken(cause mulliganv1.Cause, node string, action mulliganv1.Decision_Action, edits ...func(*mulliganv1.DecideResponse)) *mulliganv1.DecideResponse {
	answer := &mulliganv1.DecideResponse{
		Decision: &mulliganv1.Decision{Action: action},
		Diagnosis: &mulliganv1.Diagnosis{
			Cause: cause, Situation: mulliganv1.Diagnosis_BROKEN, Culprit: &mulliganv1.Culprit{Node: node},
		},
	}
	for _, edit := range edits {
		edit(answer)
	}
	return answer
}

// digestText returns the digest as text.
func digestText(r *recent) string {
	digest := r.digest(on("n9", "z", "i"))
	if digest == nil {
		return "nothing"
	}
	d := digest[0]
	text := fmt.Sprintf("failed %d canaries %d recovered %d zone %s image %s:", d.Failed, d.Canaries, d.Recovered, d.Zone, d.Image)
	for _, g := range d.Groups {
		text += fmt.Sprintf(" %d %v %s/%s/%s", g.Workloads, g.Cause, g.Node, g.Zone, g.Image)
	}
	return text
}

func TestRecentCountsEachWorkloadOnce(t *testing.T) {
	clock := time.Now()
	r := newRecent(func() time.Time { return clock })
	retry := broken(mulliganv1.Cause_NODE_LOST, "n1", mulliganv1.Decision_RETRY)
	r.note(attempt("a", ""), time.Time{}, on("n1", "z", "i"), Act, retry)
	r.note(attempt("a-r2-x", "a"), time.Time{}, on("n1", "z", "i"), Act, retry)
	r.note(attempt("b", ""), time.Time{}, on("n1", "z", "i"), Act, retry)
	r.note(attempt("c", ""), time.Time{}, on("n2", "z", "i"), Act, broken(mulliganv1.Cause_APP_ERROR, "n2", mulliganv1.Decision_RETRY))
	r.note(attempt("d", ""), time.Time{}, on("n2", "z", "i"), Act, broken(mulliganv1.Cause_APP_ERROR, "n2", mulliganv1.Decision_FAIL))
	healthy := broken(mulliganv1.Cause_NOT_FAILED, "", mulliganv1.Decision_IGNORE)
	healthy.Diagnosis.Situation = mulliganv1.Diagnosis_ALIVE
	r.note(attempt("e", ""), time.Time{}, on("n2", "z", "i"), Act, healthy)
	want := "failed 3 canaries 0 recovered 0 zone z image i: 2 NODE_LOST n1/z/i 1 APP_ERROR n2/z/i"
	if got := digestText(r); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	r.note(attempt("c-r2-x", "c"), time.Time{}, on("n2", "z", "i"), Act, broken(mulliganv1.Cause_APP_ERROR, "n2", mulliganv1.Decision_FAIL))
	r.cameThrough(attempt("b-r2-x", "b"))
	if got := digestText(r); !strings.HasPrefix(got, "failed 1 ") {
		t.Errorf("what was given up or ended well is still counted: %s", got)
	}
	clock = clock.Add(recentWindow + time.Second)
	if got := digestText(r); got != "nothing" {
		t.Errorf("what is over is still counted: %s", got)
	}
}

// A controller that was away sees the failures of an hour at once.
func TestRecentCountsLastTenMinutes(t *testing.T) {
	clock := time.Now()
	r := newRecent(func() time.Time { return clock })
	lost := broken(mulliganv1.Cause_NODE_LOST, "n1", mulliganv1.Decision_RETRY)
	for name, ago := range map[string]time.Duration{"old": recentWindow + time.Second, "new": time.Minute, "ahead": -time.Hour} {
		r.note(attempt(name, ""), clock.Add(-ago), on("n1", "z", "i"), Act, lost)
	}
	if got := digestText(r); !strings.HasPrefix(got, "failed 2 ") {
		t.Errorf("got %s, want what failed in the last ten minutes, by our clock", got)
	}
	canary := func(a *mulliganv1.DecideResponse) { a.Decision.Canary = true }
	r.note(attempt("old", ""), clock.Add(-time.Hour), on("n1", "z", "i"), Act, broken(mulliganv1.Cause_NODE_LOST, "n1", mulliganv1.Decision_RETRY, canary))
	if got := digestText(r); !strings.HasPrefix(got, "failed 3 canaries 1 recovered 0") {
		t.Errorf("got %s, want a canary that begins now", got)
	}
}

func TestRecentFollowsCanaries(t *testing.T) {
	clock := time.Now()
	r := newRecent(func() time.Time { return clock })
	incident := func(a *mulliganv1.DecideResponse) { a.Diagnosis.DerivedCause = mulliganv1.DerivedCause_INCIDENT }
	canary := func(a *mulliganv1.DecideResponse) { a.Decision.Canary = true }
	waiting := broken(mulliganv1.Cause_FABRIC_FAULT, "n1", mulliganv1.Decision_WAIT, incident)
	first := broken(mulliganv1.Cause_FABRIC_FAULT, "n1", mulliganv1.Decision_RETRY, incident, canary)
	r.note(attempt("a", ""), time.Time{}, on("n1", "z", "i"), Act, waiting)
	r.note(attempt("b", ""), time.Time{}, on("n1", "z", "i"), Observe, first)
	if got := digestText(r); !strings.HasPrefix(got, "failed 2 canaries 0 recovered 0") {
		t.Errorf("an observed retry counts as a canary: %s", got)
	}
	r.note(attempt("b", ""), time.Time{}, on("n1", "z", "i"), Act, first)
	if got := digestText(r); !strings.HasPrefix(got, "failed 2 canaries 1 recovered 0") {
		t.Errorf("got %s", got)
	}
	clock = clock.Add(recentWindow + time.Second)
	if got := digestText(r); !strings.HasPrefix(got, "failed 1 canaries 0 recovered 1") {
		t.Errorf("it ran for longer than the others, and one still waits: %s", got)
	}
	r.note(attempt("c", ""), time.Time{}, on("n1", "z", "i"), Act, first)
	r.cameThrough(attempt("c-r2-x", "c"))
	if got := digestText(r); !strings.HasPrefix(got, "failed 1 canaries 0 recovered 1") {
		t.Errorf("a new failure of the incident counts from nothing: %s", got)
	}
}

func TestRecentIsBounded(t *testing.T) {
	r := newRecent(time.Now)
	for i := range maxRecent + 10 {
		r.latest[lineage{"Job", "ml", fmt.Sprint(i)}] = failure{at: time.Now(), group: place{node: fmt.Sprint(i % 2000)}}
		if i == maxRecent-1 {
			break
		}
	}
	r.note(attempt("more", ""), time.Time{}, where{}, Act, broken(mulliganv1.Cause_APP_ERROR, "n", mulliganv1.Decision_RETRY))
	if len(r.latest) != maxRecent {
		t.Errorf("%d remembered, want %d", len(r.latest), maxRecent)
	}
	digest := r.digest(where{})[0]
	if len(digest.Groups) != maxGroups || digest.Failed != maxRecent {
		t.Errorf("%d groups of %d failures", len(digest.Groups), digest.Failed)
	}
}

// The second workload's question includes the first's failure.
func TestRequestContainsRecentFailures(t *testing.T) {
	w := newWorld(t, nil, failedJob())
	w.asker.recent.note(attempt("other", ""), time.Time{}, on("n1", "z", "i"), Act, broken(mulliganv1.Cause_NODE_LOST, "n1", mulliganv1.Decision_RETRY))
	w.service.Next(mulligantest.Cause(mulliganv1.Cause_CONTAINER_OOM))
	w.look(t)
	requests := w.service.Requests()
	if got := requests[0].GetRecent(); len(got) != 1 || got[0].GetGroups()[0].GetNode() != "n1" {
		t.Errorf("sent %v", got)
	}
}

type writtenLog struct {
	text string
	err  error
}

func (w writtenLog) Tail(context.Context, mulligan.LogsOf, int) ([]byte, error) {
	return []byte(w.text), w.err
}

func TestLogsGoWithTheQuestion(t *testing.T) {
	for _, test := range []struct {
		name string
		logs mulligan.LogReader
		want string
	}{
		{"not without the flag", nil, ""},
		{"what was written last", writtenLog{text: "PASSWORD=x\nBus error"}, "PASSWORD=[blanked]\nBus error"},
		{"and the question is put without them, too", writtenLog{err: errors.New("away")}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			job := failedJob()
			pod := podOf(job)
			pod.Labels = map[string]string{"job-name": job.Name}
			pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "main", State: corev1.ContainerState{
				Terminated: &corev1.ContainerStateTerminated{ExitCode: 135, Reason: "Error"},
			}}}
			w := newWorld(t, nil, job, pod)
			w.asker.logs = test.logs
			w.service.Next(mulligantest.Cause(mulliganv1.Cause_APP_ERROR))
			w.look(t)
			asked := w.service.Requests()
			if len(asked) != 1 {
				t.Fatalf("asked %d times", len(asked))
			}
			if got := asked[0].GetReport().GetPods()[0].GetStatus().GetContainerStatuses()[0].GetState().GetTerminated().GetMessage(); got != test.want {
				t.Errorf("asked with %q, want %q", got, test.want)
			}
		})
	}
}
