package cluster

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// cost is an entry of a report, see docs/report.md.
type cost struct {
	Failures, Workloads int
	CoreHours, PodHours float64
}

// costReport is the output of `report -o json`.
type costReport struct {
	BadLines, GoodEnds int
	All                cost
	By                 map[string]map[string]cost
	Ends               map[string]cost
	Mend               []struct {
		Examples []struct {
			Workload, Problem string
			FirstStep         struct{ Text, Actor string }
		}
	}
}

// happened are the played workloads, and their expected entries in a report.
var happened = []struct {
	name, kind, cause, domain, end, problem, actor string
}{
	{"tokenizer", "Job", "CONTAINER_OOM", "RESOURCE_LIMIT", "givenUp", "at its memory limit of 1Gi", "USER"},
	{"reader", "Job", "CONFIG_USER_ERROR", "CONFIGURATION", "givenUp", "No module named 'torchvision'", "USER"},
	{"spot", "Job", "SPOT_RECLAIMED", "DISRUPTION", "completed", "spot-", "NOBODY"},
	{"typo", "Job", "IMAGE_DENIED", "CONFIGURATION", "notKnown", "registry.local/trianer:1", "USER"},
	{"pretrain", "JobSet", "CONTAINER_OOM", "RESOURCE_LIMIT", "givenUp", "at its memory limit of 1Gi", "USER"},
	{"tune", "RayJob", "DEADLINE_JOB", "DEADLINE", "givenUp", "activeDeadlineSeconds 8", "USER"},
}

// Label of the pods of a Job and of its retries.
const playedAs = "e2e.mulligan.dev/played-as"

// plays ends the pods. A retry after a transient failure succeeds.
func (c *cluster) plays(t *testing.T, namespace string) {
	t.Helper()
	first := map[string]types.UID{}
	flaky := &runsOf{}
	c.play(t, namespace, func(pod *corev1.Pod) bool {
		name := cmp.Or(pod.Labels[playedAs], pod.Labels["jobset.sigs.k8s.io/jobset-name"])
		// Each must have held resources.
		if name != "typo" && time.Since(pod.Status.StartTime.Time) < 3*time.Second {
			return false
		}
		if first[name] == "" {
			first[name] = pod.UID
		}
		switch again := first[name] != pod.UID; {
		// Ray continues, and so does the rest of the gang until its operator deletes it.
		case pod.Labels["ray.io/cluster"] != "", name == "pretrain" && pod.Labels["jobset.sigs.k8s.io/job-index"] != "2":
			return false
		// It would be stopped after a second equal failure.
		case name == "reader", name == "flaky" && flaky.of(name, pod) <= 2:
			return failsWith(pod, "ModuleNotFoundError: No module named 'torchvision'")
		case name == "typo":
			return cannotPull(pod, `failed to pull and unpack image "registry.local/trianer:1": failed to resolve reference "registry.local/trianer:1": pull access denied, repository does not exist or may require authorization: authorization failed: no basic auth credentials`)
		case name == "pretrain":
			return runsOutOfMemory(pod)
		case again, strings.HasPrefix(name, "pretrain-"):
			return succeeds(pod)
		case name == "spot":
			return isTakenAway(pod)
		}
		return runsOutOfMemory(pod)
	})
}

// playedJob returns a Job whose pods hold this many cores.
func playedJob(namespace, name string, cores int64) *batchv1.Job {
	job := newJob(namespace, name)
	pod := &job.Spec.Template
	pod.Labels = map[string]string{playedAs: name}
	pod.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU] = *resource.NewQuantity(cores, resource.DecimalSI)
	switch name {
	case "spot":
		pod.Spec.NodeSelector = map[string]string{spotKey: "true"}
		pod.Spec.Tolerations = []corev1.Toleration{{Key: spotKey, Operator: corev1.TolerationOpExists}}
	case "typo":
		pod.Annotations = map[string]string{byHand: "true"}
		pod.Spec.Containers[0].Image = "registry.local/trianer:1"
	}
	return job
}

// A report of the cluster shows what happened, with nothing of Mulligan installed.
func TestScenario25ReportShowsWhatHappened(t *testing.T) {
	c := shared
	c.needs(t, "jobset")
	c.needs(t, "kuberay")
	namespace := c.namespace(t)
	startDashboard(t, c, func(int) (string, string) { return "RUNNING", "" })
	c.plays(t, namespace)
	tune := object(t, namespace, rayManifest)
	must(t, unstructured.SetNestedField(tune.Object, int64(8), "spec", "activeDeadlineSeconds"))
	spot := playedJob(namespace, "spot", 5)
	// The Job controller's own retry.
	*spot.Spec.BackoffLimit = 1
	for _, obj := range []client.Object{
		playedJob(namespace, "tokenizer", 2), playedJob(namespace, "reader", 3), spot,
		playedJob(namespace, "typo", 0), object(t, namespace, gangManifest), tune,
	} {
		must(t, c.Create(t.Context(), obj))
	}
	c.ends(t, namespace, map[string]string{"tokenizer": "Failed", "reader": "Failed", "spot": "Complete", "pretrain": "Failed", "tune": "Failed"})

	report, _ := c.report(t, "-n", namespace)
	if report.All.Failures != len(happened) || report.All.Workloads != len(happened) || report.BadLines > 0 {
		t.Errorf("%+v, %d bad lines, want %d failures, a workload each", report.All, report.BadLines, len(happened))
	}
	want := map[string]map[string]int{"cause": {}, "domain": {}, "kind": {}, "end": {}}
	for _, one := range happened {
		for by, name := range map[string]string{"cause": one.cause, "domain": one.domain, "kind": one.kind, "end": one.end} {
			want[by][name]++
		}
		report.names(t, fmt.Sprintf("%s %s/%s", one.kind, namespace, one.name), one.problem, one.actor)
	}
	got := map[string]map[string]cost{"end": report.Ends}
	for by, names := range want {
		if by != "end" {
			got[by] = report.By[by]
		}
		for name, cost := range got[by] {
			if cost.Failures != names[name] {
				t.Errorf("%s %s: %d failures, want %d", by, name, cost.Failures, names[name])
			}
		}
		for name, n := range names {
			if got[by][name].Failures == 0 {
				t.Errorf("%s %s: nothing, want %d failures", by, name, n)
			}
		}
	}
	if team := report.By["team"][namespace]; team != report.All {
		t.Errorf("the team %s: %+v, want all: %+v", namespace, team, report.All)
	}
	hours := c.hoursOf(t, namespace)
	for name, got := range map[string]float64{
		"tokenizer": report.By["cause"]["CONTAINER_OOM"].CoreHours, "reader": report.By["cause"]["CONFIG_USER_ERROR"].CoreHours,
		"spot": report.By["cause"]["SPOT_RECLAIMED"].CoreHours, "pretrain": report.By["kind"]["JobSet"].PodHours,
	} {
		if want := hours[name]; !isNear(got, want) || want == 0 {
			t.Errorf("%s: %v hours, want %v by its pods' own times", name, got, want)
		}
	}
}

// The same failures with the controller: the service's log and the API server agree.
func TestScenario25ReportsOfLogAndClusterAgree(t *testing.T) {
	t.Parallel()
	c := shared
	c.needs(t, "jobset")
	namespace := c.namespace(t)
	log := filepath.Join(t.TempDir(), "decisions.jsonl")
	server := c.serverFor(t, "server-of-reports", "", controllerName, "--decision-log="+log)
	c.plays(t, namespace)
	c.startController(t, namespace, "act", "--server="+server.address)
	for _, obj := range []client.Object{
		playedJob(namespace, "tokenizer", 2), playedJob(namespace, "reader", 3), playedJob(namespace, "spot", 5), object(t, namespace, gangManifest),
	} {
		must(t, c.Create(t.Context(), obj))
	}
	// The second attempt of three Jobs succeeds, and is reported to the service. One is given
	// up.
	var logged *costReport
	eventually(t, long, func() string {
		logged = reportOfLog(t, log)
		if logged.GoodEnds != 3 || logged.All.Failures != 4 {
			return fmt.Sprintf("%+v, %d good ends, want 4 failures and 3", logged.All, logged.GoodEnds)
		}
		return ""
	})
	seen, _ := c.report(t, "-n", namespace)
	for _, report := range []*costReport{seen, logged} {
		for cause, failures := range map[string]int{"CONTAINER_OOM": 2, "CONFIG_USER_ERROR": 1, "SPOT_RECLAIMED": 1} {
			if n := report.By["cause"][cause].Failures; n != failures || report.All.Failures != 4 {
				t.Errorf("%d of %s among %d, want %d of 4: %+v", n, cause, report.All.Failures, failures, report.By["cause"])
			}
		}
	}
	for _, by := range []string{"cause", "domain", "kind", "team", "image"} {
		for name, cost := range logged.By[by] {
			if other := seen.By[by][name]; cost.Failures != other.Failures {
				t.Errorf("%s %s: %+v by the log, %+v by the API server", by, name, cost, other)
			}
		}
	}
	// The gang's other pods, which JobSet has deleted, are only in the log, and request no
	// cores.
	for cause, cost := range logged.By["cause"] {
		if other := seen.By["cause"][cause]; !isNear(cost.CoreHours, other.CoreHours) || cost.CoreHours == 0 {
			t.Errorf("%s: %v core-hours by the log, %v by the API server", cause, cost.CoreHours, other.CoreHours)
		}
	}
	// Only the log has what came after.
	if done := logged.Ends["completed"].Workloads; done != 3 {
		t.Errorf("%d workloads completed by the log, want 3", done)
	}
}

// names checks that a workload is in the list of things to fix.
func (r *costReport) names(t *testing.T, workload, problem, actor string) {
	t.Helper()
	for _, mend := range r.Mend {
		for _, example := range mend.Examples {
			if example.Workload != workload {
				continue
			}
			if !strings.Contains(example.Problem, problem) || example.FirstStep.Actor != actor {
				t.Errorf("%s: %q, %+v, want %q and %s", workload, example.Problem, example.FirstStep, problem, actor)
			}
			return
		}
	}
	t.Errorf("%s is named nowhere in %+v", workload, r.Mend)
}

// ends waits until these workloads have these outcomes.
func (c *cluster) ends(t *testing.T, namespace string, want map[string]string) {
	t.Helper()
	eventually(t, long, func() string {
		got := map[string]string{}
		for _, job := range c.jobs(t, namespace) {
			switch {
			case isFailed(&job):
				got[job.Name] = "Failed"
			case isComplete(&job):
				got[job.Name] = "Complete"
			}
		}
		for _, set := range c.objects(t, namespace, jobSetKind) {
			got[set.GetName()], _, _ = unstructured.NestedString(set.Object, "status", "terminalState")
		}
		for _, job := range c.objects(t, namespace, rayJobKind) {
			got[job.GetName()] = deploymentStatus(&job)
		}
		for name, end := range want {
			if got[name] != end {
				return fmt.Sprintf("%s is %q, want %s", name, got[name], end)
			}
		}
		return ""
	})
	// The pod with a missing image.
	time.Sleep(time.Second)
}

// hoursOf returns the core-hours of each Job's failed pods, and the pod-hours of the gang's.
func (c *cluster) hoursOf(t *testing.T, namespace string) map[string]float64 {
	t.Helper()
	hours := map[string]float64{}
	pods := &corev1.PodList{}
	must(t, c.List(t.Context(), pods, client.InNamespace(namespace)))
	for _, pod := range pods.Items {
		if pod.Status.Phase != corev1.PodFailed {
			continue
		}
		held := pod.Status.ContainerStatuses[0].State.Terminated.FinishedAt.Sub(pod.Status.StartTime.Time).Hours()
		if name := pod.Labels[playedAs]; name != "" {
			hours[name] += held * pod.Spec.Containers[0].Resources.Requests.Cpu().AsApproximateFloat64()
		} else {
			hours[pod.Labels["jobset.sigs.k8s.io/jobset-name"]] += held
		}
	}
	return hours
}

// isNear tolerates rounding.
func isNear(a, b float64) bool { return math.Abs(a-b) <= 1e-9+1e-6*math.Abs(b) }

// report runs the plugin, and returns its report and the larger peak memory of it and the
// binary.
func (c *cluster) report(t *testing.T, args ...string) (*costReport, int64) {
	t.Helper()
	text, megabytes := c.plugin(t, slices.Concat([]string{"report", "-o", "json"}, args)...)
	return readReport(t, []byte(text)), megabytes
}

func reportOfLog(t *testing.T, log string) *costReport {
	t.Helper()
	text, err := exec.CommandContext(t.Context(), mulliganBinary(), "report", log, "-o", "json").Output()
	must(t, err)
	return readReport(t, text)
}

func readReport(t *testing.T, text []byte) *costReport {
	t.Helper()
	report := &costReport{}
	must(t, json.Unmarshal(text, report))
	return report
}

// The plugin's page size.
const pageOfPlugin = 500

// numberFrom returns the number in an environment variable, or the default.
func numberFrom(t *testing.T, variable string, otherwise int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	must(t, err)
	return n
}

// mulliganBinary returns the path of the mulligan binary.
func mulliganBinary() string { return filepath.Join(filepath.Dir(os.Getenv("E2E_SERVER")), "mulligan") }
