package controller

import (
	"fmt"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"mulligan.dev/mulligan"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/controller/records"
	"mulligan.dev/mulligan/mulligantest"
)

// A wait is reported once, however its delay changes, and only after a failure.
func TestReportsAWaitOnce(t *testing.T) {
	job := failedJob(running)
	w := troubled(t, nil, job)
	said := ""
	for _, cause := range []mulliganv1.Cause{mulliganv1.Cause_IMAGE_DENIED, mulliganv1.Cause_IMAGE_DENIED, mulliganv1.Cause_NOT_FAILED} {
		w.clock = w.clock.Add(time.Second)
		w.trouble(job)
		w.answers(t, mulligantest.Cause(cause, lasting, func(r *mulliganv1.DecideResponse) {
			r.Decision.Action = mulliganv1.Decision_WAIT
			r.Decision.Sentence = fmt.Sprint("wait until ", w.clock)
		}))
		if result := w.look(t); result.RequeueAfter <= 0 {
			t.Errorf("%v: not looked at again", cause)
		}
		said += w.said()
	}
	if strings.Count(said, "Waiting") != 1 {
		t.Errorf("Events %q, want one", said)
	}
}

func TestVerdicts(t *testing.T) {
	for _, test := range []struct {
		name  string
		job   *batchv1.Job
		cause mulliganv1.Cause
		mode  Mode
		// Whether the policy ends the retries of its operator.
		loop bool
		// The recorded action; empty for none.
		action    string
		event     string
		suspended bool
		again     bool
	}{
		{"failed, FAIL", failedJob(), mulliganv1.Cause_CONFIG_USER_ERROR, Act, false, "FAIL", "Warning GivenUp", false, false},
		{"failed, wait for a new spec", failedJob(), mulliganv1.Cause_CREATE_REJECTED, Act, false, "WAIT_FOR_SPEC_UPDATE", "Warning WaitingForSpecUpdate", false, false},
		{"failed, RETRY, observed", failedJob(), mulliganv1.Cause_CONTAINER_OOM, Observe, false, "RETRY", "Normal WouldRetry", false, false},
		{"failed, FAIL, observed", failedJob(), mulliganv1.Cause_CONFIG_USER_ERROR, Observe, false, "FAIL", "Warning WouldGiveUp", false, false},
		{"failed, IGNORE", failedJob(), mulliganv1.Cause_CANCELLED, Act, false, "", "", false, false},
		{"running, WAIT", failedJob(running), mulliganv1.Cause_IMAGE_DENIED, Act, false, "", "Normal Waiting", false, true},
		{"running, FAIL", failedJob(running), mulliganv1.Cause_IMAGE_INVALID, Act, true, "FAIL", "Warning Stopped", true, false},
		{"running, FAIL, observed", failedJob(running), mulliganv1.Cause_IMAGE_INVALID, Observe, true, "FAIL", "Warning WouldStop", false, false},
		{"running, RETRY is its operator's", failedJob(running), mulliganv1.Cause_CONTAINER_OOM, Act, false, "", "", false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t, func(o *Options) { o.Mode = test.mode }, test.job)
			kind := lasting
			if test.loop {
				kind = braked
			}
			w.service.Next(mulligantest.Cause(test.cause, kind))
			w.memory.of(client.ObjectKeyFromObject(test.job), test.job.UID, func(m *remembered) { m.troubled = w.clock.Add(-time.Minute) })
			result := w.look(t)
			job := w.jobs(t)["train"]
			if action := decisionOn(t, job); action != test.action {
				t.Errorf("decided %q, want %q", action, test.action)
			}
			if said := w.said(); !strings.Contains(said, test.event) || (test.event == "") != (said == "") {
				t.Errorf("Events %q, want %q", said, test.event)
			}
			if got := job.Spec.Suspend != nil && *job.Spec.Suspend; got != test.suspended {
				t.Errorf("suspended: %v, want %v", got, test.suspended)
			}
			if again := result.RequeueAfter > 0; again != test.again {
				t.Errorf("looked at again: %v, want %v", again, test.again)
			}
			if _, stored := job.Annotations[mulligan.LedgerAnnotation]; stored && (test.mode == Observe && !test.loop || test.action == "") {
				t.Errorf("a ledger was stored: %v", job.Annotations)
			}
			w.clock = w.clock.Add(time.Hour)
			w.look(t)
			if len(w.jobs(t)) != 1 {
				t.Errorf("a retry was made")
			}
		})
	}
}

func decisionOn(t *testing.T, job *batchv1.Job) string {
	t.Helper()
	if job.Annotations[records.DecisionCopy] == "" {
		return ""
	}
	_, rest, _ := strings.Cut(job.Annotations[records.DecisionCopy], `"action":"`)
	action, _, _ := strings.Cut(rest, `"`)
	return action
}

func TestWhatHoldsTheControllerBack(t *testing.T) {
	switched := func(value string) *corev1.ConfigMap {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "mulligan-controller", Namespace: "mulligan"}, Data: map[string]string{"paused": value}}
	}
	for _, test := range []struct {
		name    string
		job     *batchv1.Job
		objects []client.Object
		asked   int
	}{
		{"nothing", failedJob(), nil, 1},
		{"switched on again", failedJob(), []client.Object{switched("false")}, 1},
		{"kill switch", failedJob(), []client.Object{switched("true")}, 0},
		{"kill switch with an unknown value", failedJob(), []client.Object{switched("yes")}, 0},
		{"an old failure", failedJob(func(j *batchv1.Job) {
			j.Status.Conditions[0].LastTransitionTime = metav1.NewTime(time.Now().Add(-2 * time.Hour))
		}), nil, 0},
		{"a running Job without trouble", failedJob(running), nil, 0},
		{"being deleted", failedJob(func(j *batchv1.Job) {
			now := metav1.Now()
			j.DeletionTimestamp, j.Finalizers = &now, []string{"somebody/waits"}
		}), nil, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t, nil, append(test.objects, test.job)...)
			w.service.Next(mulligantest.Cause(mulliganv1.Cause_APP_ERROR))
			w.look(t)
			if asked := len(w.service.Requests()); asked != test.asked {
				t.Errorf("asked %d times, want %d", asked, test.asked)
			}
		})
	}
}

func TestReportsHeldRetryOnce(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.RetriesPerMinute = 1 }, failedJob())
	w.shares.take("ml", "another")
	w.service.Next(mulligantest.Cause(mulliganv1.Cause_CONTAINER_OOM))
	w.look(t)
	w.clock = w.clock.Add(11 * time.Second)
	for range 3 {
		if result := w.look(t); result.RequeueAfter <= 0 || len(w.jobs(t)) != 1 {
			t.Fatalf("want no retry yet and another look, have %v and %d Jobs", result, len(w.jobs(t)))
		}
	}
	if said := w.said(); strings.Count(said, "RetryHeld") != 1 {
		t.Errorf("Events, want one that says it is held:\n%s", said)
	}
	w.clock = w.clock.Add(time.Minute)
	w.look(t)
	if len(w.jobs(t)) != 2 {
		t.Errorf("%d Jobs a minute later, want the retry", len(w.jobs(t)))
	}
}

func TestAsksUnavailableServiceAgain(t *testing.T) {
	w := newWorld(t, nil, failedJob())
	w.service.Next(mulligantest.Unavailable(), mulligantest.Unavailable())
	request := ctrl.Request{NamespacedName: client.ObjectKey{Namespace: "ml", Name: "train"}}
	if _, err := w.Reconcile(t.Context(), request); err == nil {
		t.Fatal("no error: the queue would not come back with a pause")
	}
	if job := w.jobs(t)["train"]; len(job.Annotations) != 1 {
		t.Errorf("without an answer something was written: %v", job.Annotations)
	}
	if said := w.said(); said != "" {
		t.Errorf("a short outage was reported: %s", said)
	}
	w.service.Next(mulligantest.Unavailable(), mulligantest.Unavailable(), mulligantest.Unavailable(), mulligantest.Unavailable())
	w.clock = w.clock.Add(patience)
	for range 2 {
		if _, err := w.Reconcile(t.Context(), request); err == nil {
			t.Fatal("no error")
		}
	}
	if said := w.said(); strings.Count(said, "NoAnswer") != 1 {
		t.Errorf("a long outage should be reported once, said: %s", said)
	}
	w.service.Next(mulligantest.Cause(mulliganv1.Cause_CONTAINER_OOM))
	w.look(t)
	if action := decisionOn(t, w.jobs(t)["train"]); action != "RETRY" {
		t.Errorf("decided %q, want RETRY", action)
	}
}
