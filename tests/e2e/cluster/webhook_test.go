package cluster

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"mulligan.dev/mulligan/internal/controller/failurerules"
	"mulligan.dev/mulligan/internal/controller/records"
)

// withWebhooks starts the controller with webhooks that the API server calls only for this
// namespace.
func (c *cluster) withWebhooks(t *testing.T, namespace string) *process {
	t.Helper()
	p := c.serveWebhooks(t, namespace, verdictHooks)
	c.waitForRules(t, namespace)
	return p
}

var verdictHooks = []string{"verdict.mulligan.dev", "rules.mulligan.dev"}

func (c *cluster) waitForRules(t *testing.T, namespace string) {
	t.Helper()
	// The API server reloads its configurations within two seconds.
	eventually(t, long, func() string {
		probe := newJob(namespace, "probe")
		must(t, c.Create(t.Context(), probe, client.DryRunAll))
		if probe.Spec.PodFailurePolicy == nil {
			return "the API server does not call the webhooks yet"
		}
		return ""
	})
}

// serveWebhooks starts the controller with webhooks, and registers those with these names.
func (c *cluster) serveWebhooks(t *testing.T, namespace string, names []string, args ...string) *process {
	t.Helper()
	address := freeAddress(t)
	p := c.startServing(t, namespace, address, args...)
	c.callWebhooks(t, namespace, names, address)
	return p
}

// startServing starts the controller with its webhooks at an address.
func (c *cluster) startServing(t *testing.T, namespace, address string, args ...string) *process {
	t.Helper()
	certificates := t.TempDir()
	for from, to := range map[string]string{"server.crt": "tls.crt", "server.key": "tls.key"} {
		text, err := os.ReadFile(c.certs.file(from))
		must(t, err)
		must(t, os.WriteFile(filepath.Join(certificates, to), text, 0o600))
	}
	p := c.startController(t, namespace, "act", append(args, "--webhook-address="+address, "--webhook-cert-dir="+certificates)...)
	eventually(t, long, func() string {
		connection, err := net.DialTimeout("tcp", address, time.Second)
		if err != nil {
			return err.Error()
		}
		connection.Close()
		return ""
	})
	return p
}

// callWebhooks registers the webhooks with these names at an address.
func (c *cluster) callWebhooks(t *testing.T, namespace string, names []string, address string) {
	t.Helper()
	text, err := os.ReadFile("../../../deploy/controller/webhook.yaml")
	must(t, err)
	hooks := &admissionregistrationv1.MutatingWebhookConfiguration{}
	for _, document := range strings.Split(string(text), "\n---\n") {
		if strings.Contains(document, "kind: MutatingWebhookConfiguration") {
			must(t, yaml.UnmarshalStrict([]byte(document), hooks))
		}
	}
	authority, err := os.ReadFile(c.certs.file("ca.crt"))
	must(t, err)
	hooks.Name = namespace
	hooks.Webhooks = slices.DeleteFunc(hooks.Webhooks, func(hook admissionregistrationv1.MutatingWebhook) bool { return !slices.Contains(names, hook.Name) })
	for i := range hooks.Webhooks {
		hook := &hooks.Webhooks[i]
		hook.NamespaceSelector.MatchExpressions = nil
		hook.NamespaceSelector.MatchLabels = map[string]string{"kubernetes.io/metadata.name": namespace}
		hook.ClientConfig.URL = ptr.To("https://" + address + *hook.ClientConfig.Service.Path)
		hook.ClientConfig.Service, hook.ClientConfig.CABundle = nil, authority
	}
	must(t, c.Create(t.Context(), hooks))
	t.Cleanup(func() { _ = c.Delete(context.Background(), hooks) })
}

// verdictsOn counts the verdict conditions of existing pods, by type.
func (c *cluster) verdictsOn(t *testing.T, namespace string) map[corev1.PodConditionType]int {
	t.Helper()
	pods := &corev1.PodList{}
	must(t, c.List(t.Context(), pods, client.InNamespace(namespace)))
	found := map[corev1.PodConditionType]int{}
	for _, pod := range pods.Items {
		for _, condition := range pod.Status.Conditions {
			if strings.HasPrefix(string(condition.Type), "mulligan.dev/") {
				found[condition.Type]++
			}
		}
	}
	return found
}

// Five disruptions do not count in a Job without retries, and one bug ends it at once. The
// object is the same and its operator unpatched.
func TestScenario36DisruptionsAreNotCountedByAnUnpatchedJob(t *testing.T) {
	t.Parallel()
	c := shared
	for name, test := range map[string]struct {
		last func(*corev1.Pod) bool
		ends func(*batchv1.Job) bool
	}{
		"a-bug-ends-it": {func(pod *corev1.Pod) bool { return failsWith(pod, noModule) }, isFailed},
		"it-succeeds":   {succeeds, isComplete},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			namespace := c.namespace(t)
			job := newJob(namespace, "train")
			job.Spec.BackoffLimit = ptr.To(int32(0))
			runs := &runsOf{}
			c.play(t, namespace, func(pod *corev1.Pod) bool {
				if runs.of("train", pod) <= 5 {
					return isTakenAway(pod)
				}
				return test.last(pod)
			})
			c.withWebhooks(t, namespace)
			must(t, c.Create(t.Context(), job))
			uid := job.UID
			c.waitsUntil(t, job, 6*long, func(job *batchv1.Job) bool { return isFailed(job) || isComplete(job) })
			if !test.ends(job) || job.UID != uid {
				t.Errorf("ended as %+v", job.Status)
			}
			if got := runs.count("train"); got != 6 {
				t.Errorf("%d runs, want six", got)
			}
			if all := c.jobs(t, namespace); len(all) != 1 {
				t.Errorf("%d Jobs, want one", len(all))
			}
			if isFailed(job) && !strings.Contains(fmt.Sprint(job.Status.Conditions), string(failurerules.Fail)) {
				t.Errorf("its conditions do not name the verdict: %v", job.Status.Conditions)
			}
			// The controller charges each failure once.
			eventually(t, long, func() string {
				rec := c.recordOf(t, namespace, "train")
				if len(rec.Status.Ledger) == 0 {
					return "there is no record"
				}
				if used := account(t, rec).GetBudgets()["disruption"].GetUsed(); used != 5 {
					return "charged to disruption: " + strconv.Itoa(int(used))
				}
				return ""
			})
		})
	}
}

// The same in a queue: the Workload stays admitted until the bug.
func TestScenario44AJobInAQueueKeepsItsPlace(t *testing.T) {
	t.Parallel()
	c := shared
	c.needs(t, "kueue")
	namespace := c.namespace(t)
	c.queueOf(t, namespace, "any", "1Gi")
	runs := &runsOf{}
	c.play(t, namespace, func(pod *corev1.Pod) bool {
		if runs.of("train", pod) <= 5 {
			return isTakenAway(pod)
		}
		return failsWith(pod, noModule)
	})
	c.withWebhooks(t, namespace)
	job := queuedJob(namespace, "train", "1Gi")
	job.Spec.BackoffLimit = ptr.To(int32(0))
	must(t, c.Create(t.Context(), job))
	admitted := c.waitsToBeAdmitted(t, job)
	workload := c.workloadOf(t, job)
	c.waitsUntil(t, job, 6*long, isFailed)
	if got := runs.count("train"); got != 6 || !strings.Contains(fmt.Sprint(job.Status.Conditions), string(failurerules.Fail)) {
		t.Errorf("%d runs, want six; conditions %v", got, job.Status.Conditions)
	}
	eventually(t, long, func() string {
		now := c.workloadOf(t, job)
		if conditionOf(now, "Finished").status != "True" || now.GetUID() != workload.GetUID() || len(evictions(now)) > 0 {
			return fmt.Sprintf("the Workload is %v, admitted %v", now.Object["status"], admitted)
		}
		return ""
	})
	if used := account(t, c.recordOf(t, namespace, "train")).GetBudgets()["disruption"].GetUsed(); used != 5 {
		t.Errorf("charged to disruption: %d", used)
	}
}

// An index that cannot succeed ends alone after one run, and the others continue.
func TestScenario37AnIndexEndsByItsVerdict(t *testing.T) {
	t.Parallel()
	c := shared
	namespace := c.namespace(t)
	job := indexed(namespace, "sweep", 3)
	job.Spec.BackoffLimit, job.Spec.BackoffLimitPerIndex = nil, ptr.To(int32(3))
	runs := &runsOf{}
	c.play(t, namespace, func(pod *corev1.Pod) bool {
		index := indexOf(pod)
		switch run := runs.of(index, pod); {
		case index == "1":
			return failsWith(pod, noModule)
		case run <= 2:
			return isTakenAway(pod)
		}
		return succeeds(pod)
	})
	c.withWebhooks(t, namespace)
	must(t, c.Create(t.Context(), job))
	c.endsByItself(t, job, func(job *batchv1.Job) bool { return isFailed(job) || isComplete(job) })
	if job.Status.CompletedIndexes != "0,2" || runs.count("1") != 1 {
		t.Errorf("completed %q, index 1 ran %d times; want 0,2 and once; conditions %v", job.Status.CompletedIndexes, runs.count("1"), job.Status.Conditions)
	}
}

// If the webhook does not answer in time, work ends as with the release, and no write waits
// long.
func TestScenario38AWebhookThatDoesNotAnswerChangesNothing(t *testing.T) {
	t.Parallel()
	c := shared
	for name, away := range map[string]func(t *testing.T, namespace string){
		"dead": func(t *testing.T, namespace string) { c.withWebhooks(t, namespace).kill() },
		"slow": func(t *testing.T, namespace string) {
			c.servesInstead(t, namespace, func(_ http.ResponseWriter, request *http.Request) {
				select {
				case <-request.Context().Done():
				case <-time.After(time.Minute):
				}
			})
		},
		"refusing": func(t *testing.T, namespace string) {
			c.servesInstead(t, namespace, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
		},
		"without its service": func(t *testing.T, namespace string) {
			c.serveWebhooks(t, namespace, verdictHooks[:1], "--server="+freeAddress(t))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			namespace := c.namespace(t)
			job := newJob(namespace, "train")
			job.Spec.BackoffLimit = ptr.To(int32(0))
			away(t, namespace)
			began := time.Now()
			must(t, c.Create(t.Context(), job))
			// At most the timeout of the rules webhook, five seconds, once per workload.
			if took := time.Since(began); job.Spec.PodFailurePolicy != nil || took > 7*time.Second {
				t.Errorf("created after %v with rules %v, want none within five seconds", took, job.Spec.PodFailurePolicy)
			}
			// At most the timeout of the verdict webhook, one second.
			if took := c.losesItsPod(t, namespace); took > 3*time.Second {
				t.Errorf("the write that fails the pod took %v, want at most a second", took)
			}
			c.waitsUntil(t, job, 2*long, isFailed)
			failed := job.Status.Conditions[slices.IndexFunc(job.Status.Conditions, func(c batchv1.JobCondition) bool { return c.Type == batchv1.JobFailed })]
			if failed.Reason != batchv1.JobReasonBackoffLimitExceeded || job.Status.Failed != 1 {
				t.Errorf("it ended as %+v, want as the release ends it", job.Status)
			}
			if found := c.verdictsOn(t, namespace); len(found) > 0 {
				t.Errorf("verdicts %v", found)
			}
		})
	}
}

// losesItsPod takes away the only running pod, and returns how long the write took.
func (c *cluster) losesItsPod(t *testing.T, namespace string) (took time.Duration) {
	t.Helper()
	eventually(t, long, func() string {
		pods := &corev1.PodList{}
		must(t, c.List(t.Context(), pods, client.InNamespace(namespace)))
		if len(pods.Items) != 1 || pods.Items[0].Status.Phase != corev1.PodRunning {
			return fmt.Sprintf("%d pods, none runs yet", len(pods.Items))
		}
		isTakenAway(&pods.Items[0])
		began := time.Now()
		if err := c.Status().Update(t.Context(), &pods.Items[0]); err != nil {
			return err.Error()
		}
		took = time.Since(began)
		return ""
	})
	return took
}

// servesInstead answers the API server instead of the controller.
func (c *cluster) servesInstead(t *testing.T, namespace string, answer http.HandlerFunc) {
	t.Helper()
	pair, err := tls.LoadX509KeyPair(c.certs.file("server.crt"), c.certs.file("server.key"))
	must(t, err)
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{pair}})
	must(t, err)
	var calls atomic.Int64
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		calls.Add(1)
		answer(w, request)
	})}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { server.Close() })
	c.callWebhooks(t, namespace, verdictHooks, listener.Addr().String())
	eventually(t, long, func() string {
		_ = c.Create(t.Context(), newJob(namespace, "probe"), client.DryRunAll)
		if calls.Load() == 0 {
			return "the API server does not call the webhooks yet"
		}
		return ""
	})
}

// The controller is restarted while many pods fail. Each failure is charged once, and no
// work is lost.
func TestScenario46AWebhookRestartedInAStormLosesNothing(t *testing.T) {
	t.Parallel()
	c := shared
	const many = 30
	namespace := c.namespace(t)
	runs := &runsOf{}
	c.play(t, namespace, func(pod *corev1.Pod) bool {
		name := pod.Labels["job-name"]
		if runs.of(name, pod) > 1 {
			return succeeds(pod)
		}
		// Within about ten seconds.
		number, _ := strconv.Atoi(name[strings.LastIndex(name, "-")+1:])
		return ranFor(pod, time.Duration(number)*300*time.Millisecond) && isTakenAway(pod)
	})
	address := freeAddress(t)
	p := c.startServing(t, namespace, address)
	c.callWebhooks(t, namespace, verdictHooks, address)
	c.waitForRules(t, namespace)
	for i := range many {
		job := userJob(namespace, fmt.Sprintf("storm-%d", i))
		must(t, c.Create(t.Context(), job))
	}
	eventually(t, long, func() string {
		if got := c.verdictsOn(t, namespace)[failurerules.Retry]; got < many/4 {
			return fmt.Sprintf("%d verdicts", got)
		}
		return ""
	})
	p.kill()
	time.Sleep(time.Second)
	c.startServing(t, namespace, address)
	eventually(t, 6*long, func() string {
		for _, job := range c.jobs(t, namespace) {
			if !isComplete(&job) {
				return fmt.Sprintf("Job %s: %+v", job.Name, job.Status)
			}
		}
		return ""
	})
	t.Logf("verdicts %v", c.verdictsOn(t, namespace))
	if all := c.jobs(t, namespace); len(all) != many {
		t.Errorf("%d Jobs, want %d", len(all), many)
	}
	for i := range many {
		name := fmt.Sprintf("storm-%d", i)
		eventually(t, long, func() string {
			if used := account(t, c.recordOf(t, namespace, name)).GetBudgets()["disruption"].GetUsed(); used != 1 {
				return fmt.Sprintf("%s: %d charged to disruption, want one", name, used)
			}
			return ""
		})
	}
}

// A gang of eight with maxRestarts 0 survives reclaims, and ends at its first bug,
// independent of which member is seen first.
func TestScenario39AnUnpatchedGangSurvivesReclaims(t *testing.T) {
	t.Parallel()
	c := shared
	for _, kind := range []struct {
		operator, member string
		begin            func(namespace string) (name string)
	}{
		{"jobset", "jobset.sigs.k8s.io/job-index", func(namespace string) string {
			set := object(t, namespace, fmt.Sprintf(jobSetTemplate, "failurePolicy: {maxRestarts: 0}", gangMembers))
			must(t, c.Create(t.Context(), set))
			return set.GetName()
		}},
		{"trainer", batchv1.JobCompletionIndexAnnotation, func(namespace string) string {
			runtime := strings.Replace(runtimeManifest, "    spec:\n      replicatedJobs:", "    spec:\n      failurePolicy: {maxRestarts: 0}\n      replicatedJobs:", 1)
			runtime = strings.Replace(runtime, "                  containers:", "                  restartPolicy: Never\n                  containers:", 1)
			must(t, c.Create(t.Context(), object(t, namespace, runtime)))
			job := object(t, namespace, trainJobManifest)
			must(t, unstructured.SetNestedField(job.Object, int64(gangMembers), "spec", "trainer", "numNodes"))
			must(t, c.Create(t.Context(), job))
			return job.GetName()
		}},
	} {
		t.Run(kind.operator, func(t *testing.T) {
			t.Parallel()
			c.needs(t, kind.operator)
			namespace := c.namespace(t)
			c.gangIsReclaimed(t, namespace, kind.member, func() string { return kind.begin(namespace) })
		})
	}
}

const gangMembers = 8

// gangIsReclaimed plays three reclaims of one member, whose peers fail a moment later, and
// then a bug, with the webhooks. begin creates the work, and returns its JobSet's name.
func (c *cluster) gangIsReclaimed(t *testing.T, namespace, member string, begin func() string) {
	t.Helper()
	const members, reclaims = gangMembers, 3
	runs := &runsOf{}
	var lock sync.Mutex
	running := map[int]int{} // members of each run
	struck := map[int]time.Time{}
	c.play(t, namespace, func(pod *corev1.Pod) bool {
		lock.Lock()
		defer lock.Unlock()
		first := runs.count(pod.Labels[member])
		run := runs.of(pod.Labels[member], pod)
		if run > first {
			running[run]++
		}
		// After the whole gang runs.
		if running[run] < members {
			return false
		}
		if pod.Labels[member] == "2" {
			struck[run] = time.Now()
			if run <= reclaims {
				return isTakenAway(pod)
			}
			return failsWith(pod, noModule)
		}
		// The others lose their peer shortly after.
		if struck[run].IsZero() || time.Since(struck[run]) < 250*time.Millisecond {
			return false
		}
		return failsWith(pod, peerLost)
	})
	c.withWebhooks(t, namespace)
	name := begin()
	set := &unstructured.Unstructured{}
	set.SetGroupVersionKind(jobSetKind)
	var uid types.UID
	eventually(t, 4*long, func() string {
		if err := c.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: name}, set); err != nil {
			return err.Error()
		}
		if uid == "" {
			uid = set.GetUID()
		}
		if state, _, _ := unstructured.NestedString(set.Object, "status", "terminalState"); state != "Failed" {
			return fmt.Sprintf("it has not ended: %v", set.Object["status"])
		}
		return ""
	})
	if set.GetUID() != uid || runs.count("2") != reclaims+1 {
		t.Errorf("%d runs, want %d of the same object", runs.count("2"), reclaims+1)
	}
	restarts, _, _ := unstructured.NestedInt64(set.Object, "status", "restarts")
	counted, _, _ := unstructured.NestedInt64(set.Object, "status", "restartsCountTowardsMax")
	if restarts != reclaims || counted != 0 {
		t.Errorf("%d restarts of which %d count, want %d and none", restarts, counted, reclaims)
	}
	// The controller does not restart work that the verdict ended.
	c.becomes(t, namespace, name, records.GivenUp)
	if all := c.objects(t, namespace, jobSetKind); len(all) != 1 {
		t.Errorf("%d JobSets, want one", len(all))
	}
}
