package cluster

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// cost is one of a report, see docs/report.md.
type cost struct {
	Failures, Workloads                   int
	AcceleratorHours, CoreHours, PodHours float64
}

// told is what `report -o json` says.
type told struct {
	Lines, BadLines int
	All             cost
	By              map[string]map[string]cost
	Ends            map[string]cost
	Mend            []struct {
		What     string
		Examples []struct {
			Workload, Problem string
			FirstStep         struct{ Text, Actor string }
		}
	}
}

// report asks the plugin, and says what it told and how much memory it and the binary took
// at most.
func (c *cluster) report(t *testing.T, args ...string) (*told, int64) {
	t.Helper()
	text, megabytes := c.plugin(t, append([]string{"report", "-o", "json"}, args...)...)
	return readReport(t, text), megabytes
}

func readReport(t *testing.T, text string) *told {
	t.Helper()
	report := &told{}
	must(t, json.Unmarshal([]byte(text), report))
	return report
}

// Objects that the plugin asks for at once.
const pageOfPlugin = 500

// exitsWith ends all containers with code 1 and a termination message.
func exitsWith(pod *corev1.Pod, message string) bool {
	exits(pod, 1, "Error")
	for i := range pod.Status.ContainerStatuses {
		pod.Status.ContainerStatuses[i].State.Terminated.Message = message
	}
	return true
}

// numberFrom is that of an environment variable.
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

// mulliganBinary is the command line.
func mulliganBinary() string { return filepath.Join(filepath.Dir(os.Getenv("E2E_SERVER")), "mulligan") }
