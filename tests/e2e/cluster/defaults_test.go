package cluster

import (
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"mulligan.dev/mulligan/internal/controller/records"
)

// A Python error that recurs until the program changes.
const (
	noModule   = "Traceback (most recent call last):\n  File \"train.py\", line 1, in <module>\nModuleNotFoundError: No module named 'flash_attn'"
	indexError = "Traceback (most recent call last):\n  File \"train.py\", line 7, in <module>\nIndexError: list index out of range"
)

// userJob returns a Job with the API server's default limits.
func userJob(namespace, name string) *batchv1.Job {
	job := newJob(namespace, name)
	job.Spec.BackoffLimit = nil
	return job
}

// runsOf counts started pods by their owner.
type runsOf struct {
	lock sync.Mutex
	pods map[string]map[types.UID]int
}

// of returns the number of the pod's run, from 1.
func (r *runsOf) of(what string, pod *corev1.Pod) int {
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.pods == nil {
		r.pods = map[string]map[types.UID]int{}
	}
	if r.pods[what] == nil {
		r.pods[what] = map[types.UID]int{}
	}
	if r.pods[what][pod.UID] == 0 {
		r.pods[what][pod.UID] = len(r.pods[what]) + 1
	}
	return r.pods[what][pod.UID]
}

func (r *runsOf) count(what string) int {
	r.lock.Lock()
	defer r.lock.Unlock()
	return len(r.pods[what])
}

func failsWith(pod *corev1.Pod, message string) bool {
	exits(pod, 1, "Error")
	endsAt(pod, time.Now(), message)
	return true
}

// endsByItself waits for the end of a Job, and fails if it is ever suspended.
func (c *cluster) endsByItself(t *testing.T, job *batchv1.Job, ended func(*batchv1.Job) bool) {
	t.Helper()
	c.waitsUntil(t, job, 2*long, func(job *batchv1.Job) bool {
		if isSuspended(job) {
			t.Fatalf("it is suspended; Events %q", c.events(t, job))
		}
		return ended(job)
	})
}

// An index that cannot succeed is left to its Job, and the others continue.
func TestScenario27AFailedIndexLeavesTheOthersAlone(t *testing.T) {
	t.Parallel()
	c := shared
	for name, perIndex := range map[string]*int32{"one-limit": nil, "limit-for-each": ptr.To(int32(1))} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			namespace := c.namespace(t)
			job := indexed(namespace, "sweep", 4)
			job.Spec.BackoffLimit, job.Spec.BackoffLimitPerIndex = nil, perIndex
			runs := &runsOf{}
			c.play(t, namespace, func(pod *corev1.Pod) bool {
				index := indexOf(pod)
				run := runs.of(index, pod)
				switch {
				case index != "3":
					// After the bad one has failed twice alike, and was asked about.
					return runs.count("3") > 2 && succeeds(pod)
				case run <= 2 || perIndex != nil:
					return failsWith(pod, noModule)
				}
				return succeeds(pod)
			})
			if perIndex != nil {
				// Its index has no third run. The others end some time after the second.
				t.Log("the index fails for good after two runs")
				go func() {
					for t.Context().Err() == nil && runs.count("3") < 2 {
						time.Sleep(100 * time.Millisecond)
					}
					time.Sleep(8 * time.Second)
					runs.of("3", &corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: "its time is over"}})
				}()
			}
			c.startController(t, namespace, "act")
			must(t, c.Create(t.Context(), job))
			c.anEvent(t, job, "PartFailed", "flash_attn", "It continues")
			c.endsByItself(t, job, func(job *batchv1.Job) bool { return isComplete(job) || isFailed(job) })
			for _, index := range []string{"0", "1", "2"} {
				if got := runs.count(index); got != 1 {
					t.Errorf("index %s had %d runs, want one", index, got)
				}
			}
			want := "0-3"
			if perIndex != nil {
				want = "0-2"
			}
			if job.Status.CompletedIndexes != want {
				t.Errorf("completed indexes %s, want %s", job.Status.CompletedIndexes, want)
			}
		})
	}
}

// Work that fails twice and cannot succeed is stopped. Its messages say who stopped it,
// why, and how to continue it, which works.
func TestScenario29StoppedWorkShowsRelease(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]string{"alike": noModule, "different": indexError} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shared.stopsAfterTwo(t, first)
		})
	}
}

func (c *cluster) stopsAfterTwo(t *testing.T, first string) {
	namespace := c.namespace(t)
	job := userJob(namespace, "train")
	runs := &runsOf{}
	c.play(t, namespace, func(pod *corev1.Pod) bool {
		switch runs.of("train", pod) {
		case 1:
			return failsWith(pod, first)
		case 2:
			return failsWith(pod, noModule)
		}
		return succeeds(pod)
	})
	c.startController(t, namespace, "act")
	must(t, c.Create(t.Context(), job))
	rec := c.becomes(t, namespace, "train", records.GivenUp)
	if got := runs.count("train"); got != 2 {
		t.Errorf("stopped after %d runs, want two", got)
	}
	goOn := fmt.Sprintf(`kubectl patch job train -n %s --type=merge -p '{"spec":{"suspend":false}}'`, namespace)
	c.anEvent(t, job, "Stopped", "flash_attn", "mulligan-controller stopped it", goOn)
	if !strings.Contains(rec.Status.FirstStep, goOn) {
		t.Errorf("the first step is %q, want one with %s", rec.Status.FirstStep, goOn)
	}
	c.waitsUntil(t, job, long, gaveItsPodBack)
	c.whyStopped(t, "job/train", namespace, goOn)
	c.pasted(t, goOn)
	c.endsByItself(t, job, isComplete)
}

// whyStopped checks the output of `why`, without its line breaks.
func (c *cluster) whyStopped(t *testing.T, what, namespace, goOn string) {
	t.Helper()
	text, _ := c.why(t, what, "-n", namespace)
	said := strings.Join(strings.Fields(text), " ")
	for _, words := range []string{"mulligan-controller stopped it at", "module", goOn} {
		if !strings.Contains(said, words) {
			t.Errorf("why has no %q:\n%s", words, text)
		}
	}
	if strings.Contains(said, "resume it when it may run") {
		t.Errorf("why says to wait:\n%s", text)
	}
}

// pasted runs a printed command.
func (c *cluster) pasted(t *testing.T, command string) {
	t.Helper()
	shell := exec.CommandContext(t.Context(), "bash", "-c", command)
	shell.Env = append(shell.Environ(), "KUBECONFIG="+filepath.Join(c.run, "kubeconfig"), "HOME="+t.TempDir())
	if out, err := shell.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
}

// Queued work is stopped and started by its queue.
func TestScenario30DeactivatesQueuedWork(t *testing.T) {
	c := shared
	c.needs(t, "kueue")
	namespace := c.namespace(t)
	c.queueOf(t, namespace, "any", "8Gi")
	job := queuedJob(namespace, "train", "1Gi")
	job.Spec.BackoffLimit = nil
	runs := &runsOf{}
	c.play(t, namespace, func(pod *corev1.Pod) bool {
		if runs.of("train", pod) <= 2 {
			return failsWith(pod, noModule)
		}
		return succeeds(pod)
	})
	c.startController(t, namespace, "act")
	must(t, c.Create(t.Context(), job))
	c.becomes(t, namespace, "train", records.GivenUp)
	workload := c.workloadOf(t, job)
	goOn := fmt.Sprintf(`kubectl patch workload %s -n %s --type=merge -p '{"spec":{"active":true}}'`, workload.GetName(), namespace)
	c.anEvent(t, job, "Stopped", "flash_attn", goOn)
	eventually(t, long, func() string {
		workload = c.workloadOf(t, job)
		if active, _, _ := unstructured.NestedBool(workload.Object, "spec", "active"); active || isAdmitted(workload) {
			return fmt.Sprintf("its Workload continues: %v", workload.Object["status"])
		}
		must(t, c.Get(t.Context(), client.ObjectKeyFromObject(job), job))
		if job.Status.Active != 0 {
			return "it holds its pod"
		}
		return ""
	})
	// Its operator's next try would come within 20 seconds.
	time.Sleep(25 * time.Second)
	if got := runs.count("train"); got != 2 {
		t.Errorf("%d runs, want two", got)
	}
	c.whyStopped(t, "job/train", namespace, goOn)
	c.pasted(t, goOn)
	c.waitsUntil(t, job, 2*long, isComplete)
}

// Work that its operator restarts with too little memory is restarted with more.
func TestScenario33OOMLoopRestartsWithMore(t *testing.T) {
	t.Parallel()
	c := shared
	namespace := c.namespace(t)
	job := userJob(namespace, "train")
	runs := &runsOf{}
	c.play(t, namespace, func(pod *corev1.Pod) bool {
		runs.of(pod.Labels["job-name"], pod)
		if pod.Labels["job-name"] == "train" {
			return runsOutOfMemory(pod)
		}
		return succeeds(pod)
	})
	c.startController(t, namespace, "act")
	must(t, c.Create(t.Context(), job))
	rec := c.becomes(t, namespace, "train", records.Succeeded)
	jobs := c.jobs(t, namespace)
	if len(jobs) != 2 || runs.count("train") != 2 {
		t.Fatalf("%d Jobs, %d runs of the first, want two and two", len(jobs), runs.count("train"))
	}
	if limit := jobs[1].Spec.Template.Spec.Containers[0].Resources.Limits.Memory(); limit.Value() != 3<<29 {
		t.Errorf("the next attempt has a limit of %s, want 1.5Gi", limit)
	}
	if !isSuspended(&jobs[0]) {
		t.Error("the first continues")
	}
	if used := account(t, rec).GetBudgets()["memory"].GetUsed(); used != 1 {
		t.Errorf("%d charged to memory, want one for the limit that was too low", used)
	}
	c.anEvent(t, job, "Stopped", "memory x1.5", "stopped it for that")
}

// A Job's own retries are charged in both modes: three drains, a bug, success.
func TestScenario34ChargesRetriesOfJob(t *testing.T) {
	t.Parallel()
	c := shared
	for _, mode := range []string{"act", "observe"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			namespace := c.namespace(t)
			job := userJob(namespace, "train")
			runs := &runsOf{}
			c.play(t, namespace, func(pod *corev1.Pod) bool {
				switch run := runs.of("train", pod); {
				case run <= 3:
					return isTakenAway(pod)
				case run == 4:
					return failsWith(pod, indexError)
				}
				return succeeds(pod)
			})
			c.startController(t, namespace, mode)
			must(t, c.Create(t.Context(), job))
			if mode == "act" {
				c.anEvent(t, job, "LeftToItsOperator", "IndexError", "It continues")
			}
			c.endsByItself(t, job, isComplete)
			rec := c.becomes(t, namespace, "train", records.Succeeded)
			used := map[string]int32{}
			for name, budget := range account(t, rec).GetBudgets() {
				if budget.GetUsed() > 0 {
					used[name] = budget.GetUsed()
				}
			}
			if want := map[string]int32{"disruption": 3, "application": 1}; !maps.Equal(used, want) {
				t.Errorf("the account is %v, want %v", used, want)
			}
			if all := c.jobs(t, namespace); len(all) != 1 {
				t.Errorf("%d Jobs, want one", len(all))
			}
		})
	}
}

func TestScenario31ARestartedJobSetDoesNotRestartItself(t *testing.T) {
	t.Parallel()
	c := shared
	c.needs(t, "jobset")
	namespace := c.namespace(t)
	set := object(t, namespace, jobSetManifest)
	runs := &runsOf{}
	c.play(t, namespace, func(pod *corev1.Pod) bool {
		// The cause's budget is larger than JobSet's limit.
		runs.of(pod.Labels["jobset.sigs.k8s.io/jobset-name"], pod)
		return isTakenAway(pod)
	})
	c.startController(t, namespace, "act")
	must(t, c.Create(t.Context(), set))
	var sets []unstructured.Unstructured
	eventually(t, 2*long, func() string {
		sets = c.objects(t, namespace, set.GroupVersionKind())
		if len(sets) < 2 || decisionOf(t, &sets[1]).Action == "" {
			return fmt.Sprintf("%d JobSets, Events %q", len(sets), c.allEvents(t, namespace))
		}
		return ""
	})
	restarts, _, _ := unstructured.NestedInt64(sets[1].Object, "spec", "failurePolicy", "maxRestarts")
	if first, next := runs.count("train"), runs.count(sets[1].GetName()); first != 4 || next != 1 || restarts != 0 {
		t.Errorf("%d runs of the user's own JobSet and %d of the next, with maxRestarts %d, want four, one and 0", first, next, restarts)
	}
}

const jobSetManifest = `
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: train}
spec:
  failurePolicy: {maxRestarts: 3}
  replicatedJobs:
    - name: w
      template:
        spec:
          backoffLimit: 0
          template:
            spec:
              restartPolicy: Never
              containers: [{name: trainer, image: "registry.local/trainer:1"}]
`

// KubeRay's default: a pod submits the job and fails with it. In HTTPMode no pod fails, and
// the status shows only for a moment that KubeRay retries.
var submittedRayJob = strings.Replace(rayManifest, "submissionMode: HTTPMode", "submissionMode: K8sJobMode\n  submitterConfig: {backoffLimit: 0}", 1)

// An operator's loop is stopped at its second equal failure, or, if observed, an Event says
// so. Nothing is created.
func TestScenario45StopsVainRetries(t *testing.T) {
	c := shared
	for _, kind := range []struct {
		operator, manifest string
		field              []string
		limit              int64
		// Fails each attempt, and returns a function that counts them.
		begin func(t *testing.T, namespace string) func() int
	}{
		{"jobset", jobSetManifest, []string{"spec", "failurePolicy", "maxRestarts"}, 3, c.failingPods},
		{"kuberay", submittedRayJob, []string{"spec", "backoffLimit"}, 3, c.failingRayJobs},
		{"spark", sparkManifest, []string{"spec", "restartPolicy", "onFailureRetries"}, 3, c.failingDrivers},
	} {
		for _, mode := range []string{"act", "observe"} {
			t.Run(kind.operator+" "+mode, func(t *testing.T) {
				c.needs(t, kind.operator)
				namespace := c.namespace(t)
				begun := kind.begin(t, namespace)
				work := object(t, namespace, kind.manifest)
				must(t, unstructured.SetNestedField(work.Object, kind.limit, kind.field...))
				c.startController(t, namespace, mode)
				must(t, c.Create(t.Context(), work))
				isSuspended := func() bool {
					must(t, c.Get(t.Context(), client.ObjectKeyFromObject(work), work))
					suspended, _, _ := unstructured.NestedBool(work.Object, "spec", "suspend")
					return suspended
				}
				if mode == "observe" {
					c.anEvent(t, work, "WouldStop", "flash_attn", "mulligan-controller would stop it")
					if isSuspended() {
						t.Error("it is suspended")
					}
					return
				}
				c.anEvent(t, work, "Stopped", "flash_attn", "mulligan-controller stopped it")
				// The Event comes first.
				eventually(t, 5*time.Second, func() string {
					if !isSuspended() {
						return "it is not suspended"
					}
					return ""
				})
				// Its operator may have started the third before it was stopped.
				time.Sleep(15 * time.Second)
				if got := begun(); got < 2 || got > 3 {
					t.Errorf("%d attempts began, want two or three of four", got)
				}
				if all := c.objects(t, namespace, work.GroupVersionKind()); len(all) != 1 {
					t.Errorf("%d objects, want one", len(all))
				}
			})
		}
	}
}

// Longer than the controller leaves a failure to its operator.
const vainRuns = 6 * time.Second

func (c *cluster) failingPods(t *testing.T, namespace string) func() int {
	runs := &runsOf{}
	c.play(t, namespace, func(pod *corev1.Pod) bool {
		runs.of("all", pod)
		return ranFor(pod, vainRuns) && failsWith(pod, noModule)
	})
	return func() int { return runs.count("all") }
}

func (c *cluster) failingRayJobs(t *testing.T, namespace string) func() int {
	since := map[int]time.Time{}
	startDashboard(t, c, func(n int) (string, string) {
		if _, asked := since[n]; !asked {
			since[n] = time.Now()
		}
		if time.Since(since[n]) < vainRuns {
			return "RUNNING", ""
		}
		return "FAILED", noModule
	})
	runs := &runsOf{}
	c.play(t, namespace, func(pod *corev1.Pod) bool {
		if pod.Spec.Containers[0].Name != "ray-job-submitter" {
			return false
		}
		runs.of("all", pod)
		return ranFor(pod, vainRuns) && failsWith(pod, noModule)
	})
	return func() int { return runs.count("all") }
}

func (c *cluster) failingDrivers(t *testing.T, namespace string) func() int {
	play := &sparkPlay{cluster: c, namespace: namespace, scenario: sparkWork{
		driver: func(_ int, pod *corev1.Pod) bool { return failsWith(pod, noModule) },
	}}
	c.play(t, namespace, play.end)
	return func() int {
		play.lock.Lock()
		defer play.lock.Unlock()
		return len(play.drivers)
	}
}
