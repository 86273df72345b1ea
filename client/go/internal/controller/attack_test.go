package controller

import (
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"mulligan.dev/mulligan"
	"mulligan.dev/mulligan/internal/controller/records"
)

func annotated(values ...string) func(*unstructured.Unstructured) {
	return func(obj *unstructured.Unstructured) {
		annotations := obj.GetAnnotations()
		for i := 0; i < len(values); i += 2 {
			annotations[values[i]] = values[i+1]
		}
		obj.SetAnnotations(annotations)
	}
}

// set changes a field; a change of the spec makes another generation.
func set(value any, path ...string) func(*unstructured.Unstructured) {
	return func(obj *unstructured.Unstructured) {
		if err := unstructured.SetNestedField(obj.Object, value, path...); err != nil {
			panic(err)
		}
		if path[0] == "spec" {
			obj.SetGeneration(obj.GetGeneration() + 1)
		}
	}
}

var podPath = []string{"spec", "pytorchReplicaSpecs", "Master", "template"}

func inPod(value any, path ...string) func(*unstructured.Unstructured) {
	return set(value, append(append([]string{}, podPath...), path...)...)
}

func owned(owner metav1.OwnerReference) func(*unstructured.Unstructured) {
	return func(obj *unstructured.Unstructured) { obj.SetOwnerReferences([]metav1.OwnerReference{owner}) }
}

// An attacker may patch workloads and nothing else. Whatever they try, and whenever,
// the controller creates what the workload was, as often as before, and what was spent
// stays spent.
func TestWhoMayPatchWorkloadsGainsNothing(t *testing.T) {
	yes := true
	forged := `{"budgets":{"memory":{"used":%s}},"attemptsSeen":%s}`
	for name, attack := range map[string]func(*unstructured.Unstructured){
		"first spec forged":                 annotated("mulligan.dev/first-spec", "H4sIAAAAAAAA/6pWyskvLjFUslJQKi5JLUpVqgUAAAD//w=="),
		"ledger with a negative sum":        annotated(mulligan.LedgerAnnotation, fmt.Sprintf(forged, "-5", "-5")),
		"ledger with nothing spent":         annotated(mulligan.LedgerAnnotation, fmt.Sprintf(forged, "0", "0")),
		"ledger with all spent":             annotated(mulligan.LedgerAnnotation, fmt.Sprintf(forged, "2147483647", "2147483647")),
		"ledger of another workload":        annotated(mulligan.LedgerAnnotation, `{"workloadUid":"uid-of-another","attemptsSeen":7}`),
		"invalid ledger":                    annotated(mulligan.LedgerAnnotation, "}{"),
		"ledger as large as it may be":      annotated(mulligan.LedgerAnnotation, strings.Repeat("9", 200<<10)),
		"decision RETRY under another name": annotated(records.DecisionCopy, `{"action":"RETRY","mode":"act","retry":"evil","attempt":2,"notBefore":"2020-01-01T00:00:00Z","generation":1,"about":"uid-train","advice":{"resources":[{"resource":"memory","factor":1000}]}}`),
		"decision FAIL":                     annotated(records.DecisionCopy, `{"action":"FAIL","mode":"act","generation":1}`),
		"invalid decision":                  annotated(records.DecisionCopy, "RETRY please"),
		"decision without an end":           annotated(records.DecisionCopy, strings.Repeat(`{"action":`, 1<<15)),
		"retried as another object":         annotated(records.RetriedAs, "kube-system/evil"),
		"attempt number 1":                  annotated(records.AttemptCopy, "1"),
		"attempt number below none":         annotated(records.AttemptCopy, "-9223372036854775808"),
		"attempt number without an end":     annotated(records.AttemptCopy, strings.Repeat("9", 1000)),
		"retry of another object":           annotated(records.RetryOf, "another/uid-of-another"),
		"retry of another namespace":        annotated(records.RetryOf, "kube-system/secret/uid/PyTorchJob"),
		"another origin":                    annotated(records.Origin, "another"),
		"an origin with invalid characters": annotated(records.Origin, "../../\x00 {{evil}} \u202e"),
		"another record":                    annotated(records.RecordName, "pytorchjob-another-aaaaaaaaaa"),
		"a last attempt":                    annotated(records.LastAttempt, "true"),
		"annotations of 256 KiB":            annotated("team/note", strings.Repeat("x", 256<<10)),
		"another queue": func(obj *unstructured.Unstructured) {
			obj.SetLabels(map[string]string{"kueue.x-k8s.io/queue-name": "theirs"})
		},
		"the label of another origin": func(obj *unstructured.Unstructured) { obj.SetLabels(map[string]string{records.Origin: "another"}) },
		"a finalizer":                 func(obj *unstructured.Unstructured) { obj.SetFinalizers([]string{"evil/waits"}) },
		"another owner":               owned(metav1.OwnerReference{APIVersion: "v1", Kind: "Secret", Name: "x", UID: "x", BlockOwnerDeletion: &yes}),
		"suspended":                   set(true, "spec", "runPolicy", "suspend"),
		"another image":               inPod([]any{map[string]any{"name": "pytorch", "image": "evil:1", "resources": map[string]any{"limits": map[string]any{"memory": "1Ti"}}}}, "spec", "containers"),
		"the processes of the host":   inPod(true, "spec", "hostPID"),
		"another service account":     inPod("cluster-admin", "spec", "serviceAccountName"),
		"annotations of the pods":     inPod(map[string]any{"annotations": map[string]any{"container.apparmor.security.beta.kubernetes.io/pytorch": "unconfined"}}, "metadata"),
		"a node of its own":           inPod(map[string]any{"kubernetes.io/hostname": "control-plane"}, "spec", "nodeSelector"),
		"more replicas":               set(int64(1000), "spec", "pytorchReplicaSpecs", "Master", "replicas"),
		"another generation again and again": func(obj *unstructured.Unstructured) {
			obj.SetGeneration(obj.GetGeneration() + 100)
		},
	} {
		for _, when := range []string{"failed", "decided", "retried", "all"} {
			t.Run(name+", "+when, func(t *testing.T) {
				r := newRaid(t)
				r.play(func(stage, attempt string) {
					if when == "all" || strings.HasSuffix(stage, when) {
						r.change(attempt, attack)
					}
				})
				r.want(3)
			})
		}
	}
}

// Patches that only stop a retry of the patched workload.
func TestWhoMayPatchWorkloadsCanStopTheirRetries(t *testing.T) {
	yes := true
	for name, attack := range map[string]func(*unstructured.Unstructured){
		"opted out": annotated(records.Policy, "off"),
		"observed":  annotated(records.Mode, "observe"),
		"a part of a workload that is looked after": owned(metav1.OwnerReference{APIVersion: "jobset.x-k8s.io/v1alpha2", Kind: "JobSet", Name: "x", UID: "x", Controller: &yes}),
	} {
		t.Run(name, func(t *testing.T) {
			r := newRaid(t)
			r.play(func(stage, attempt string) {
				if stage == "1 decided" {
					r.change(attempt, attack)
				}
			})
			r.want(1)
		})
	}
}

func TestTheModeOfAControllerIsNotAWorkloads(t *testing.T) {
	r := newRaid(t)
	r.options.Mode = Observe
	r.play(func(_, attempt string) { r.change(attempt, annotated(records.Mode, "act")) })
	if rec := r.record(t); rec.Status.State != records.Observed || len(rec.Status.Ledger) > 0 || rec.Status.Attempt != 1 {
		t.Errorf("observed: %+v", rec.Status)
	}
}

// A change while the operator works is run by it, and a retry includes it.
func TestWhatIsChangedAtWorkIsWhatIsRetried(t *testing.T) {
	r := newRaid(t)
	r.visit("train")
	r.change("train", inPod([]any{map[string]any{"name": "pytorch", "image": "main:2"}}, "spec", "containers"))
	r.visit("train")
	r.fails("train")
	r.change("train", inPod([]any{map[string]any{"name": "pytorch", "image": "evil:1"}}, "spec", "containers"))
	r.visit("train")
	r.later()
	r.visit("train")
	next := r.unstructured(t, r.record(t).Latest().Name)
	containers, _, _ := unstructured.NestedSlice(next.Object, append(append([]string{}, podPath...), "spec", "containers")...)
	if image := containers[0].(map[string]any)["image"]; next.GetName() == "train" || image != "main:2" {
		t.Errorf("%s runs %v, want main:2, which was at work", next.GetName(), image)
	}
	if said := r.said(); !strings.Contains(said, "EditNotTaken") {
		t.Errorf("Events:\n%s", said)
	}
}

// It is unknown who changed it before the controller first saw it.
func TestWhatNobodySawAtWorkIsNotCreated(t *testing.T) {
	r := newRaid(t)
	r.change("train", inPod(true, "spec", "hostPID"))
	r.fails("train")
	r.visit("train")
	r.later()
	r.visit("train")
	rec := r.record(t)
	if rec.Status.State != records.RetryRefused || rec.Status.Attempt != 1 || !strings.Contains(rec.Status.FirstStep, "changed before the controller saw it") {
		t.Errorf("got %+v", rec.Status)
	}
}

func TestARetryWithoutItsRecordIsLeftAlone(t *testing.T) {
	r := newRaid(t)
	r.change("train", annotated(records.RetryOf, "before/uid-before", records.RecordName, "gone"))
	r.fails("train")
	r.clock = r.clock.Add(recordDelay)
	r.visit("train")
	if rec := r.record(t); rec != nil || len(r.service.Requests()) > 0 {
		t.Errorf("it started a new account: %v", rec)
	}
	if said := r.said(); strings.Count(said, "RecordMissing") != 1 || !strings.Contains(said, "remove the annotation mulligan.dev/retry-of") {
		t.Errorf("Events:\n%s", said)
	}
	// The documented way out.
	r.change("train", func(obj *unstructured.Unstructured) {
		obj.SetAnnotations(map[string]string{records.Policy: "training"})
	})
	r.visit("train")
	if rec := r.record(t); rec == nil {
		t.Error("it did not start a new account on request")
	}
}

// A manifest with the annotations of an attempt makes its own workload.
func TestACopyOfAnAttemptIsAWorkloadOfItsOwn(t *testing.T) {
	r := newRaid(t)
	r.play(func(string, string) {})
	copied := r.unstructured(t, r.record(t).Status.Attempts[1].Name)
	copied.SetName("another")
	copied.SetResourceVersion("")
	if err := r.client.Create(t.Context(), copied); err != nil {
		t.Fatal(err)
	}
	r.fails("another")
	r.service.Next(growing(1.5))
	r.visit("another")
	rec, err := r.records.of(t.Context(), r.unstructured(t, "another"))
	if err != nil || rec == nil || rec.Status.Attempt != 1 || rec.Spec.Name != "another" {
		t.Errorf("%+v, %v", rec, err)
	}
}

// The cache lags: a retry that began its own account, because its annotations were
// removed, returns to its record.
func TestARetryThatLostItsRecordForAWhileComesBack(t *testing.T) {
	r := newRaid(t)
	r.visit("train")
	r.fails("train")
	r.visit("train")
	r.later()
	r.visit("train")
	real := r.record(t)
	next := r.unstructured(t, real.Latest().Name)
	bogus, err := records.New(next)
	if err == nil {
		err = r.client.Create(t.Context(), bogus)
	}
	if err != nil {
		t.Fatal(err)
	}
	found, err := r.records.of(t.Context(), next)
	if err != nil || found.Name != real.Name {
		t.Errorf("found %v, %v, want %s", found, err, real.Name)
	}
}

func TestDeletionInTheMiddleCancelsTheRetry(t *testing.T) {
	r := newRaid(t)
	r.play(func(stage, attempt string) {
		if stage != "1 decided" {
			return
		}
		r.change(attempt, func(obj *unstructured.Unstructured) { obj.SetFinalizers([]string{"evil/waits"}) })
		if err := r.client.Delete(t.Context(), r.unstructured(t, attempt)); err != nil {
			t.Fatal(err)
		}
	})
	r.want(1)
}
