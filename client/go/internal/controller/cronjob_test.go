package controller

import (
	"fmt"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/controller/records"
	"mulligan.dev/mulligan/mulligantest"
)

// The failed run was scheduled at two o'clock.
var twoOClock = time.Now().UTC().Truncate(24 * time.Hour).Add(-22 * time.Hour)

// firstRun is the run's name.
var firstRun = fmt.Sprintf("nightly-%d", twoOClock.Unix()/60)

// nightly lets no two Jobs run at once, and its last run is the one of two o'clock.
func nightly(edits ...func(*batchv1.CronJob)) *batchv1.CronJob {
	cron := &batchv1.CronJob{
		ObjectMeta: metav1.ObjectMeta{Name: "nightly", Namespace: "ml", UID: "uid-nightly"},
		Spec:       batchv1.CronJobSpec{ConcurrencyPolicy: batchv1.ForbidConcurrent},
		Status:     batchv1.CronJobStatus{LastScheduleTime: ptr.To(metav1.NewTime(twoOClock))},
	}
	for _, edit := range edits {
		edit(cron)
	}
	return cron
}

func concurrency(policy batchv1.ConcurrencyPolicy) func(*batchv1.CronJob) {
	return func(c *batchv1.CronJob) { c.Spec.ConcurrencyPolicy = policy }
}

func threeOClockBegan(c *batchv1.CronJob) {
	c.Status.LastScheduleTime = ptr.To(metav1.NewTime(twoOClock.Add(time.Hour)))
}

func active(name string) func(*batchv1.CronJob) {
	return func(c *batchv1.CronJob) {
		c.Status.Active = append(c.Status.Active, corev1.ObjectReference{Name: name, UID: types.UID("uid-" + name)})
	}
}

func ownedBy(kind, apiVersion, name string) func(*batchv1.Job) {
	return func(j *batchv1.Job) {
		j.CreationTimestamp = metav1.NewTime(twoOClock.Add(time.Second))
		j.OwnerReferences = []metav1.OwnerReference{{APIVersion: apiVersion, Kind: kind, Name: name, UID: "uid-nightly", Controller: ptr.To(true)}}
	}
}

func TestMayStartAgain(t *testing.T) {
	const retry = "nightly-r2-abcde"
	for _, test := range []struct {
		name string
		cron *batchv1.CronJob
		want permission
		why  string
	}{
		{"nothing else runs", nightly(), granted, ""},
		{"this attempt runs already", nightly(active(retry)), granted, ""},
		{"another one runs", nightly(active("nightly-by-hand")), later, "nightly-by-hand is active"},
		{"the next run has begun", nightly(threeOClockBegan), never, "has begun its run of " + twoOClock.Add(time.Hour).Format(time.RFC3339)},
		{"the next run has replaced it", nightly(concurrency(batchv1.ReplaceConcurrent), threeOClockBegan), never, "has begun its run"},
		{"Jobs may overlap", nightly(concurrency(batchv1.AllowConcurrent), threeOClockBegan, active("nightly-2")), granted, ""},
		{"suspended", nightly(func(c *batchv1.CronJob) { c.Spec.Suspend = ptr.To(true) }), later, "is suspended"},
		{"not suspended", nightly(func(c *batchv1.CronJob) { c.Spec.Suspend = ptr.To(false) }), granted, ""},
		{"never ran", nightly(func(c *batchv1.CronJob) { c.Status.LastScheduleTime = nil }), granted, ""},
		{"gone", nil, never, "its CronJob is gone"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, why := run{cron: test.cron, at: twoOClock}.mayStartAgain("uid-train", retry)
			if got != test.want || !strings.Contains(why, test.why) || (test.why == "") != (why == "") {
				t.Errorf("%v, %q, want %v, %q", got, why, test.want, test.why)
			}
		})
	}
}

// The name of a run contains its time, whatever its annotations say. A manual one has
// the time of its creation.
func TestTheTimeOfARun(t *testing.T) {
	made := twoOClock.Add(time.Second)
	for name, want := range map[string]string{
		firstRun:                "nightly",
		"a-" + firstRun:         "a-nightly",
		"nightly":               "",
		"nightly-2":             "",
		"nightly-20261103":      "",
		"nightly-by-hand":       "",
		"nightly-999999999999":  "",
		"nightly-9999999999999": "",
		"-29369640":             "",
		"nightly-" + fmt.Sprint(twoOClock.Add(2*time.Hour).Unix()/60):  "",
		"nightly-" + fmt.Sprint(twoOClock.AddDate(-2, 0, 0).Unix()/60): "",
	} {
		if got, at := runNamed(name, made); got != want || got != "" && !at.Equal(twoOClock) {
			t.Errorf("%s: a run of %q at %v, want %q", name, got, at, want)
		}
	}
	byHand := run{cron: nightly(), at: made}
	for at, want := range map[time.Time]permission{twoOClock: granted, twoOClock.Add(time.Hour): never, made: granted} {
		byHand.cron.Status.LastScheduleTime = ptr.To(metav1.NewTime(at))
		if got, why := byHand.mayStartAgain("u", "r"); got != want {
			t.Errorf("last run of %v: %v (%s), want %v", at, got, why, want)
		}
	}
	// "@every 90s": the name has whole minutes.
	seconds := run{cron: nightly(), at: twoOClock}
	seconds.cron.Status.LastScheduleTime = ptr.To(metav1.NewTime(twoOClock.Add(30 * time.Second)))
	if got, why := seconds.mayStartAgain("u", "r"); got != granted {
		t.Errorf("its own run: %v (%s)", got, why)
	}
}

func TestRetryIsActiveJobOfItsCronJob(t *testing.T) {
	run := firstRun
	w := newWorld(t, nil, failedJob(ownedBy("CronJob", "batch/v1", "nightly"), called(run)), nightly(active("nightly-by-hand")))
	w.service.Next(mulligantest.Cause(mulliganv1.Cause_CONTAINER_OOM))
	w.lookAt(t, run)
	w.clock = w.clock.Add(11 * time.Second)
	for range 3 {
		if result := w.lookAt(t, run); len(w.jobs(t)) != 1 || result.RequeueAfter == 0 {
			t.Fatalf("concurrent with another Job of a CronJob that forbids it: %d Jobs, looked at again after %v", len(w.jobs(t)), result.RequeueAfter)
		}
	}
	if said := w.said(); strings.Count(said, "RetryHeld") != 1 {
		t.Errorf("Events, want why it is held, once:\n%s", said)
	}
	cron := w.cron(t)
	cron.Status.Active = nil
	if err := w.client.Status().Update(t.Context(), cron); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		w.lookAt(t, run)
	}
	retry := w.jobs(t)[run].Annotations[records.RetriedAs]
	if active := w.cron(t).Status.Active; retry == "" || len(active) != 1 || active[0].Name != retry || active[0].UID != w.jobs(t)[retry].UID {
		t.Errorf("active Jobs %v, want %q alone", active, retry)
	}
}

func called(name string) func(*batchv1.Job) { return func(j *batchv1.Job) { j.Name = name } }

// Otherwise, clients with patch rights on Jobs could block any CronJob of the
// namespace.
func TestOnlyTheRunsOfACronJobAreItsActiveJobs(t *testing.T) {
	for _, name := range []string{"train", "nightly", "nightly-by-hand", strings.Replace(firstRun, "-", "-2-", 1)} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, nil, failedJob(ownedBy("CronJob", "batch/v1", "nightly"), called(name)), nightly())
			w.service.Next(mulligantest.Cause(mulliganv1.Cause_CONTAINER_OOM))
			w.looks(t, name, 3)
			if active := w.cron(t).Status.Active; len(w.jobs(t)) != 2 || len(active) != 0 {
				t.Errorf("%d Jobs and active ones %v, want a retry that the CronJob does not hear of", len(w.jobs(t)), active)
			}
		})
	}
}

func TestDoesNotRetryOvertakenRun(t *testing.T) {
	w := newWorld(t, nil, failedJob(ownedBy("CronJob", "batch/v1", "nightly"), called(firstRun)), nightly(threeOClockBegan))
	w.service.Next(mulligantest.Cause(mulliganv1.Cause_CONTAINER_OOM))
	w.looks(t, firstRun, 3)
	if said := w.said(); len(w.jobs(t)) != 1 || strings.Count(said, "RetryCancelled") != 1 {
		t.Errorf("%d Jobs, want no retry and one Event that says why:\n%s", len(w.jobs(t)), said)
	}
}

// It was announced that there is no further attempt. Later changes of the CronJob apply
// to its later runs.
func TestACancelledRetryStaysCancelled(t *testing.T) {
	w := newWorld(t, nil, failedJob(ownedBy("CronJob", "batch/v1", "nightly"), called(firstRun)), nightly(threeOClockBegan))
	w.service.Next(mulligantest.Cause(mulliganv1.Cause_CONTAINER_OOM))
	w.looks(t, firstRun, 2)
	cron := w.cron(t)
	cron.Spec.ConcurrencyPolicy = batchv1.AllowConcurrent
	if err := w.client.Update(t.Context(), cron); err != nil {
		t.Fatal(err)
	}
	w.lookAt(t, firstRun)
	if state := w.record(t).Status.State; len(w.jobs(t)) != 1 || state != records.GivenUp {
		t.Errorf("%d Jobs, %s, want no retry of what was cancelled", len(w.jobs(t)), state)
	}
}

func (w *world) cron(t *testing.T) *batchv1.CronJob {
	t.Helper()
	cron := &batchv1.CronJob{}
	if err := w.client.Get(t.Context(), client.ObjectKey{Namespace: "ml", Name: "nightly"}, cron); err != nil {
		t.Fatal(err)
	}
	return cron
}

func TestLeavesWorkOfOtherOwners(t *testing.T) {
	opted := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "ml", Labels: map[string]string{records.Policy: ""}}}
	onlyByNamespace := func(j *batchv1.Job) { delete(j.Annotations, records.Policy) }
	workflow := ownedBy("Workflow", "argoproj.io/v1alpha1", "etl")
	for _, test := range []struct {
		name  string
		job   *batchv1.Job
		asked int
		event string
	}{
		{"no owner", failedJob(onlyByNamespace), 1, "RetryGranted"},
		{"a CronJob's", failedJob(ownedBy("CronJob", "batch/v1", "nightly"), onlyByNamespace), 1, "RetryGranted"},
		{"a Workflow's", failedJob(workflow, onlyByNamespace), 0, "Workflow etl (argoproj.io/v1alpha1) controls this"},
		{"a Workflow's that says so itself", failedJob(workflow), 1, "RetryGranted"},
		{"a Workflow's that runs", failedJob(workflow, onlyByNamespace, running), 0, ""},
		{"another group's CronJob", failedJob(ownedBy("CronJob", "example.com/v1", "nightly"), onlyByNamespace), 0, "LeftToItsOwner"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t, nil, test.job)
			if err := w.client.Update(t.Context(), opted); err != nil {
				t.Fatal(err)
			}
			opted.ResourceVersion = ""
			w.service.Next(mulligantest.Cause(mulliganv1.Cause_CONTAINER_OOM))
			for range 2 {
				w.look(t)
			}
			said := w.said()
			if asked := len(w.service.Requests()); asked != test.asked {
				t.Errorf("asked %d times, want %d", asked, test.asked)
			}
			if strings.Count(said, test.event) != 1 && test.event != "" || test.event == "" && said != "" {
				t.Errorf("Events, want %q once:\n%s", test.event, said)
			}
		})
	}
}

// Clients with patch rights on a Job may change its owners and annotations, before and
// after its failure is recorded. Names stay.
func TestAJobCannotBePatchedAwayFromItsSchedule(t *testing.T) {
	other := nightly(concurrency(batchv1.AllowConcurrent), func(c *batchv1.CronJob) { c.Name, c.UID = "other", "uid-other" })
	for name, attack := range map[string]func(*batchv1.Job){
		"no owner":          func(j *batchv1.Job) { j.OwnerReferences = nil },
		"another CronJob's": func(j *batchv1.Job) { j.OwnerReferences[0].Name, j.OwnerReferences[0].UID = "other", "uid-other" },
		"of another time": func(j *batchv1.Job) {
			j.Annotations[batchv1.CronJobScheduledTimestampAnnotation] = "2999-01-01T00:00:00Z"
		},
	} {
		for _, when := range []string{"before its failure is recorded", "after"} {
			t.Run(name+", "+when, func(t *testing.T) {
				w := newWorld(t, nil, failedJob(ownedBy("CronJob", "batch/v1", "nightly"), called(firstRun)), nightly(threeOClockBegan), other.DeepCopy())
				w.service.Next(mulligantest.Cause(mulliganv1.Cause_CONTAINER_OOM))
				if when == "after" {
					w.lookAt(t, firstRun)
				}
				job := w.jobs(t)[firstRun]
				attack(job)
				if err := w.client.Update(t.Context(), job); err != nil {
					t.Fatal(err)
				}
				w.looks(t, firstRun, 3)
				if len(w.jobs(t)) != 1 || w.record(t).Status.State != records.GivenUp {
					t.Errorf("%d Jobs, %+v", len(w.jobs(t)), w.record(t).Status)
				}
				if said := w.said(); strings.Count(said, "RetryCancelled") != 1 {
					t.Errorf("Events:\n%s", said)
				}
			})
		}
	}
}

// A new CronJob of the same name is not the one that began the run.
func TestRecreatedCronJobIsAnotherOne(t *testing.T) {
	w := newWorld(t, nil, failedJob(ownedBy("CronJob", "batch/v1", "nightly"), called(firstRun)), nightly(func(c *batchv1.CronJob) { c.UID = "uid-anew" }))
	w.service.Next(mulligantest.Cause(mulliganv1.Cause_CONTAINER_OOM))
	w.looks(t, firstRun, 3)
	if state := w.record(t).Status.State; len(w.jobs(t)) != 1 || state != records.GivenUp {
		t.Errorf("%d Jobs, %s, want none for a CronJob that is gone", len(w.jobs(t)), state)
	}
}
