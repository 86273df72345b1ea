// Package flyte lets Mulligan decide on the retry of a task that Flyte runs as a
// Kubernetes object: a pod, RayJob, PyTorchJob or SparkApplication.
//
// Decision point: flytepropeller v1.16.7,
// pkg/controller/nodes/task/k8s/plugin_manager.go, checkResourcePhase, after the plugin
// has reported the object's phase. It becomes
//
//	p, err := e.plugin.GetTaskPhase(ctx, pluginCtx, o)
//	if err == nil {
//		p, err = flyte.Decide(ctx, e.gate, o, p)
//	}
//
// and launchResource, after the object of an attempt has its labels, becomes
//
//	e.addObjectMetadata(k8sTaskCtxMetadata, o, cfg)
//	notes, err := flyte.HandOn(ctx, e.gate, o, time.Now())
//
// Sent are the object and what belongs to it, as found by [mulligan.Gather].
//
//	RETRY, due      RetryableFailure: of the kind SYSTEM unless the task is to blame
//	RETRY, later    Running, and asked again in the next round
//	WAIT            the same
//	FAIL, WAIT_...  PermanentFailure with the sentence
//	IGNORE          what the plugin said
//	no answer       what the plugin said
//
// More memory and other nodes are written into the object of the next attempt, which
// the plugin makes from the task like the first one.
//
// Flyte also counts these failures against its own limits, the task's retries and
// max-node-retries-system-failures. They should be at least the policy's budgets. The
// ledger is on the failed object, which must outlive the attempt: leave
// delete-resource-on-finalize off, as it is by default. If the object is gone, as after
// an image that could not be pulled, the account starts again with the attempts that
// Flyte counted.
package flyte

import (
	"context"
	"time"

	"github.com/flyteorg/flyte/flyteplugins/go/tasks/pluginmachinery/core"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"mulligan.dev/mulligan"
	"mulligan.dev/mulligan/gate"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
)

// The faults that Flyte charges to the task's retries; all others count as the
// system's.
var users = map[mulliganv1.Diagnosis_FaultDomain]bool{
	mulliganv1.Diagnosis_APPLICATION:    true,
	mulliganv1.Diagnosis_CONFIGURATION:  true,
	mulliganv1.Diagnosis_RESOURCE_LIMIT: true,
}

// Decide replaces native, the phase that the plugin gave obj. It asks only about
// failures. An error means that obj was not the latest version: repeat the round.
func Decide(ctx context.Context, g *gate.Gate, obj client.Object, native core.PhaseInfo) (core.PhaseInfo, error) {
	if !native.Phase().IsFailure() {
		return native, nil
	}
	verdict, err := g.Ask(ctx, obj)
	if err != nil {
		return core.PhaseInfoUndefined, err
	}
	code, info, cleanup := native.Err().GetCode(), native.Info(), native.CleanupOnFailure()
	switch verdict.Way {
	case gate.Later, gate.Wait:
		return core.PhaseInfoRunning(native.Version(), info), nil
	case gate.Retry:
		if users[verdict.Advice.Response.GetDiagnosis().GetFaultDomain()] {
			return pick(cleanup, core.PhaseInfoRetryableFailureWithCleanup, core.PhaseInfoRetryableFailure)(code, verdict.Sentence, info), nil
		}
		return pick(cleanup, core.PhaseInfoSystemRetryableFailureWithCleanup, core.PhaseInfoSystemRetryableFailure)(code, verdict.Sentence, info), nil
	case gate.Stop:
		return pick(cleanup, core.PhaseInfoFailureWithCleanup, core.PhaseInfoFailure)(code, verdict.Sentence, info), nil
	}
	return native, nil
}

type failing func(code, reason string, info *core.TaskInfo) core.PhaseInfo

func pick(cleanup bool, with, without failing) failing {
	if cleanup {
		return with
	}
	return without
}

// The labels that Flyte puts on the objects of all attempts of a node.
var ofNode = []string{"execution-id", "node-id"}

// HandOn gives obj, which is about to be created, the latest attempt's ledger and the
// advice after it. It returns the advice that could not be followed.
func HandOn(ctx context.Context, g *gate.Gate, obj client.Object, now time.Time) (notes []string, err error) {
	if !g.Open() {
		return nil, nil
	}
	latest, from, err := latestLedger(ctx, g, obj)
	if err != nil || latest == nil {
		return nil, err
	}
	text, err := mulligan.EncodeLedger(mulligan.HandOn(latest))
	if err != nil {
		return nil, err
	}
	annotations := obj.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[mulligan.LedgerAnnotation] = text
	obj.SetAnnotations(annotations)
	pod, ok := obj.(*corev1.Pod)
	if !ok {
		return g.FollowIn(obj, now)
	}
	template := &corev1.PodTemplateSpec{Spec: pod.Spec}
	// The plugin names a task's container after the attempt.
	rename(template, pod.Name, from)
	notes, err = g.Follow(pod, now, template)
	rename(template, from, pod.Name)
	pod.Spec = template.Spec
	return notes, err
}

func rename(template *corev1.PodTemplateSpec, from, to string) {
	for i := range template.Spec.Containers {
		if container := &template.Spec.Containers[i]; container.Name == from {
			container.Name = to
		}
	}
}

// latestLedger returns the ledger and the name of the latest attempt of obj's node.
func latestLedger(ctx context.Context, g *gate.Gate, obj client.Object) (latest *mulliganv1.BudgetLedger, of string, err error) {
	labels := client.MatchingLabels{}
	for _, key := range ofNode {
		value := obj.GetLabels()[key]
		if value == "" {
			return nil, "", nil // not of a workflow
		}
		labels[key] = value
	}
	gvk, err := apiutil.GVKForObject(obj, g.Asker.Kube.Scheme())
	if err != nil {
		return nil, "", err
	}
	earlier := &unstructured.UnstructuredList{}
	earlier.SetGroupVersionKind(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
	if err := g.Asker.Kube.List(ctx, earlier, client.InNamespace(obj.GetNamespace()), labels); err != nil {
		return nil, "", err
	}
	for i := range earlier.Items {
		// An annotation that anyone can write must not block the next attempt.
		ledger, err := mulligan.LedgerFrom(&earlier.Items[i])
		if err != nil {
			log.FromContext(ctx).Info("Mulligan hands no ledger on", "reason", err.Error())
			continue
		}
		if ledger.GetAttemptsSeen() > latest.GetAttemptsSeen() {
			latest, of = ledger, earlier.Items[i].GetName()
		}
	}
	return latest, of, nil
}
