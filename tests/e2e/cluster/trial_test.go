package cluster

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"mulligan.dev/mulligan/internal/controller/records"
)

// The namespace of the trial's release.
const trialHome = "mulligan-trial"

// trial is the chart with the values of docs/trial.md. The controller runs with its rights
// and arguments.
type trial struct {
	c       *cluster
	applied map[string]*unstructured.Unstructured
	// Arguments by container.
	args  map[string][]string
	limit resource.Quantity
	// The number of controller runs.
	runs int
}

// The kinds of the chart that are applied. There are no containers and no cert-manager.
var appliedKinds = []string{"ServiceAccount", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"}

func newTrial(t *testing.T, c *cluster) *trial {
	t.Helper()
	if _, err := os.Stat(helmBinary); err != nil {
		t.Skip("skipped: helm is not built: run scripts/deploy-check")
	}
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: trialHome}}
	must(t, client.IgnoreAlreadyExists(c.Create(t.Context(), ns)))
	tr := &trial{c: c, applied: map[string]*unstructured.Unstructured{}}
	t.Cleanup(func() {
		_ = c.DeleteAllOf(context.Background(), &coordinationv1.Lease{}, client.InNamespace(trialHome))
		for _, obj := range tr.applied {
			_ = c.Delete(context.Background(), obj)
		}
		// The values that Helm stores.
		_ = c.DeleteAllOf(context.Background(), &corev1.Secret{}, client.InNamespace(trialHome), client.MatchingLabels{"owner": "helm"})
	})
	tr.upgrade(t)
	return tr
}

const helmBinary = "../../../build/deploy/bin/helm"

// upgrade renders the chart like `helm upgrade` with the stored values, and applies the
// supported kinds.
func (tr *trial) upgrade(t *testing.T, set ...string) {
	t.Helper()
	chart, folder := "../../../deploy/helm/mulligan", t.TempDir()
	rendered, keep := filepath.Join(folder, "rendered.yaml"), filepath.Join(folder, "keep")
	must(t, os.WriteFile(keep, []byte("#!/bin/sh\ncat >'"+rendered+"'\necho '# kept'\n"), 0o755))
	command := []string{"--kubeconfig", filepath.Join(tr.c.run, "kubeconfig"), "--namespace", trialHome, "--post-renderer", keep, "upgrade", "mulligan", chart}
	if len(set) == 0 {
		command = append(command, "--install", "--values", chart+"/values-trial.yaml")
	} else {
		command = append(append(command, "--reuse-values"), set...)
	}
	if out, err := exec.CommandContext(t.Context(), helmBinary, command...).CombinedOutput(); err != nil {
		t.Fatalf("helm %v: %v\n%s", command, err, out)
	}
	text, err := os.ReadFile(rendered)
	must(t, err)
	before := tr.applied
	tr.applied, tr.args = map[string]*unstructured.Unstructured{}, map[string][]string{}
	for _, document := range bytes.Split(text, []byte("\n---\n")) {
		obj := &unstructured.Unstructured{}
		must(t, yaml.Unmarshal(document, &obj.Object))
		tr.readArguments(t, obj)
		if !slices.Contains(appliedKinds, obj.GetKind()) {
			continue
		}
		if obj.GetNamespace() == "" && !strings.HasPrefix(obj.GetKind(), "Cluster") {
			obj.SetNamespace(trialHome)
		}
		renameClusterWide(obj)
		tr.applied[obj.GetKind()+" "+obj.GetNamespace()+"/"+obj.GetName()] = obj
		must(t, tr.c.Patch(t.Context(), obj.DeepCopy(), client.Apply, client.ForceOwnership, client.FieldOwner("helm")))
	}
	for key, obj := range before {
		if tr.applied[key] == nil {
			must(t, tr.c.Delete(t.Context(), obj))
		}
	}
}

// renameClusterWide renames cluster-wide objects that the tests' other controller also has.
func renameClusterWide(obj *unstructured.Unstructured) {
	rename := func(name string) string { return strings.Replace(name, "mulligan-controller", trialHome, 1) }
	if strings.HasPrefix(obj.GetKind(), "Cluster") {
		obj.SetName(rename(obj.GetName()))
	}
	if role, found, _ := unstructured.NestedStringMap(obj.Object, "roleRef"); found && role["kind"] == "ClusterRole" {
		obj.Object["roleRef"].(map[string]any)["name"] = rename(role["name"])
	}
}

// readArguments keeps the containers' arguments.
func (tr *trial) readArguments(t *testing.T, obj *unstructured.Unstructured) {
	t.Helper()
	for _, path := range []string{"spec.template.spec.containers", "spec.jobTemplate.spec.template.spec.containers"} {
		containers, _, err := unstructured.NestedSlice(obj.Object, strings.Split(path, ".")...)
		must(t, err)
		for _, each := range containers {
			container := each.(map[string]any)
			name := container["name"].(string)
			tr.args[name], _, err = unstructured.NestedStringSlice(container, "args")
			must(t, err)
			if name == "controller" {
				limit, _, err := unstructured.NestedString(container, "resources", "limits", "memory")
				must(t, err)
				tr.limit = resource.MustParse(limit)
			}
		}
	}
}

// config returns a kubeconfig with a token of the controller's account.
func (tr *trial) config(t *testing.T) string {
	t.Helper()
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: trialHome, Name: "mulligan-controller"}}
	request := &authenticationv1.TokenRequest{}
	must(t, tr.c.SubResource("token").Create(t.Context(), account, request))
	config, err := clientcmd.LoadFromFile(filepath.Join(tr.c.run, "kubeconfig"))
	must(t, err)
	for _, user := range config.AuthInfos {
		user.Token = request.Status.Token
	}
	must(t, clientcmd.WriteToFile(*config, tr.c.configOf(trialHome)))
	return tr.c.configOf(trialHome)
}

// start runs the controller like the chart, with other addresses and certificates.
func (tr *trial) start(t *testing.T, server *process, more ...string) *process {
	t.Helper()
	args := []string{"--watch-namespaces=", "--server=" + server.address}
	for _, arg := range tr.args["controller"] {
		if !strings.HasPrefix(arg, "--server=") && !strings.HasPrefix(arg, "--tls-") {
			args = append(args, arg)
		}
	}
	tr.runs++
	return tr.c.startControllerWith(t, tr.config(t), fmt.Sprintf("%s-%d", trialHome, tr.runs), "observe", append(args, more...)...)
}

// read runs the command of the chart's CronJob on the folder of the decision log.
func (tr *trial) read(t *testing.T, container, binary, logs string, more ...string) string {
	t.Helper()
	var args []string
	for _, arg := range tr.args[container] {
		args = append(args, strings.ReplaceAll(arg, "/var/lib/mulligan", logs))
	}
	out, err := exec.CommandContext(t.Context(), binary, append(args, more...)...).Output()
	if err != nil {
		t.Fatalf("%s %v: %v", binary, args, err)
	}
	return string(out)
}

// verdicts returns the names of a namespace's workloads, by the first words of their list.
func (tr *trial) verdicts(t *testing.T, logs, namespace string) map[string][]string {
	t.Helper()
	found, title := map[string][]string{}, ""
	for _, line := range strings.Split(tr.read(t, "trial", filepath.Join(tr.c.bin, "mulligan-controller"), logs), "\n") {
		if !strings.HasPrefix(line, "  ") {
			_, title, _ = strings.Cut(line, " ")
			title, _, _ = strings.Cut(title, ":")
			continue
		}
		workload, _, _ := strings.Cut(strings.TrimSpace(line), ":")
		if kind, name, ok := strings.Cut(workload, " "); ok && strings.HasPrefix(name, namespace+"/") {
			found[title] = append(found[title], kind+" "+strings.TrimPrefix(name, namespace+"/"))
		}
	}
	return found
}

// may returns whether the controller's account may do it.
func (tr *trial) may(t *testing.T, verb, namespace string) bool {
	t.Helper()
	return may(t, tr.config(t), verb, namespace)
}

// nothingWritten checks that the controller has changed no watched object.
func (tr *trial) nothingWritten(t *testing.T, namespaces ...string) {
	t.Helper()
	for _, namespace := range namespaces {
		for _, list := range []client.ObjectList{
			&batchv1.JobList{}, &corev1.PodList{}, &records.RetryRecordList{}, &corev1.ConfigMapList{}, &coordinationv1.LeaseList{},
		} {
			must(t, tr.c.List(t.Context(), list, client.InNamespace(namespace)))
			must(t, meta.EachListItem(list, func(item runtime.Object) error {
				obj := item.(client.Object)
				for _, field := range obj.GetManagedFields() {
					if field.Manager == "mulligan-controller" {
						t.Errorf("%T %s/%s was written: %s", obj, namespace, obj.GetName(), field.FieldsV1)
					}
				}
				return nil
			}))
		}
	}
}

func TestScenario26TrialWritesNothingActsInOneNamespaceAndGoesBack(t *testing.T) {
	c := shared
	tr := newTrial(t, c)
	logs := t.TempDir()
	server := c.serverFor(t, "server-of-trial", "", controllerName, "--decision-log="+filepath.Join(logs, "decisions.jsonl"))
	watched := c.namespace(t)
	c.plays(t, watched)
	controller := tr.start(t, server)
	flaky := playedJob(watched, "flaky", 1)
	*flaky.Spec.BackoffLimit = 2
	for _, job := range []*batchv1.Job{playedJob(watched, "tokenizer", 1), playedJob(watched, "reader", 1), playedJob(watched, "spot", 1), flaky} {
		must(t, c.Create(t.Context(), job))
	}
	want := map[string][]string{
		"would have been saved":                      {"Job spot", "Job tokenizer"},
		"would have been lost":                       {"Job flaky"},
		"given up by their operator and by Mulligan": {"Job reader"},
	}
	eventually(t, long, func() string {
		if got := tr.verdicts(t, logs, watched); !maps.EqualFunc(got, want, slices.Equal) {
			return fmt.Sprintf("%v, want %v", got, want)
		}
		return ""
	})
	report := readReport(t, []byte(tr.read(t, "report", mulliganBinary(), logs, "-o", "json")))
	// Reports of decision logs lack what an operator retried, such as flaky.
	if team := report.By["team"][watched]; team.Workloads != 3 || team.Failures != 3 {
		t.Errorf("the weekly report has %+v, want 3 failures of 3 workloads", team)
	}
	for _, job := range c.jobs(t, watched) {
		if job.Name == "spot" {
			c.anEvent(t, &job, "WouldRetry", "charged to disruption")
		}
	}
	tr.nothingWritten(t, watched, trialHome)
	controller.end()
	controller.wasRefusedNothing(t)

	acted := c.namespaceNamed(t, watched+"-acted")
	tr.upgrade(t, "--set", "controller.actNamespaces={"+acted+"}")
	controller = tr.start(t, server, "--leader-elect=true")
	for _, namespace := range []string{acted, watched} {
		if namespace == acted {
			c.plays(t, namespace)
		}
		must(t, c.Create(t.Context(), playedJob(namespace, "tokenizer-of-act", 1)))
	}
	jobs := c.attempts(t, acted, 2)
	if !isComplete(&jobs[1]) {
		t.Errorf("%+v, want the second attempt complete", jobs[1].Status.Conditions)
	}
	for _, job := range c.jobs(t, watched) {
		if job.Name == "tokenizer-of-act" {
			c.anEvent(t, &job, "WouldRetry")
		}
	}
	tr.nothingWritten(t, watched)
	if !tr.may(t, "create", acted) || tr.may(t, "create", watched) || tr.may(t, "patch", watched) {
		t.Error("it may create Jobs elsewhere than in the one namespace, or not even there")
	}
	if got := tr.verdicts(t, logs, acted)["were started again and succeeded"]; !slices.Equal(got, []string{"Job tokenizer-of-act"}) {
		t.Errorf("the same report has %v", tr.verdicts(t, logs, acted))
	}
	controller.end()

	tr.upgrade(t, "--set-json", "controller.actNamespaces=[]")
	tr.start(t, server)
	if tr.may(t, "create", acted) || tr.may(t, "patch", acted) {
		t.Error("it may still write")
	}
	must(t, c.Create(t.Context(), playedJob(acted, "tokenizer-of-after", 1)))
	var after *batchv1.Job
	eventually(t, long, func() string {
		for _, job := range c.jobs(t, acted) {
			if job.Name == "tokenizer-of-after" && isFailed(&job) {
				after = &job
				return ""
			}
		}
		return "the Job has not failed"
	})
	c.anEvent(t, after, "WouldRetry")
	if jobs := c.jobs(t, acted); len(jobs) != 3 {
		t.Errorf("%d Jobs, want three: the last is not started again", len(jobs))
	}
}

// The number of failed Jobs in a trial; E2E_TRIAL overrides it.
const tried = 200

func TestScenario26TrialOfManyWorkloads(t *testing.T) {
	c := shared
	tr := newTrial(t, c)
	logs := t.TempDir()
	server := c.serverFor(t, "server-of-many", "", controllerName, "--decision-log="+filepath.Join(logs, "decisions.jsonl"))
	workloads := numberFrom(t, "E2E_TRIAL", tried)
	namespace := c.namespace(t)
	c.manyEnded(t, namespace, workloads)
	metrics := freeAddress(t)
	// As the controller sets it in a container with its limit.
	t.Setenv("GOMEMLIMIT", strconv.FormatInt(tr.limit.Value()/10*8, 10))
	begun := time.Now()
	controller := tr.start(t, server, "--metrics-address="+metrics, "--metrics-secure=false")
	var report *costReport
	eventually(t, 30*time.Minute, func() string {
		time.Sleep(5 * time.Second)
		report = readReport(t, []byte(tr.read(t, "report", mulliganBinary(), logs, "-o", "json")))
		if n := report.By["team"][namespace].Workloads; n < workloads {
			return fmt.Sprintf("%d of %d workloads decided", n, workloads)
		}
		return ""
	})
	took := time.Since(begun)
	calls := controllerCalls(t, metrics)
	t.Logf("%d failed Jobs decided after %v; %d API calls of the controller (%.2f a Job), %d MB of its limit of %v", workloads,
		took.Round(100*time.Millisecond), calls, float64(calls)/float64(workloads), peakMemory(t, controller), &tr.limit)
	if calls > 200+4*int64(workloads) {
		t.Errorf("%d API calls, want at most four a Job and two hundred", calls)
	}
	if limit := tr.limit.Value() >> 20; peakMemory(t, controller) > limit {
		t.Errorf("it took %d MB, more than its limit of %d", peakMemory(t, controller), limit)
	}
	tr.nothingWritten(t, namespace, trialHome)
}
