package cluster

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"strings"
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

// The number of failed workloads in the report; E2E_REPORT overrides it.
const reported = 2000

// Tolerates lists by watches, which are fewer than a second list of everything.
const othersLists = 2

// How the pod of the nth workload ended, and its expected cause.
var reportedEnds = []struct {
	end           ending
	cause, domain string
}{
	{runsOutOfMemory, "CONTAINER_OOM", "RESOURCE_LIMIT"},
	{isTakenAway, "NODE_SHUTDOWN", "DISRUPTION"},
	{says("ModuleNotFoundError: No module named 'torchvision'"), "CONFIG_USER_ERROR", "CONFIGURATION"},
	{func(pod *corev1.Pod) bool { return exits(pod, 3, "Error") }, "APP_ERROR", "APPLICATION"},
}

// Each of them held four cores for 36 seconds.
const reportedCores, reportedTime = 4, 36 * time.Second

// A report of the whole cluster takes one list call per kind and page.
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
	shown, megabytes := c.report(t, "-A")
	took := time.Since(begun)
	after := c.listCalls(t)
	calls := 0
	for resource, n := range after {
		calls += n - before[resource]
	}
	t.Logf("report -A of %d workloads: %v, at most %d MB, %d list calls", shown.All.Workloads, took.Round(100*time.Millisecond), megabytes, calls)
	for resource, pages := range want {
		if n := after[resource] - before[resource]; n < pages || n > pages+othersLists {
			t.Errorf("%d list calls for %s, want one for each of %d pages", n, resource, pages)
		}
	}
	begun = time.Now()
	said, ofWhy := c.why(t, "-A")
	t.Logf("why -A took %v and at most %d MB", time.Since(begun).Round(100*time.Millisecond), ofWhy)
	if line := "Job " + namespace + "/ended-00000"; !strings.Contains(said, line) {
		t.Errorf("no line for %s in why -A:\n%.2000s", line, said)
	}
	if most := int64(400 * max(1, workloads/reported)); max(megabytes, ofWhy) > most {
		t.Errorf("the plugin took %d MB for a report and %d MB for why, want at most %d", megabytes, ofWhy, most)
	}
	if took > 2*time.Minute {
		t.Errorf("report -A took %v, want less than two minutes", took)
	}
	if n := shown.By["team"][namespace].Workloads; n != workloads {
		t.Errorf("%d workloads of %s, want %d", n, namespace, workloads)
	}
	c.tellsAll(t, namespace, workloads)
}

// tellsAll checks the report of the created workloads.
func (c *cluster) tellsAll(t *testing.T, namespace string, workloads int) {
	t.Helper()
	shown, _ := c.report(t, "-n", namespace)
	if shown.All.Failures != workloads || shown.All.Workloads != workloads || shown.BadLines > 0 {
		t.Errorf("%+v, want %d failures of as many workloads", shown.All, workloads)
	}
	cores := float64(workloads) * reportedCores * reportedTime.Hours()
	if math.Abs(shown.All.CoreHours-cores) > cores/1e6 {
		t.Errorf("%v core-hours, want %v", shown.All.CoreHours, cores)
	}
	for i, one := range reportedEnds {
		want := (workloads - i + len(reportedEnds) - 1) / len(reportedEnds)
		if got := shown.By["cause"][one.cause].Failures; got != want {
			t.Errorf("%d of %s, want %d", got, one.cause, want)
		}
		if got := shown.By["domain"][one.domain].Failures; got != want {
			t.Errorf("%d of %s, want %d", got, one.domain, want)
		}
	}
}

// manyEnded creates failed Jobs, and returns once their end times have passed.
func (c *cluster) manyEnded(t *testing.T, namespace string, workloads int) {
	t.Helper()
	// The Jobs are created as ended, so their controller must not restart them.
	c.controlPlane(t, "stop", "controller-manager")
	t.Cleanup(func() {
		for _, kind := range []client.Object{&corev1.Pod{}, &batchv1.Job{}, &corev1.Event{}} {
			_ = c.DeleteAllOf(context.Background(), kind, client.InNamespace(namespace), client.GracePeriodSeconds(0))
		}
		if err := c.control("start", "controller-manager"); err != nil {
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

// makeEnded creates the nth failed Job with its pod and the Event about its end.
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

// listCalls returns the API server's number of list calls, by resource.
func (c *cluster) listCalls(t *testing.T) map[string]int {
	t.Helper()
	asking, err := rest.HTTPClientFor(c.config)
	must(t, err)
	calls := map[string]int{}
	for _, match := range listCount.FindAllSubmatch(scraped(t, asking, c.config.Host+"/metrics", ""), -1) {
		calls[string(match[1])] += int(number(t, match[2]))
	}
	return calls
}
