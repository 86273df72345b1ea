package main

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/managedfields"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	jobset "sigs.k8s.io/jobset/api/jobset/v1alpha2"
	"sigs.k8s.io/jobset/pkg/constants"
	"sigs.k8s.io/jobset/pkg/controllers"

	"mulligan.dev/mulligan/tests/oracle/cases"
	"mulligan.dev/mulligan/tests/oracle/jobset/peer/webhooks"
)

var scheme = cases.Built(runtime.NewScheme(), clientgoscheme.AddToScheme, jobset.AddToScheme)

// admit fills in the defaults and returns the webhook's refusals of the JobSet,
// nil if it is admitted.
func admit(w *world) []string {
	if err := webhooks.Default(context.Background(), w.jobSet); err != nil {
		panic(err)
	}
	err := webhooks.Validate(context.Background(), w.jobSet)
	if err == nil {
		return nil
	}
	var status *apierrors.StatusError
	if !errors.As(err, &status) { // Releases before 0.12 join them.
		return strings.Split(err.Error(), "\n")
	}
	var refusals []string
	for _, cause := range status.ErrStatus.Details.Causes {
		_, words, _ := strings.Cut(cause.Message, ": ") // The kind of error.
		refusals = append(refusals, words)
	}
	return refusals
}

// reconcile runs the controller on the JobSet. A Job with FailureTarget fails
// as soon as its pods are gone: if nothing has happened by then, the controller
// runs again at that moment.
func reconcile(w *world) map[string]any {
	expect := w.pass()
	if words, ok := expect["verdict"].([]string); !ok || !undecided(words[0]) {
		return expect
	}
	later := *w
	later.jobs = nil
	coming := false
	for _, job := range w.jobs {
		job, fails := fulfilled(job)
		coming = coming || fails
		later.jobs = append(later.jobs, job)
	}
	if coming {
		if foreseen := later.pass(); !undecided(foreseen["verdict"].([]string)[0]) {
			return foreseen
		}
	}
	return expect
}

func undecided(verdict string) bool {
	return verdict == "None" || verdict == "Suspended"
}

// fulfilled returns a Job after the pods of a FailureTarget are gone.
func fulfilled(job *batchv1.Job) (*batchv1.Job, bool) {
	if finished, _ := controllers.JobFinished(job); finished {
		return job, false
	}
	at := slices.IndexFunc(job.Status.Conditions, func(condition batchv1.JobCondition) bool {
		return condition.Type == batchv1.JobFailureTarget && condition.Status == corev1.ConditionTrue
	})
	if at < 0 {
		return job, false
	}
	failed := job.DeepCopy()
	condition := failed.Status.Conditions[at]
	condition.Type, condition.LastTransitionTime = batchv1.JobFailed, metav1.NewTime(cases.Now)
	failed.Status.Conditions = append(failed.Status.Conditions, condition)
	return failed, true
}

// pass is one Reconcile.
func (w *world) pass() map[string]any {
	recorder := &recorder{}
	before := w.jobSet.DeepCopy()
	server := w.server()
	request := ctrl.Request{NamespacedName: client.ObjectKeyFromObject(w.jobSet)}
	_, err := newReconciler(server, recorder).Reconcile(context.Background(), request)
	if err != nil {
		return map[string]any{"refused": false, "verdict": []string{"Error"}, "action": []string{"WAIT"}}
	}
	after := &jobset.JobSet{}
	if err := server.Get(context.Background(), request.NamespacedName, after); err != nil {
		panic(err)
	}
	return w.expect(before, after, recorder.events)
}

// server returns an API server with the objects, with Jobs in their order.
func (w *world) server() client.Client {
	builder := fake.NewClientBuilder().WithScheme(scheme).
		WithTypeConverters(managedfields.NewDeducedTypeConverter()). // the default one is slow to make
		WithObjects(w.jobSet.DeepCopy()).WithStatusSubresource(w.jobSet)
	place := map[string]int{}
	for at, job := range w.jobs {
		place[job.Name] = at
		builder = builder.WithObjects(job.DeepCopy())
	}
	for _, pod := range w.pods {
		builder = builder.WithObjects(pod.DeepCopy())
	}
	return builder.
		WithIndex(&batchv1.Job{}, constants.JobsIndexByJobSetKey, func(job client.Object) []string {
			return []string{string(metav1.GetControllerOf(job).UID)}
		}).
		WithIndex(&corev1.Pod{}, "podsIndexByJobSet", func(pod client.Object) []string {
			return []string{pod.GetNamespace() + "/" + pod.GetLabels()["jobset.sigs.k8s.io/jobset-name"]}
		}).
		WithInterceptorFuncs(interceptor.Funcs{List: func(ctx context.Context, server client.WithWatch,
			list client.ObjectList, options ...client.ListOption) error {
			err := server.List(ctx, list, options...)
			if jobs, ok := list.(*batchv1.JobList); ok {
				slices.SortFunc(jobs.Items, func(a, b batchv1.Job) int { return place[a.Name] - place[b.Name] })
			}
			return err
		}}).Build()
}

// expect reads the answer from the controller's writes.
func (w *world) expect(before, after *jobset.JobSet, events []event) map[string]any {
	restartJob := utilfeature.DefaultFeatureGate.Enabled("RestartJob")
	expect := map[string]any{"refused": false}
	say := func(name string, value ...string) { expect[name] = value }
	for _, end := range []string{"Failed", "Completed"} {
		condition := meta.FindStatusCondition(after.Status.Conditions, end)
		if after.Status.TerminalState != end && (condition == nil || condition.Status != metav1.ConditionTrue) {
			continue
		}
		new := before.Status.TerminalState != end && !meta.IsStatusConditionTrue(before.Status.Conditions, end)
		if condition != nil {
			say("reason", condition.Reason)
			expect["message"] = condition.Message
		}
		switch {
		case end == "Completed":
			say("verdict", end)
			say("action", "IGNORE")
		case new:
			say("verdict", "FailJobSet")
			say("action", "FAIL")
			say("chargedTo", "")
			expect["counters"] = counters(before, after, restartJob)
			if condition.Reason == "ReachedMaxRestarts" {
				say("chargedTo", "maxRestarts")
				// In place, the pods count, not the status.
				if condition.Message != constants.ReachedMaxRestartsMessage {
					expect["used"] = counted(after, restartJob) + 1
				}
			}
		default:
			say("verdict", end)
			say("action", "FAIL")
		}
		return expect
	}
	for _, event := range events {
		action, ok := strings.CutSuffix(event.reason, "FailurePolicyAction")
		if !ok {
			continue
		}
		say("verdict", action)
		say("action", "RETRY")
		say("scope", "JOB_SET")
		say("chargedTo", "")
		expect["message"] = event.message
		expect["counters"] = counters(before, after, restartJob)
		if !strings.HasSuffix(action, "AndIgnoreMaxRestarts") {
			say("chargedTo", "maxRestarts")
			expect["used"] = counted(after, restartJob)
		}
		if strings.HasPrefix(action, "RestartJobSet") {
			if why := meta.FindStatusCondition(after.Status.Conditions, "RestartingJobSet"); why != nil {
				say("reason", why.Reason)
			}
		} else {
			say("scope", "JOB")
		}
		return expect
	}
	say("verdict", "None")
	if before.Spec.Suspend != nil && *before.Spec.Suspend {
		say("verdict", "Suspended")
	}
	return w.orInner(expect)
}

// orInner adds the verdicts of Jobs, which may answer if the JobSet does
// nothing or another controller manages it.
func (w *world) orInner(expect map[string]any) map[string]any {
	if manager := w.jobSet.Spec.ManagedBy; manager != nil && *manager != "jobset.sigs.k8s.io/jobset-controller" {
		expect["verdict"] = append(expect["verdict"].([]string), "Failed")
	}
	for _, job := range w.jobs {
		if finished, how := controllers.JobFinished(job); finished && how == batchv1.JobComplete {
			expect["verdict"] = append(expect["verdict"].([]string), "Complete")
			break
		}
	}
	return expect
}

// newReconciler makes the reconciler with the recorder of its release.
func newReconciler(server client.Client, events *recorder) *controllers.JobSetReconciler {
	constructor := reflect.ValueOf(controllers.NewJobSetReconciler)
	taken := reflect.ValueOf(events)
	if !taken.Type().Implements(constructor.Type().In(2)) {
		taken = reflect.ValueOf(oldRecorder{events})
	}
	return constructor.Call([]reflect.Value{reflect.ValueOf(server), reflect.ValueOf(scheme), taken})[0].
		Interface().(*controllers.JobSetReconciler)
}

type event struct{ reason, message string }

// recorder is an events.EventRecorder.
type recorder struct{ events []event }

func (r *recorder) Eventf(_, _ runtime.Object, _, reason, _, note string, args ...any) {
	r.events = append(r.events, event{reason, fmt.Sprintf(note, args...)})
}

// oldRecorder is a record.EventRecorder, for releases before 0.12.
type oldRecorder struct{ to *recorder }

func (r oldRecorder) Event(_ runtime.Object, _, reason, message string) {
	r.to.events = append(r.to.events, event{reason, message})
}

func (r oldRecorder) Eventf(_ runtime.Object, _, reason, note string, args ...any) {
	r.to.events = append(r.to.events, event{reason, fmt.Sprintf(note, args...)})
}

func (r oldRecorder) AnnotatedEventf(_ runtime.Object, _ map[string]string, _, reason, note string, args ...any) {
	r.to.events = append(r.to.events, event{reason, fmt.Sprintf(note, args...)})
}
