package controller

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/controller/records"
	"mulligan.dev/mulligan/internal/notify"
	"mulligan.dev/mulligan/mulligantest"
)

// tellTo makes a controller notify a service, and returns a function that stops it and
// returns the messages.
func tellTo(t *testing.T, w *world) func() []notify.Message {
	t.Helper()
	messages := make(chan notify.Message, 100)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var event struct {
			Data notify.Message `json:"data"`
		}
		if err := json.NewDecoder(r.Body).Decode(&event); err != nil {
			t.Error(err)
		}
		messages <- event.Data
	}))
	t.Cleanup(server.Close)
	config, err := notify.Parse([]byte("receivers: [{name: all, webhook: {url: '" + server.URL + "'}}]"))
	if err != nil {
		t.Fatal(err)
	}
	if w.options.Notifier, err = notify.New(config, logr.Discard()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan struct{})
	go func() { w.options.Notifier.Start(ctx); close(ended) }()
	return func() []notify.Message {
		cancel()
		<-ended
		close(messages)
		var all []notify.Message
		for m := range messages {
			all = append(all, m)
		}
		return all
	}
}

func usersTypo(r *mulliganv1.DecideResponse) {
	r.Diagnosis.Problem = "image main:1 does not exist"
	r.Diagnosis.FirstStep = &mulliganv1.FirstStep{Text: "correct the image", Actor: mulliganv1.FirstStep_USER}
}

func TestNotifiesOnce(t *testing.T) {
	for _, mode := range []Mode{Act, Observe} {
		t.Run(string(mode), func(t *testing.T) {
			w := newWorld(t, func(o *Options) { o.Mode = mode }, failedJob(func(j *batchv1.Job) { j.Labels = map[string]string{"team": "vision"} }))
			stop := tellTo(t, w)
			w.service.Next(mulligantest.Cause(mulliganv1.Cause_IMAGE_INVALID, usersTypo))
			for range 3 {
				w.look(t)
			}
			sent := stop()
			if len(sent) != 1 {
				t.Fatalf("notified %d times, want once", len(sent))
			}
			if m := sent[0]; m.Actor != "USER" || m.Team != "vision" || m.FirstStep != "correct the image" || m.Name != "train" || m.Mode != string(mode) {
				t.Errorf("notified %+v", m)
			}
		})
	}
}

func TestNotifiesOfWaitingWorkOnce(t *testing.T) {
	w := newWorld(t, nil, failedJob())
	stop := tellTo(t, w)
	lasting := func(r *mulliganv1.DecideResponse) {
		usersTypo(r)
		r.Diagnosis.Outlook = mulliganv1.Diagnosis_CANNOT_RECOVER
	}
	w.service.Next(mulligantest.Cause(mulliganv1.Cause_CONFIG_MISSING, lasting), mulligantest.Cause(mulliganv1.Cause_CONFIG_MISSING, lasting))
	w.look(t)
	w.clock = w.clock.Add(time.Minute)
	w.look(t)
	if sent := stop(); len(sent) != 1 {
		t.Errorf("notified %d times, want once", len(sent))
	}
}

func TestDoesNotNotifyOfRetries(t *testing.T) {
	w := newWorld(t, nil, failedJob())
	stop := tellTo(t, w)
	w.service.Next(mulligantest.Cause(mulliganv1.Cause_SPOT_RECLAIMED))
	w.look(t)
	if sent := stop(); len(sent) != 0 {
		t.Errorf("notified %+v", sent)
	}
}

// A granted retry that cannot be made will not pass, unlike the answer said.
func TestNotifiesOfRefusedRetry(t *testing.T) {
	w, _ := refusing(t, func() error { return apierrors.NewBadRequest("no such field") })
	stop := tellTo(t, w)
	for range 3 {
		w.look(t)
	}
	sent := stop()
	if len(sent) != 1 || sent[0].FirstStep != "create the work again by hand" || sent[0].Cause != "CONTAINER_OOM" {
		t.Errorf("notified %+v, want the refusal once", sent)
	}
}

// All places that people read say who stopped it, why, and how to let it continue.
func TestStoppedWorkShowsStopperAndRelease(t *testing.T) {
	const goOn = `kubectl patch job train -n ml --type=merge -p '{"spec":{"suspend":false}}'`
	w := troubled(t, nil, failedJob(running))
	stop := tellTo(t, w)
	w.service.Next(mulligantest.Cause(mulliganv1.Cause_IMAGE_INVALID, usersTypo, braked))
	w.look(t)
	event := w.said()
	sent := stop()
	if len(sent) != 1 {
		t.Fatalf("notified %d times, want once", len(sent))
	}
	annotations := w.jobs(t)["train"].Annotations
	step := w.record(t).Status.FirstStep
	for where, text := range map[string]string{
		"the Event":        event,
		"the notification": sent[0].Problem + sent[0].Sentence + sent[0].FirstStep,
		"the annotations":  annotations[records.Stopped] + annotations[records.FirstStep],
	} {
		for _, part := range []string{"mulligan-controller stopped it", "IMAGE_INVALID", "correct the image", goOn} {
			if !strings.Contains(text, part) {
				t.Errorf("%s has no %q: %s", where, part, text)
			}
		}
	}
	if step != annotations[records.FirstStep] || strings.Contains(step, "create it again") {
		t.Errorf("the first step of the record is %q", step)
	}
	// A user resumes it, and nothing says that it is stopped.
	resumed := w.jobs(t)["train"]
	resumed.Spec.Suspend, resumed.Generation = nil, resumed.Generation+1
	if err := w.client.Update(t.Context(), resumed); err != nil {
		t.Fatal(err)
	}
	w.look(t)
	w.look(t)
	if left := w.jobs(t)["train"].Annotations; left[records.Stopped] != "" || left[records.FirstStep] != "" {
		t.Errorf("it is at work again, and says %v", left)
	}
}

func TestEventsBeginWithTheHeadline(t *testing.T) {
	answer := &mulliganv1.DecideResponse{
		Diagnosis: &mulliganv1.Diagnosis{Summary: "Pod a: an uncaught exception (exit code 1).", Problem: "Pod a: KeyError: 'x' (an uncaught exception, exit code 1)"},
		Decision:  &mulliganv1.Decision{Sentence: "Pod a: an uncaught exception (exit code 1): retry the pod."},
	}
	if got, want := messageOf(answer, Act, nil), "Pod a: KeyError: 'x' (an uncaught exception, exit code 1): retry the pod."; got != want {
		t.Errorf("messageOf() = %q, want %q", got, want)
	}
	// A sentence with another beginning stays whole.
	answer.Diagnosis.Summary = "Pod b: gone."
	if got, want := messageOf(answer, Act, nil), answer.GetDecision().GetSentence(); got != want {
		t.Errorf("messageOf() = %q, want %q", got, want)
	}
}
