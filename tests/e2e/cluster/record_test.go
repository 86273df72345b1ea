package cluster

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"mulligan.dev/mulligan"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/controller/records"
)

// recordOf returns the record of the work whose first attempt has that name; one without
// attempts if there is none.
func (c *cluster) recordOf(t *testing.T, namespace, origin string) *records.RetryRecord {
	t.Helper()
	list := &records.RetryRecordList{}
	must(t, c.List(t.Context(), list, client.InNamespace(namespace), client.MatchingLabels{records.Origin: origin}))
	if len(list.Items) > 1 {
		t.Fatalf("%d records of %s, want one", len(list.Items), origin)
	}
	if len(list.Items) == 0 {
		return &records.RetryRecord{}
	}
	return &list.Items[0]
}

func account(t *testing.T, rec *records.RetryRecord) *mulliganv1.BudgetLedger {
	t.Helper()
	ledger, err := mulligan.ParseLedger(string(rec.Status.Ledger))
	must(t, err)
	return ledger
}

// becomes waits until the work has a state.
func (c *cluster) becomes(t *testing.T, namespace, origin string, state records.State) *records.RetryRecord {
	t.Helper()
	var rec *records.RetryRecord
	eventually(t, long, func() string {
		if rec = c.recordOf(t, namespace, origin); rec.Status.State == state {
			return ""
		}
		return fmt.Sprintf("%s is %q, want %s: %+v", origin, rec.Status.State, state, rec.Status.Conditions)
	})
	return rec
}

// patcher returns a client that may only read and patch workloads in a namespace.
func (c *cluster) patcher(t *testing.T, namespace string) client.Client {
	t.Helper()
	role := &rbacv1.Role{
		ObjectMeta: metav1.ObjectMeta{Name: "patcher", Namespace: namespace},
		Rules: []rbacv1.PolicyRule{{
			APIGroups: []string{"batch", "kubeflow.org"}, Resources: []string{"jobs", "pytorchjobs"}, Verbs: []string{"get", "list", "patch"},
		}},
	}
	must(t, c.Create(t.Context(), role))
	must(t, c.Create(t.Context(), &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "patcher", Namespace: namespace},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "patcher"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: "patcher"}},
	}))
	config := rest.CopyConfig(c.config)
	config.Impersonate.UserName = "patcher"
	attacker, err := client.New(config, client.Options{Scheme: scheme.Scheme})
	must(t, err)
	return attacker
}

// Attacks on a failed Job, as JSON merge patches.
var attacks = map[string]string{
	"first spec forged":                 `{"metadata":{"annotations":{"mulligan.dev/first-spec":"H4sIAAAAAAAA/6pWyskvLjFUslJQKi5JLUpVqgUAAAD//w=="}}}`,
	"ledger with a negative sum":        `{"metadata":{"annotations":{"mulligan.dev/ledger":"{\"budgets\":{\"disruption\":{\"used\":-9}},\"attemptsSeen\":-9}"}}}`,
	"ledger with all spent":             `{"metadata":{"annotations":{"mulligan.dev/ledger":"{\"budgets\":{\"disruption\":{\"used\":2147483647}}}"}}}`,
	"ledger of another":                 `{"metadata":{"annotations":{"mulligan.dev/ledger":"{\"workloadUid\":\"x\"}"}}}`,
	"invalid ledger":                    `{"metadata":{"annotations":{"mulligan.dev/ledger":"}{"}}}`,
	"ledger of a megabyte":              `{"metadata":{"annotations":{"mulligan.dev/ledger":"` + strings.Repeat("9", 1<<20) + `"}}}`,
	"all annotations removed":           `{"metadata":{"annotations":{"mulligan.dev/ledger":null,"mulligan.dev/decision":null,"mulligan.dev/record":null,"mulligan.dev/retry-of":null,"mulligan.dev/attempt":null,"mulligan.dev/origin":null}}}`,
	"decision RETRY under another name": `{"metadata":{"annotations":{"mulligan.dev/decision":"{\"action\":\"RETRY\",\"mode\":\"act\",\"retry\":\"evil\",\"attempt\":2,\"notBefore\":\"2020-01-01T00:00:00Z\",\"generation\":1}"}}}`,
	"invalid decision":                  `{"metadata":{"annotations":{"mulligan.dev/decision":"RETRY please"}}}`,
	"retried as another":                `{"metadata":{"annotations":{"mulligan.dev/retried-as":"evil"}}}`,
	"attempt below none":                `{"metadata":{"annotations":{"mulligan.dev/attempt":"-1"}}}`,
	"attempt beyond numbers":            `{"metadata":{"annotations":{"mulligan.dev/attempt":"99999999999999999999"}}}`,
	"retry of another":                  `{"metadata":{"annotations":{"mulligan.dev/retry-of":"x/00000000-0000-0000-0000-000000000000"}}}`,
	"another origin":                    `{"metadata":{"annotations":{"mulligan.dev/origin":"../x"},"labels":{"mulligan.dev/origin":"x"}}}`,
	"another record":                    `{"metadata":{"annotations":{"mulligan.dev/record":"x"}}}`,
	"labels":                            `{"metadata":{"labels":{"kueue.x-k8s.io/queue-name":"theirs","evil":"true"}}}`,
	"another owner":                     `{"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"x","uid":"x"}]}}`,
	"annotations of 250 KiB":            `{"metadata":{"annotations":{"evil":"` + strings.Repeat("x", 250<<10) + `"}}}`,
	"a finalizer":                       `{"metadata":{"finalizers":["evil.example.com/waits"]}}`,
	"another name":                      `{"metadata":{"name":"evil"}}`,
	"another UID":                       `{"metadata":{"uid":"00000000-0000-0000-0000-000000000000"}}`,
	"another generation":                `{"metadata":{"generation":99}}`,
	"the status, past its subresource":  `{"status":{"conditions":[],"failed":0,"succeeded":1}}`,
	"suspended":                         `{"spec":{"suspend":true}}`,
	"resumed":                           `{"spec":{"suspend":false}}`,
	"another image":                     `{"spec":{"template":{"spec":{"containers":[{"name":"trainer","image":"evil:1"}]}}}}`,
	"the processes of the host":         `{"spec":{"template":{"spec":{"hostPID":true}}}}`,
	"annotations of the pods":           `{"spec":{"template":{"metadata":{"annotations":{"evil":"true"}}}}}`,
	"another selector":                  `{"spec":{"manualSelector":true,"selector":{"matchLabels":{"evil":"true"}}}}`,
	"managed by another":                `{"spec":{"managedBy":"evil.example.com/x"}}`,
	"no managed fields":                 `{"metadata":{"managedFields":[{}]}}`,
}

// tryAll tries all attacks on an object, and returns how many the API server accepted.
func tryAll(t *testing.T, attacker client.Client, obj client.Object) int {
	t.Helper()
	through := 0
	for name, patch := range attacks {
		err := attacker.Patch(t.Context(), obj.DeepCopyObject().(client.Object), client.RawPatch(types.MergePatchType, []byte(patch)))
		if err == nil {
			through++
			continue
		}
		t.Logf("%s: %.120s", name, err)
	}
	return through
}

func TestScenario12WhoMayPatchWorkloadsGainsNothing(t *testing.T) {
	t.Parallel()
	c := shared
	namespace := c.namespace(t)
	attacker := c.patcher(t, namespace)
	c.play(t, namespace, failsTimes(2))
	c.startController(t, namespace, "act")
	job := newJob(namespace, "train")
	job.Annotations = map[string]string{"mulligan.dev/policy": "slow"}
	must(t, c.Create(t.Context(), job))

	var rec *records.RetryRecord
	for attempt := range 2 {
		eventually(t, long, func() string {
			rec = c.recordOf(t, namespace, "train")
			if rec.Status.Decision == nil || int(rec.Status.Decision.Attempt) < attempt+2 {
				return fmt.Sprintf("attempt %d is not decided: %+v", attempt+1, rec.Status)
			}
			return ""
		})
		failed := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: rec.Status.Attempts[attempt].Name}}
		if through := tryAll(t, attacker, failed); through < 15 {
			t.Errorf("only %d attacks came as far as the object", through)
		}
	}
	for verb, err := range map[string]error{
		"read":   attacker.List(t.Context(), &records.RetryRecordList{}, client.InNamespace(namespace)),
		"patch":  attacker.Patch(t.Context(), rec.DeepCopy(), client.RawPatch(types.MergePatchType, []byte(`{"status":{"ledger":{}}}`))),
		"create": attacker.Create(t.Context(), job.DeepCopy()),
	} {
		if !apierrors.IsForbidden(err) {
			t.Errorf("the attacker may %s: %v", verb, err)
		}
	}
	rec = c.becomes(t, namespace, "train", records.Succeeded)
	if ledger := account(t, rec); ledger.GetAttemptsSeen() != 2 || ledger.GetBudgets()["disruption"].GetUsed() != 2 || len(ledger.GetBudgets()) != 1 {
		t.Errorf("the ledger is %v, want two charged to disruption", ledger)
	}
	if jobs := c.jobs(t, namespace); len(jobs) != 3 || rec.Status.Attempt != 3 {
		t.Fatalf("%d Jobs and %d attempts, want three", len(jobs), rec.Status.Attempt)
	}
	c.wantAsFirst(t, job, rec.Latest().Name)
}

// wantAsFirst compares an unchanged attempt with the first one.
func (c *cluster) wantAsFirst(t *testing.T, first *batchv1.Job, name string) {
	t.Helper()
	last := &batchv1.Job{}
	must(t, c.Get(t.Context(), client.ObjectKey{Namespace: first.Namespace, Name: name}, last))
	pod, want := last.Spec.Template.Spec, first.Spec.Template.Spec
	if pod.Containers[0].Image != want.Containers[0].Image || pod.HostPID || isSuspended(last) {
		t.Errorf("the last attempt runs %+v", pod)
	}
	for _, evil := range []string{"evil", "kueue.x-k8s.io/queue-name"} {
		if last.Annotations[evil] != "" || last.Labels[evil] != "" || last.Spec.Template.Annotations[evil] != "" {
			t.Errorf("the last attempt has %s", evil)
		}
	}
	if len(last.OwnerReferences) > 0 || last.Annotations["mulligan.dev/policy"] != "slow" {
		t.Errorf("the last attempt has owners %v and annotations %v", last.OwnerReferences, last.Annotations)
	}
}

// All fields of a PyTorchJob can be changed after its end.
func TestScenario12WhatIsMadeOfAFailedObjectIsNotCreated(t *testing.T) {
	t.Parallel()
	c := shared
	c.needs(t, "training-operator")
	namespace := c.namespace(t)
	attacker := c.patcher(t, namespace)
	c.play(t, namespace, func(pod *corev1.Pod) bool {
		if strings.HasPrefix(pod.Name, "bert-worker-") || strings.HasPrefix(pod.Name, "bert-master-") {
			return isTakenAway(pod)
		}
		return succeeds(pod)
	})
	c.startController(t, namespace, "act")
	job := object(t, namespace, pyTorchManifest)
	job.SetAnnotations(map[string]string{"mulligan.dev/policy": "slow"})
	must(t, c.Create(t.Context(), job))
	eventually(t, long, func() string {
		if rec := c.recordOf(t, namespace, "bert"); rec.Status.Decision != nil && rec.Status.Decision.Action == "RETRY" {
			return ""
		}
		return "nothing was decided"
	})
	must(t, attacker.Patch(t.Context(), job.DeepCopy(), client.RawPatch(types.MergePatchType, []byte(
		`{"spec":{"pytorchReplicaSpecs":{"Master":{"template":{"spec":{"hostPID":true,"containers":[{"name":"pytorch","image":"evil:1"}]}}}}}}`))))
	eventually(t, long, func() string {
		if rec := c.recordOf(t, namespace, "bert"); rec.Status.Attempt == 2 {
			return ""
		}
		return "nothing was retried"
	})
	for _, obj := range c.objects(t, namespace, pyTorchJobKind) {
		text := fmt.Sprint(obj.Object["spec"])
		if obj.GetName() != "bert" && (strings.Contains(text, "evil") || strings.Contains(text, "hostPID")) {
			t.Errorf("%s was created with %s", obj.GetName(), text)
		}
	}
	c.anEvent(t, job, "EditNotTaken")
}

func TestScenario13RefusalsEnd(t *testing.T) {
	t.Parallel()
	c := shared
	namespace := c.namespace(t)
	c.play(t, namespace, func(pod *corev1.Pod) bool {
		if _, retry := pod.Labels["retry"]; retry {
			return succeeds(pod)
		}
		return runsOutOfMemory(pod)
	})
	c.startController(t, namespace, "act")

	t.Run("a quota that is raised", func(t *testing.T) {
		quota := &corev1.ResourceQuota{
			ObjectMeta: metav1.ObjectMeta{Name: "one", Namespace: namespace},
			Spec:       corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{"count/jobs.batch": resource.MustParse("1")}},
		}
		must(t, c.Create(t.Context(), quota))
		eventually(t, long, func() string {
			if err := c.Get(t.Context(), client.ObjectKeyFromObject(quota), quota); err != nil || len(quota.Status.Hard) == 0 {
				return fmt.Sprintf("the quota is not in force: %v", err)
			}
			return ""
		})
		job := newJob(namespace, "counted")
		must(t, c.Create(t.Context(), job))
		rec := c.becomes(t, namespace, "counted", records.RetryNotCreated)
		if _, message := rec.Since(records.RetryNotCreated); !strings.Contains(message, "exceeded quota") {
			t.Errorf("the condition says %q", message)
		}
		c.anEvent(t, job, "RetryNotCreated", "exceeded quota")
		c.waits(t, namespace, rec.Name, "RetryNotCreated")
		must(t, c.Delete(t.Context(), quota))
		eventually(t, long, func() string {
			if rec := c.recordOf(t, namespace, "counted"); rec.Status.Attempt > 1 && rec.Status.FirstStep == "" {
				return ""
			}
			return "not retried, though there is room"
		})
	})
	t.Run("a policy that denies", func(t *testing.T) {
		must(t, c.Create(t.Context(), object(t, "", strings.ReplaceAll(denyingPolicy, "NAMESPACE", namespace))))
		must(t, c.Create(t.Context(), object(t, "", strings.ReplaceAll(denyingBinding, "NAMESPACE", namespace))))
		// It takes effect after some seconds.
		eventually(t, long, func() string {
			probe := newJob(namespace, "probe")
			probe.Labels = map[string]string{records.Origin: "denied"}
			if err := c.Create(t.Context(), probe, client.DryRunAll); err != nil {
				return ""
			}
			return "the policy is not in force"
		})
		job := newJob(namespace, "denied")
		must(t, c.Create(t.Context(), job))
		rec := c.becomes(t, namespace, "denied", records.RetryRefused)
		if rec.Status.Attempt != 1 || account(t, rec).GetBudgets()["memory"].GetUsed() != 1 || !strings.Contains(rec.Status.FirstStep, "no retries here") {
			t.Errorf("got %+v", rec.Status)
		}
		c.anEvent(t, job, "RetryNotCreated", "Not tried again", "no retries here")
		c.waits(t, namespace, rec.Name, "GivenUp")
	})
	t.Run("an owner whose deletion waits", func(t *testing.T) {
		owner := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "owner", Namespace: namespace}}
		must(t, c.Create(t.Context(), owner))
		yes := true
		job := newJob(namespace, "owned")
		job.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: "owner", UID: owner.UID, BlockOwnerDeletion: &yes}}
		must(t, c.Create(t.Context(), job))
		eventually(t, long, func() string {
			rec := c.recordOf(t, namespace, "owned")
			if rec.Status.Attempt > 1 {
				return ""
			}
			return fmt.Sprintf("not retried: %+v", rec.Status)
		})
	})
}

const denyingPolicy = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: NAMESPACE}
spec:
  matchConstraints:
    namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: NAMESPACE}}
    resourceRules: [{apiGroups: [batch], apiVersions: [v1], operations: [CREATE], resources: [jobs]}]
  validations:
    - expression: '!("mulligan.dev/origin" in object.metadata.?labels.orValue({})) || object.metadata.labels["mulligan.dev/origin"] != "denied"'
      message: no retries here
`

const denyingBinding = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: NAMESPACE}
spec: {policyName: NAMESPACE, validationActions: [Deny]}
`

// waits runs kubectl wait, like a user's script.
func (c *cluster) waits(t *testing.T, namespace, name, condition string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "kubectl", "--kubeconfig="+filepath.Join(c.run, "kubeconfig"), "-n", namespace,
		"wait", "--for=condition="+condition, "--timeout=30s", "retryrecord/"+name).CombinedOutput()
	if err != nil {
		t.Errorf("kubectl wait: %v\n%s", err, out)
	}
}

const longNames = `
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: pretrain}
spec:
  failurePolicy: {maxRestarts: 0}
  replicatedJobs:
    - name: the-workers-of-the-model-that-we-train
      replicas: 2
      template:
        spec:
          backoffLimit: 0
          template:
            spec:
              restartPolicy: Never
              containers: [{name: trainer, image: "registry.local/trainer:1", resources: {limits: {memory: 1Gi}}}]
`

func TestScenario13NamesFit(t *testing.T) {
	t.Parallel()
	c := shared
	c.needs(t, "jobset")
	namespace := c.namespace(t)
	c.play(t, namespace, func(pod *corev1.Pod) bool {
		if pod.Labels["jobset.sigs.k8s.io/jobset-name"] == "pretrain" {
			return isTakenAway(pod)
		}
		return succeeds(pod)
	})
	c.startController(t, namespace, "act")
	must(t, c.Create(t.Context(), object(t, namespace, longNames)))
	rec := c.becomes(t, namespace, "pretrain", records.Succeeded)
	if rec.Status.Attempt != 2 {
		t.Errorf("%d attempts, want two: %v", rec.Status.Attempt, rec.Status.Attempts)
	}
}

// A user resumes work that was given up and suspended. Its next failure is asked about.
func TestScenario14ResumedAfterGivenUp(t *testing.T) {
	t.Parallel()
	c := shared
	namespace := c.namespace(t)
	job := newJob(namespace, "typo")
	job.Spec.Template.Annotations = map[string]string{byHand: "true"}
	pushed := make(chan struct{})
	c.play(t, namespace, func(pod *corev1.Pod) bool {
		select {
		case <-pushed:
			if strings.HasPrefix(pod.Name, "typo-r2-") {
				return succeeds(pod)
			}
			return runsOutOfMemory(pod)
		default:
			return cannotPull(pod, `failed to pull and unpack image "registry.local/trainer:1": failed to resolve reference "registry.local/trainer:1": pull access denied, repository does not exist or may require authorization: authorization failed: no basic auth credentials`)
		}
	})
	c.startController(t, namespace, "act")
	must(t, c.Create(t.Context(), job))
	rec := c.becomes(t, namespace, "typo", records.GivenUp)
	if rec.Status.FirstStep == "" {
		t.Error("the first step is missing")
	}
	c.waitsUntil(t, job, long, gaveItsPodBack)
	// The decision stays until a user changes something.
	time.Sleep(2 * time.Second)
	if got := c.recordOf(t, namespace, "typo"); got.Status.State != records.GivenUp {
		t.Errorf("it is %s by itself", got.Status.State)
	}
	close(pushed)
	must(t, c.Patch(t.Context(), job, client.RawPatch(types.MergePatchType, []byte(`{"spec":{"suspend":false}}`))))
	rec = c.becomes(t, namespace, "typo", records.Succeeded)
	if ledger := account(t, rec); rec.Status.Attempt != 2 || ledger.GetBudgets()["memory"].GetUsed() != 1 {
		t.Errorf("%d attempts, the ledger is %v, want one charged to memory", rec.Status.Attempt, ledger)
	}
}

// Six hundred pods fail, and the first one shows why.
func TestScenario15TheRootOfSixHundred(t *testing.T) {
	c := shared
	namespace := c.namespace(t)
	const pods = 600
	job := indexed(namespace, "pretrain", pods)
	job.Spec.BackoffLimit = ptr.To[int32](pods - 1)
	// They rendezvous under one name, so they are a gang.
	job.Spec.Template.Spec.Subdomain = "pretrain"
	must(t, c.Create(t.Context(), job))
	running := c.allRun(t, namespace, pods)
	died := time.Now()
	c.endAll(t, running, func(pod *corev1.Pod) bool {
		if indexOf(pod) == "417" {
			runsOutOfMemory(pod)
			endsAt(pod, died, "")
		} else {
			fails(pod)
			endsAt(pod, died.Add(2*time.Second), peerLost)
		}
		return true
	})
	c.startController(t, namespace, "act")
	rec := c.decidedOnce(t, namespace, "pretrain")
	if rec.Status.Decision.Action != "RETRY" || rec.Status.Decision.Cause != "CONTAINER_OOM" || account(t, rec).GetBudgets()["memory"].GetUsed() != 1 {
		t.Errorf("decided %+v, charged %v, want RETRY of CONTAINER_OOM", rec.Status.Decision, account(t, rec).GetBudgets())
	}
	must(t, c.DeleteAllOf(t.Context(), newJob(namespace, ""), client.InNamespace(namespace), client.PropagationPolicy(metav1.DeletePropagationBackground)))
}

// A record is deleted with the last of its attempts.
func TestScenario12RecordsGoWithTheirAttempts(t *testing.T) {
	t.Parallel()
	c := shared
	namespace := c.namespace(t)
	c.play(t, namespace, failsTimes(1))
	c.startController(t, namespace, "act")
	must(t, c.Create(t.Context(), newJob(namespace, "train")))
	rec := c.becomes(t, namespace, "train", records.Succeeded)
	background := client.PropagationPolicy(metav1.DeletePropagationBackground)
	gone := func(attempt int) {
		must(t, c.Delete(t.Context(), &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: rec.Status.Attempts[attempt].Name}}, background))
	}
	gone(0)
	time.Sleep(2 * time.Second)
	if got := c.recordOf(t, namespace, "train"); got.Status.Attempt != 2 {
		t.Fatalf("the record went with the first attempt")
	}
	gone(1)
	eventually(t, long, func() string {
		if got := c.recordOf(t, namespace, "train"); got.Status.Attempt > 0 {
			return "the record is still there"
		}
		return ""
	})
}

// The output of kubectl get.
func TestScenario12TheTableOfRetries(t *testing.T) {
	t.Parallel()
	c := shared
	namespace := c.namespace(t)
	c.play(t, namespace, runsOutOfMemory)
	c.startController(t, namespace, "act")
	must(t, c.Create(t.Context(), newJob(namespace, "tokenizer")))
	rec := c.becomes(t, namespace, "tokenizer", records.GivenUp)
	out, err := exec.CommandContext(t.Context(), "kubectl", "--kubeconfig="+filepath.Join(c.run, "kubeconfig"), "-n", namespace, "get", "retryrecords").CombinedOutput()
	must(t, err)
	for _, word := range []string{"KIND", "ATTEMPT", "STATE", "CAUSE", "BUDGET", rec.Name, "tokenizer", "GivenUp", "CONTAINER_OOM"} {
		if !strings.Contains(string(out), word) {
			t.Errorf("no %s in\n%s", word, out)
		}
	}
}
