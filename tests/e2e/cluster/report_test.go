package cluster

import (
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
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// cost is one of a report, see docs/report.md.
type cost struct {
	Failures, Workloads                   int
	AcceleratorHours, CoreHours, PodHours float64
}

// told is what `report -o json` says.
type told struct {
	BadLines, GoodEnds int
	All                cost
	By                 map[string]map[string]cost
	Ends               map[string]cost
	Mend               []struct {
		What     string
		Examples []struct {
			Workload, Problem string
			FirstStep         struct{ Text, Actor string }
		}
	}
}

// A part of a report in one place: who failed of what, and who is to do something about it.
type mending struct{ workload, problem, actor string }

// happened is what is played, one workload each, and what a report is to say of it.
var happened = []struct {
	workload, cause, domain, kind, end string
	// Core-hours per hour of one of its pods.
	cores float64
	mend  mending
}{
	{"tokenizer", "CONTAINER_OOM", "RESOURCE_LIMIT", "Job", "givenUp", 2, mending{problem: "at its memory limit of 1Gi", actor: "USER"}},
	{"reader", "CONFIG_USER_ERROR", "CONFIGURATION", "Job", "givenUp", 3, mending{problem: "No module named 'torchvision'", actor: "USER"}},
	{"spot", "SPOT_RECLAIMED", "DISRUPTION", "Job", "completed", 5, mending{problem: "spot-", actor: "NOBODY"}},
	{"typo", "IMAGE_DENIED", "CONFIGURATION", "Job", "notKnown", 0, mending{problem: "registry.local/trianer:1", actor: "USER"}},
	{"pretrain", "CONTAINER_OOM", "RESOURCE_LIMIT", "JobSet", "givenUp", 7, mending{problem: "at its memory limit of 1Gi", actor: "USER"}},
	{"tune", "DEADLINE_JOB", "DEADLINE", "RayJob", "givenUp", 1, mending{problem: "deadline", actor: "USER"}},
}

// plays makes the Jobs, JobSet and RayJob of a namespace fail so. With once, whoever is
// started again comes through.
func (c *cluster) plays(t *testing.T, namespace string) {
	t.Helper()
	gang := gangFails()
	c.play(t, namespace, func(pod *corev1.Pod) bool {
		switch of := pod.Labels["job-name"]; {
		case pod.Labels["jobset.sigs.k8s.io/jobset-name"] != "":
			return gang(pod)
		case pod.Labels["ray.io/cluster"] != "":
			return false
		case of == "tokenizer":
			return runsOutOfMemory(pod)
		case of == "reader":
			return exitsWith(pod, "ModuleNotFoundError: No module named 'torchvision'")
		case strings.HasPrefix(pod.Spec.NodeName, "spot-"):
			return isTakenAway(pod)
		case of == "typo":
			return cannotPull(pod, `failed to pull and unpack image "registry.local/trianer:1": failed to resolve reference "registry.local/trianer:1": pull access denied, repository does not exist or may require authorization: authorization failed: no basic auth credentials`)
		}
		return succeeds(pod)
	})
	for _, name := range []string{"tokenizer", "reader", "spot", "typo"} {
		job := newJob(namespace, name)
		pod := &job.Spec.Template
		setCores(&pod.Spec.Containers[0], coresOf(name))
		switch name {
		case "spot":
			job.Spec.BackoffLimit = new(int32)
			*job.Spec.BackoffLimit = 1
			pod.Spec.Tolerations = []corev1.Toleration{{Key: spotKey, Operator: corev1.TolerationOpExists}}
		case "typo":
			pod.Annotations = map[string]string{byHand: "true"}
			pod.Spec.Containers[0].Image = "registry.local/trianer:1"
		}
		must(t, c.Create(t.Context(), job))
	}
}
