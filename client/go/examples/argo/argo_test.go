// Package argo has a workflow whose steps run under `mulligan run`, and this test of
// it: Argo's own types read it and its expression library decides.
package argo

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	wfv1 "github.com/argoproj/argo-workflows/v4/pkg/apis/workflow/v1alpha1"
	"github.com/argoproj/argo-workflows/v4/util/expr/argoexpr"
	"github.com/argoproj/argo-workflows/v4/util/expr/env"
	"sigs.k8s.io/yaml"
)

func strategy(t *testing.T) *wfv1.RetryStrategy {
	t.Helper()
	text, err := os.ReadFile("workflow.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var workflow wfv1.Workflow
	if err := yaml.UnmarshalStrict(text, &workflow); err != nil {
		t.Fatal(err)
	}
	return workflow.Spec.Templates[0].RetryStrategy
}

// retried answers as Argo's processNodeRetries does with this scope, whose values are
// texts; an exit code of -1 is that of a pod whose main container has no status.
func retried(t *testing.T, exitCode int, status wfv1.NodePhase, message string) bool {
	t.Helper()
	again, err := argoexpr.EvalBool(strategy(t).Expression, env.GetFuncMap(map[string]any{
		"retries":            "0",
		"lastRetry.exitCode": strconv.Itoa(exitCode), "lastRetry.status": string(status),
		"lastRetry.duration": "1.5", "lastRetry.message": message,
	}))
	if err != nil {
		t.Fatal(err)
	}
	return again
}

func TestTheExpressionDecidesAlone(t *testing.T) {
	found := strategy(t)
	if policy := found.RetryPolicyActual(); policy != wfv1.RetryPolicyAlways {
		t.Errorf("retryPolicy %s: errors of nodes never reach the expression", policy)
	}
	if found.Limit == nil {
		t.Error("no limit: Argo does not wait for the backoff then")
	}
}

// The messages are those of Argo's inferFailedReason and of the kubelet.
func TestEndsOfSteps(t *testing.T) {
	for _, each := range []struct {
		exitCode int
		status   wfv1.NodePhase
		message  string
		again    bool
	}{
		{75, wfv1.NodeFailed, "main: Error (exit code 75)", true},
		{1, wfv1.NodeFailed, "main: Error (exit code 1)", false},
		{2, wfv1.NodeFailed, "main: Error (exit code 2)", false},
		{143, wfv1.NodeFailed, "main: Error (exit code 143)", true},
		{143, wfv1.NodeFailed, "Pod was terminated in response to imminent node shutdown.", true},
		{143, wfv1.NodeFailed, "Pod was active on the node longer than the specified deadline", false},
		{137, wfv1.NodeFailed, "main: Error (exit code 137)", true},
		{137, wfv1.NodeFailed, "main: OOMKilled (exit code 137)", false},
		{-1, wfv1.NodeFailed, "The node was low on resource: memory. ", true},
		{-1, wfv1.NodeFailed, "Pod ephemeral local storage usage exceeds the total limit of containers 1Gi. ", false},
		{-1, wfv1.NodeFailed, `Container main exceeded its local ephemeral storage limit "1Gi". `, false},
		{-1, wfv1.NodeError, "pod deleted", true},
		{64, wfv1.NodeFailed, "main: Error (exit code 64): failed to find name in PATH", false},
		{1, wfv1.NodeError, "wait: Error (exit code 1): upload of outputs failed", true},
	} {
		if got := retried(t, each.exitCode, each.status, each.message); got != each.again {
			t.Errorf("%s, exit code %d, %q: retried %t, want %t", each.status, each.exitCode,
				each.message, got, each.again)
		}
	}
}

// mulligan runs script as a step would and returns the exit code and the node's message
// with the last line, which FallbackToLogsOnError makes the container's message.
func mulligan(t *testing.T, script string) (int, string) {
	t.Helper()
	bin := os.Getenv("MULLIGAN_BIN")
	if bin == "" {
		t.Skip("MULLIGAN_BIN, the folder of the binaries, is not set")
	}
	command := exec.Command(filepath.Join(bin, "mulligan"), "run", "--max-wait", "0s", "--", "sh", "-c", script)
	output, err := command.CombinedOutput()
	var ended *exec.ExitError
	if !errors.As(err, &ended) {
		t.Fatalf("%v: %s", err, output)
	}
	lines := strings.Split(strings.TrimSpace(string(output)), "\n")
	return ended.ExitCode(), fmt.Sprintf("main: Error (exit code %d): %s", ended.ExitCode(), lines[len(lines)-1])
}

func TestWhatRunLeaves(t *testing.T) {
	for _, each := range []struct {
		title, script string
		exitCode      int
		message       string
		again         bool
	}{
		{"a passing failure", "echo 'ConnectionError: 503 Service Unavailable' >&2; exit 1", 75, "retry", true},
		{"one that stays", "echo \"ModuleNotFoundError: No module named 'flash_attn'\" >&2; exit 3", 3, "a Python module is missing", false},
		{"its own 75 for good", "echo \"ModuleNotFoundError: No module named 'flash_attn'\" >&2; exit 75", 1, "a Python module is missing", false},
	} {
		t.Run(each.title, func(t *testing.T) {
			code, message := mulligan(t, each.script)
			if code != each.exitCode || !strings.Contains(message, each.message) {
				t.Errorf("exit code %d, %q; want %d, %q", code, message, each.exitCode, each.message)
			}
			if got := retried(t, code, wfv1.NodeFailed, message); got != each.again {
				t.Errorf("%q: retried %t, want %t", message, got, each.again)
			}
		})
	}
}
