package cluster

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Pods of a JobSet that `why -A` lists, too.
const crowd = 2000

const crowdManifest = `
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: crowd}
spec:
  failurePolicy: {maxRestarts: 0}
  replicatedJobs:
    - name: workers
      replicas: 1
      template:
        spec:
          parallelism: 2000
          completions: 2000
          completionMode: Indexed
          backoffLimit: 0
          template:
            spec:
              restartPolicy: Never
              containers:
                - {name: trainer, image: "registry.local/trainer:1", resources: {limits: {memory: 64Mi}}}
`

func TestScenario22WhyWithTwoThousandPods(t *testing.T) {
	c := shared
	c.needs(t, "jobset")
	namespace := c.namespace(t)
	c.play(t, namespace, runsOutOfMemory)
	small := newJob(namespace, "tokenizer")
	must(t, c.Create(t.Context(), small))
	eventually(t, long, func() string {
		must(t, c.Get(t.Context(), client.ObjectKeyFromObject(small), small))
		if !isFailed(small) {
			return "the Job has not failed yet"
		}
		return ""
	})
	large := c.namespaceNamed(t, namespace+"-crowd")
	set := object(t, large, crowdManifest)
	must(t, c.Create(t.Context(), set))
	c.allRun(t, large, crowd)

	begun := time.Now()
	said, megabytes := c.why(t, "-A")
	t.Logf("why -A took %v and at most %d MB", time.Since(begun).Round(100*time.Millisecond), megabytes)
	for _, line := range []string{"JobSet " + large + "/crowd", "Job " + namespace + "/tokenizer"} {
		if !strings.Contains(said, line) {
			t.Errorf("no line for %s in\n%s", line, said)
		}
	}
	if megabytes > 400 {
		t.Errorf("the plugin took %d MB, want at most 400", megabytes)
	}
	said, megabytes = c.why(t, "jobset/crowd", "-n", large)
	if !strings.Contains(said, "JobSet "+large+"/crowd") || megabytes > 400 {
		t.Errorf("with %d MB the plugin said\n%s", megabytes, said)
	}
	must(t, c.Delete(t.Context(), set, client.PropagationPolicy("Background")))
}

func TestScenario22WhyOfCronJobListsItsJobs(t *testing.T) {
	t.Parallel()
	c := shared
	namespace := c.namespace(t)
	c.play(t, namespace, runsOutOfMemory)
	cron := newCronJob(namespace, "0 0 1 1 *")
	must(t, c.Create(t.Context(), cron))
	runs := []*batchv1.Job{runOf(cron, time.Now().Add(-time.Hour)), runOf(cron, time.Now().Add(-2*time.Hour))}
	for _, run := range runs {
		must(t, c.Create(t.Context(), run))
	}
	must(t, c.Create(t.Context(), newJob(namespace, "another")))
	eventually(t, long, func() string {
		for _, job := range c.jobs(t, namespace) {
			if !isFailed(&job) {
				return job.Name + " has not failed yet"
			}
		}
		return ""
	})
	said, _ := c.why(t, "cronjob/nightly", "-n", namespace)
	for _, run := range runs {
		if !strings.Contains(said, "Job "+namespace+"/"+run.Name) {
			t.Errorf("no line for %s in\n%s", run.Name, said)
		}
	}
	if strings.Contains(said, "another") {
		t.Errorf("a Job without an owner is listed:\n%s", said)
	}
}

// why runs the plugin, and returns its output and peak memory in megabytes.
func (c *cluster) why(t *testing.T, args ...string) (string, int64) {
	t.Helper()
	return c.plugin(t, append([]string{"why", "--local"}, args...)...)
}

// plugin runs the plugin with the binary. The memory is the larger of both.
func (c *cluster) plugin(t *testing.T, args ...string) (string, int64) {
	t.Helper()
	args = append(args, "--mulligan="+mulliganBinary())
	command := exec.CommandContext(t.Context(), filepath.Join(c.bin, "kubectl-mulligan"), args...)
	command.Env = append(os.Environ(), "KUBECONFIG="+filepath.Join(c.run, "kubeconfig"), "HOME="+t.TempDir())
	var said, complaints bytes.Buffer
	command.Stdout, command.Stderr = &said, &complaints
	if err := command.Run(); err != nil {
		t.Fatalf("kubectl-mulligan %v: %v\n%s", args, err, complaints.String())
	}
	return said.String(), command.ProcessState.SysUsage().(*syscall.Rusage).Maxrss >> 10
}
