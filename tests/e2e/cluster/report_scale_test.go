package cluster

import (
	"context"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// How many failed workloads a report is made of; E2E_REPORT for another number.
const reported = 2000

// Who watches lists now and then, too; a second list of everything would be more at any size
// that counts.
const othersLists = 2

// How the pod of the nth of them ended, and what is to be said of it.
var reportedEnds = []struct {
	end           ending
	cause, domain string
}{
	{runsOutOfMemory, "CONTAINER_OOM", "RESOURCE_LIMIT"},
	{isTakenAway, "NODE_SHUTDOWN", "DISRUPTION"},
	{func(pod *corev1.Pod) bool {
		return exitsWith(pod, "ModuleNotFoundError: No module named 'torchvision'")
	}, "CONFIG_USER_ERROR", "CONFIGURATION"},
	{func(pod *corev1.Pod) bool { return exits(pod, 3, "Error") }, "APP_ERROR", "APPLICATION"},
}

// What each of them held: four cores for 36 seconds.
const reportedCores, reportedTime = 4, 36 * time.Second

// A report of everything that the API server has takes one list call a kind and page.
func TestScenario25ReportOfManyWorkloads(t *testing.T) {
	c := shared
	workloads := numberFrom(t, "E2E_REPORT", reported)
	namespace := c.namespace(t)
	c.manyEnded(t, namespace, workloads)

	want := map[string]int{}
	for resource, list := range map[string]client.ObjectList{
		"jobs": &batchv1.JobList{}, "pods": &corev1.PodList{}, "events": &corev1.EventList{}, "nodes": &corev1.NodeList{},
	} {
		must(t, c.List(t.Context(), list))
		want[resource] = (meta.LenList(list) + pageOfPlugin - 1) / pageOfPlugin
	}
	before := c.listCalls(t)
	begun := time.Now()
	told, megabytes := c.report(t, "-A")
	took := time.Since(begun)
	after := c.listCalls(t)
	calls := 0
	for resource, n := range after {
		calls += n - before[resource]
	}
	t.Logf("report -A of %d workloads: %v, at most %d MB, %d list calls", told.All.Workloads, took.Round(100*time.Millisecond), megabytes, calls)
	for resource, pages := range want {
		if n := after[resource] - before[resource]; n < pages || n > pages+othersLists {
			t.Errorf("%d list calls for %s, want one for each of %d pages", n, resource, pages)
		}
	}
	if took > 2*time.Minute {
		t.Errorf("report -A took %v, want less than two minutes", took)
	}
	if n := told.By["team"][namespace].Workloads; n != workloads {
		t.Errorf("%d workloads of %s, want %d", n, namespace, workloads)
	}
	c.tellsAll(t, namespace, workloads)
}

// tellsAll is about what was made.
func (c *cluster) tellsAll(t *testing.T, namespace string, workloads int) {
	t.Helper()
	told, _ := c.report(t, "-n", namespace)
	if told.All.Failures != workloads || told.All.Workloads != workloads || told.BadLines > 0 {
		t.Errorf("%+v, want %d failures of as many workloads", told.All, workloads)
	}
	cores := float64(workloads) * reportedCores * reportedTime.Hours()
	if math.Abs(told.All.CoreHours-cores) > cores/1e6 {
		t.Errorf("%v core-hours, want %v", told.All.CoreHours, cores)
	}
	for i, one := range reportedEnds {
		want := (workloads - i + len(reportedEnds) - 1) / len(reportedEnds)
		if got := told.By["cause"][one.cause].Failures; got != want {
			t.Errorf("%d of %s, want %d", got, one.cause, want)
		}
		if got := told.By["domain"][one.domain].Failures; got != want {
			t.Errorf("%d of %s, want %d", got, one.domain, want)
		}
	}
}

// manyEnded makes so many failed Jobs, and returns when their ends have passed.
func (c *cluster) manyEnded(t *testing.T, namespace string, workloads int) {
	t.Helper()
	// What has ended is made as it is; nobody may begin it anew.
	c.controlPlane(t, "stop", "controller-manager")
	t.Cleanup(func() {
		for _, kind := range []client.Object{&corev1.Pod{}, &batchv1.Job{}, &corev1.Event{}} {
			_ = c.DeleteAllOf(context.Background(), kind, client.InNamespace(namespace), client.GracePeriodSeconds(0))
		}
		if err := run(os.Getenv("E2E_CONTROL_PLANE"), "start", c.run, "controller-manager"); err != nil {
			t.Error(err)
		}
	})
	begun := time.Now()
	each(workloads, func(i int) {
		if err := c.makeEnded(t.Context(), namespace, i); err != nil {
			t.Error(err)
		}
	})
	t.Logf("%d failed Jobs made in %v", workloads, time.Since(begun).Round(time.Second))
	time.Sleep(reportedTime)
}

// makeEnded makes the nth failed Job with its pod and the Event about its end.
func (c *cluster) makeEnded(ctx context.Context, namespace string, n int) error {
	job := newJob(namespace, fmt.Sprintf("ended-%05d", n))
	container := &job.Spec.Template.Spec.Containers[0]
	container.Resources.Requests[corev1.ResourceCPU] = *resource.NewQuantity(reportedCores, resource.DecimalSI)
	for i := range 20 {
		container.Env = append(container.Env, corev1.EnvVar{Name: fmt.Sprintf("VARIABLE_%d", i), Value: "some value of usual length"})
	}
	if err := c.Create(ctx, job); err != nil {
		return err
	}
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: job.Name + "-x7k2p", Namespace: namespace, Labels: job.Spec.Template.Labels,
			Annotations:     map[string]string{byHand: "true"},
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(job, batchv1.SchemeGroupVersion.WithKind("Job"))},
		},
		Spec: job.Spec.Template.Spec,
	}
	pod.Spec.NodeName = fmt.Sprintf("node-%d", n%2)
	if err := c.Create(ctx, pod); err != nil {
		return err
	}
	begun := pod.CreationTimestamp
	pod.Status.StartTime = &begun
	ended := metav1.NewTime(begun.Add(reportedTime))
	reportedEnds[n%len(reportedEnds)].end(pod)
	for i := range pod.Status.ContainerStatuses {
		pod.Status.ContainerStatuses[i].State.Terminated.FinishedAt = ended
	}
	if err := c.Status().Update(ctx, pod); err != nil {
		return err
	}
	job.Status.StartTime, job.Status.Failed = &begun, 1
	for _, kind := range []batchv1.JobConditionType{batchv1.JobFailureTarget, batchv1.JobFailed} {
		job.Status.Conditions = append(job.Status.Conditions, batchv1.JobCondition{
			Type: kind, Status: corev1.ConditionTrue, Reason: batchv1.JobReasonBackoffLimitExceeded,
			Message: "Job has reached the specified backoff limit", LastTransitionTime: ended, LastProbeTime: ended,
		})
	}
	if err := c.Status().Update(ctx, job); err != nil {
		return err
	}
	return c.Create(ctx, &corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{Namespace: namespace, Name: job.Name + ".1"},
		InvolvedObject: corev1.ObjectReference{APIVersion: "batch/v1", Kind: "Job", Namespace: namespace, Name: job.Name, UID: job.UID},
		Type:           corev1.EventTypeWarning, Reason: batchv1.JobReasonBackoffLimitExceeded,
		Message: "Job has reached the specified backoff limit", FirstTimestamp: ended, LastTimestamp: ended, Count: 1,
		Source: corev1.EventSource{Component: "job-controller"},
	})
}

var listCount = regexp.MustCompile(`(?m)^apiserver_request_total\{.*[,{]resource="([^"]*)".*verb="LIST".*\} (\d+)`)

// listCalls is how many lists the API server has answered, by resource.
func (c *cluster) listCalls(t *testing.T) map[string]int {
	t.Helper()
	asking, err := rest.HTTPClientFor(c.config)
	must(t, err)
	answer, err := asking.Get(c.config.Host + "/metrics")
	must(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	must(t, err)
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("metrics of the API server: %s", answer.Status)
	}
	calls := map[string]int{}
	for _, match := range listCount.FindAllSubmatch(text, -1) {
		n, err := strconv.Atoi(string(match[2]))
		must(t, err)
		calls[string(match[1])] += n
	}
	return calls
}
