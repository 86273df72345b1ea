package controller

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"mulligan.dev/mulligan/internal/controller/kinds"
	"mulligan.dev/mulligan/internal/controller/records"
	"mulligan.dev/mulligan/internal/testing/realserver"
)

func startOf(attempt int64) time.Time {
	return time.Now().Add(time.Duration(attempt-3) * time.Minute).UTC()
}

// rayJobAt is a RayJob with the status that KubeRay 1.6 gives it.
func rayJobAt(state string, attempt, failed int64) *unstructured.Unstructured {
	letter := string(rune('a' + attempt))
	status := map[string]any{
		"jobDeploymentStatus": state, "jobStatus": "RUNNING", "failed": failed,
		"jobId": "train-" + letter, "rayClusterName": "train-" + letter,
		"startTime": startOf(attempt).Format(time.RFC3339),
	}
	if state == "Retrying" {
		status["jobStatus"], status["reason"] = "FAILED", "AppFailed"
		status["message"] = "Job entrypoint command failed with exit code 1, last available logs:\nModuleNotFoundError: No module named 'flash_attn'\n"
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "ray.io/v1", "kind": "RayJob",
		"metadata": map[string]any{
			"name": "train", "namespace": "ml", "uid": "uid-train", "generation": int64(1),
			"annotations": map[string]any{records.Policy: ""},
		},
		"spec":   map[string]any{"backoffLimit": int64(5), "shutdownAfterJobFinishes": true},
		"status": status,
	}}
}

// submitterOf is the failed pod that submitted an attempt.
func submitterOf(attempt int64) *corev1.Pod {
	pod := podOf(failedJob())
	pod.Name = fmt.Sprint("train-", attempt)
	pod.UID = types.UID("uid-" + pod.Name)
	pod.CreationTimestamp = metav1.NewTime(startOf(attempt))
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "ray-job-submitter", State: corev1.ContainerState{
		Terminated: &corev1.ContainerStateTerminated{ExitCode: 1, Reason: "Error", Message: "ModuleNotFoundError: No module named 'flash_attn'", FinishedAt: metav1.NewTime(startOf(attempt).Add(10 * time.Second))},
	}}}
	return pod
}

// KubeRay clears how an attempt failed within a tenth of a second, long before a look.
func TestALoopIsSeenInVersionsThatNoLookReads(t *testing.T) {
	service := realserver.Start(t).Dial(t)
	w := newWorld(t, nil, rayJobAt("Running", 1, 0))
	w.kind = kinds.ByGroupKind(schema.GroupKind{Group: "ray.io", Kind: "RayJob"})
	w.asker.decider = service
	for attempt := int64(1); attempt <= 2; attempt++ {
		w.asker.evidence.Keep("uid-train", submitterOf(attempt))
		if attempt == 2 {
			// The submitters of the first and the next attempt, which end in the same way.
			w.asker.evidence.Keep("uid-train", submitterOf(1))
			w.asker.evidence.Keep("uid-train", submitterOf(4))
		}
		w.noteRetrying(rayJobAt("Retrying", attempt, attempt))
		now := w.unstructured(t, "train")
		now.Object["status"] = rayJobAt("Running", attempt+1, attempt).Object["status"]
		w.noteRetrying(now)
		if err := w.client.Update(t.Context(), now); err != nil {
			t.Fatal(err)
		}
		w.look(t)
		w.clock = w.clock.Add(operatorsTurn)
		w.look(t)
		want, stops := "LeftToItsOperator ", false
		if attempt == 2 {
			want, stops = "Stopped ", true
		}
		said := w.said()
		suspended, _, _ := unstructured.NestedBool(w.unstructured(t, "train").Object, "spec", "suspend")
		if !strings.Contains(said, want) || !strings.Contains(said, "flash_attn") || suspended != stops {
			t.Errorf("attempt %d: suspended %v, Events %q, want %s", attempt, suspended, said, want)
		}
	}
}
