package cluster

import (
	"encoding/json"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"mulligan.dev/mulligan"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
)

const (
	decisionAnnotation = "mulligan.dev/decision"
	retriedAs          = "mulligan.dev/retried-as"
	attemptAnnotation  = "mulligan.dev/attempt"
)

// newJob returns a Job without retries of its own.
func newJob(namespace, name string) *batchv1.Job {
	none := int32(0)
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace},
		Spec: batchv1.JobSpec{
			BackoffLimit: &none,
			Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
				RestartPolicy: corev1.RestartPolicyNever,
				Containers: []corev1.Container{{
					Name: "trainer", Image: "registry.local/trainer:1",
					Resources: corev1.ResourceRequirements{
						Requests: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("1Gi")},
						Limits:   corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("1Gi")},
					},
				}},
			}},
		},
	}
}

// decided is the controller's annotation of an object.
type decided struct {
	Action, Sentence, Cause, Mode, Retry string
}

func decisionOf(t *testing.T, obj client.Object) decided {
	t.Helper()
	var d decided
	if text := obj.GetAnnotations()[decisionAnnotation]; text != "" {
		must(t, json.Unmarshal([]byte(text), &d))
	}
	return d
}

// jobs returns a namespace's Jobs, by attempt.
func (c *cluster) jobs(t *testing.T, namespace string) []batchv1.Job {
	t.Helper()
	list := &batchv1.JobList{}
	must(t, c.List(t.Context(), list, client.InNamespace(namespace)))
	sort.Slice(list.Items, func(i, j int) bool {
		a, b := &list.Items[i], &list.Items[j]
		if x, y := attemptOf(a), attemptOf(b); x != y {
			return x < y
		}
		return a.Name < b.Name
	})
	return list.Items
}

// objects returns a namespace's objects of a kind, by attempt.
func (c *cluster) objects(t *testing.T, namespace string, gvk schema.GroupVersionKind) []unstructured.Unstructured {
	t.Helper()
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
	must(t, c.List(t.Context(), list, client.InNamespace(namespace)))
	sort.Slice(list.Items, func(i, j int) bool { return attemptOf(&list.Items[i]) < attemptOf(&list.Items[j]) })
	return list.Items
}

func attemptOf(obj client.Object) int {
	number, err := strconv.Atoi(obj.GetAnnotations()[attemptAnnotation])
	if err != nil {
		return 1
	}
	return number
}

func isFailed(job *batchv1.Job) bool   { return hasCondition(job, batchv1.JobFailed) }
func isComplete(job *batchv1.Job) bool { return hasCondition(job, batchv1.JobComplete) }

func isSuspended(job *batchv1.Job) bool { return ptr.Deref(job.Spec.Suspend, false) }

// gaveItsPodBack returns whether a Job is suspended and holds no pod.
func gaveItsPodBack(job *batchv1.Job) bool { return isSuspended(job) && job.Status.Active == 0 }

// waitsUntil reads a Job until it is so.
func (c *cluster) waitsUntil(t *testing.T, job *batchv1.Job, within time.Duration, is func(*batchv1.Job) bool) {
	t.Helper()
	eventually(t, within, func() string {
		must(t, c.Get(t.Context(), client.ObjectKeyFromObject(job), job))
		if !is(job) {
			return fmt.Sprintf("Job %s is %+v, suspended: %t", job.Name, job.Status, isSuspended(job))
		}
		return ""
	})
}

func hasCondition(job *batchv1.Job, kind batchv1.JobConditionType) bool {
	for _, condition := range job.Status.Conditions {
		if condition.Type == kind && condition.Status == corev1.ConditionTrue {
			return true
		}
	}
	return false
}

// used returns the spent units of a budget in the ledger.
func used(t *testing.T, obj client.Object, budget string) int32 {
	t.Helper()
	ledger, err := mulligan.LedgerFrom(obj)
	must(t, err)
	return ledger.GetBudgets()[budget].GetUsed()
}

func spent(t *testing.T, obj client.Object) *mulliganv1.BudgetLedger {
	t.Helper()
	ledger, err := mulligan.LedgerFrom(obj)
	must(t, err)
	return ledger
}

// events returns the Events about an object, as "Reason: message".
func (c *cluster) events(t *testing.T, obj client.Object) []string {
	t.Helper()
	list := &corev1.EventList{}
	must(t, c.List(t.Context(), list, client.InNamespace(obj.GetNamespace())))
	var texts []string
	for _, event := range list.Items {
		if event.InvolvedObject.UID == obj.GetUID() {
			texts = append(texts, event.Reason+": "+event.Message)
		}
	}
	return texts
}

// allEvents returns the warnings of a namespace, as "NAME Reason: message".
func (c *cluster) allEvents(t *testing.T, namespace string) []string {
	t.Helper()
	list := &corev1.EventList{}
	must(t, c.List(t.Context(), list, client.InNamespace(namespace)))
	var texts []string
	for _, event := range list.Items {
		if event.Type == corev1.EventTypeWarning {
			texts = append(texts, event.InvolvedObject.Name+" "+event.Reason+": "+event.Message)
		}
	}
	return texts
}

// anEvent waits for an Event that contains all the words.
func (c *cluster) anEvent(t *testing.T, obj client.Object, words ...string) {
	t.Helper()
	eventually(t, long, func() string {
		texts := c.events(t, obj)
		for _, text := range texts {
			missing := false
			for _, word := range words {
				missing = missing || !strings.Contains(text, word)
			}
			if !missing {
				return ""
			}
		}
		return fmt.Sprintf("no Event of %s has %q, there are %q", obj.GetName(), words, texts)
	})
}
