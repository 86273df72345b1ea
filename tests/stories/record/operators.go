package main

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ray returns a RayJob's manifest; KubeRay asks its dashboard, which the recorder plays,
// for the state of Ray's own job.
func ray(spec string) string {
	const image = `image: "registry.example.com/research/ray:2.52.0", ` + limits
	return fmt.Sprintf(`{apiVersion: ray.io/v1, kind: RayJob, metadata: {name: tune}, spec: {entrypoint: python tune.py,
		shutdownAfterJobFinishes: true, %s, rayClusterSpec: {rayVersion: "2.52.0",
		headGroupSpec: {rayStartParams: {}, template: {spec: {containers: [{name: ray-head, %s}]}}},
		workerGroupSpecs: [{groupName: workers, replicas: 1, minReplicas: 1, maxReplicas: 1, rayStartParams: {},
			template: {spec: {containers: [{name: ray-worker, %[2]s}]}}}]}}}`, spec, image)
}

const (
	byHTTP = `submissionMode: HTTPMode, backoffLimit: 1`
	byJob  = `backoffLimit: 1, submitterPodTemplate: {spec: {restartPolicy: Never, containers: [
		{name: ray-job-submitter, image: "registry.example.com/research/ray:2.52.0"}]}}`
	played = " Ray's dashboard is played by the recorder."
)

// rayEnds ends the nth Ray job with this state, after it has run for a while.
func (s *stage) rayEnds(n int, state, message string) {
	s.wait(6)
	s.ray.is(s.namespace, n, state, message)
}

const finished = "Job finished successfully."

func rayJobs() []story {
	return []story{
		{
			name: "rayjob-success", ends: "succeeded", operator: "kuberay", note: "A RayJob that succeeds at once." + played,
			play: func(s *stage) { s.create(ray(byHTTP)); s.next(2); s.rayEnds(0, "SUCCEEDED", finished) },
		},
		{
			name: "rayjob-head-lost", truth: map[string]int{"disruption": 1}, ends: "succeeded", operator: "kuberay",
			note: "The head's pod is evicted; Ray's job is lost with it, KubeRay makes another cluster, the second attempt succeeds." + played,
			play: func(s *stage) {
				s.create(ray(byHTTP))
				head := s.gang(2)[0]
				s.wait(4)
				s.evict(head.name)
				s.wait(5)
				s.ray.is(s.namespace, 0, "FAILED", "Job supervisor actor died because its node has died. Expected termination: false.")
				s.rayRunsAgain(finished)
			},
		},
		{
			name: "rayjob-error", truth: map[string]int{"application": 1}, ends: "succeeded", operator: "kuberay",
			note: "Ray's job exits with 1, KubeRay makes another cluster in the version that tells of it, so that nobody else is ever asked; the second attempt succeeds; submitted over HTTP." + played,
			play: func(s *stage) {
				s.create(ray(byHTTP))
				s.next(2)
				s.rayEnds(0, "FAILED", "Job entrypoint command failed with exit code 1, last available logs (truncated to 20,000 chars):\n"+traceback)
				s.rayRunsAgain(finished)
			},
		},
		{
			name: "rayjob-submitter-error", truth: map[string]int{"application": 2}, unpaid: 4, ends: "failed", operator: "kuberay",
			note: "Ray's job exits with 1 twice, each time told by three pods of the submitter's Job; backoffLimit 1 allows no third attempt." + played,
			play: func(s *stage) {
				s.create(ray(byJob))
				for n := range 2 {
					pods := s.gang(3)
					s.wait(5)
					s.ray.is(s.namespace, n, "FAILED", "Job entrypoint command failed with exit code 1, last available logs (truncated to 20,000 chars):\n"+traceback)
					for _, p := range pods {
						if p.owner == "Job" {
							p.fails("")
						}
					}
					s.one().fails("")
					s.one().fails("")
				}
			},
		},
		{
			name: "rayjob-deleted", ends: "deleted", operator: "kuberay", note: "The user deletes a running RayJob." + played,
			play: func(s *stage) {
				s.create(ray(byHTTP))
				s.gang(2)
				s.wait(4)
				s.delete(metav1.DeletePropagationBackground)
			},
		},
	}
}

// rayRunsAgain lets the second Ray job succeed when its cluster runs; pods of the first
// one, recreated by KubeRay, may come before.
func (s *stage) rayRunsAgain(message string) {
	s.next(2)
	s.wait(12)
	s.ray.is(s.namespace, 1, "SUCCEEDED", message)
}

// trainJob returns a TrainJob's manifest, with its runtime.
func trainJob(policy string) string {
	return fmt.Sprintf(`{apiVersion: trainer.kubeflow.org/v1alpha1, kind: TrainingRuntime, metadata: {name: torch}, spec: {mlPolicy: {numNodes: 2, torch: {numProcPerNode: auto}},
	template: {spec: {%s, replicatedJobs: [{name: node, template: {metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}},
	spec: {backoffLimit: 0, template: {spec: {restartPolicy: Never, containers: [{name: node, image: "registry.example.com/research/trainer:1.4", %s}]}}}}}]}}}}
---
{apiVersion: trainer.kubeflow.org/v1alpha1, kind: TrainJob, metadata: {name: finetune}, spec: {runtimeRef: {apiGroup: trainer.kubeflow.org, kind: TrainingRuntime, name: torch}}}`, policy, limits)
}

func trainJobs() []story {
	return []story{
		{
			name: "trainjob-oom", truth: map[string]int{"memory": 1}, ends: "succeeded", operator: "trainer",
			note: "A TrainJob of two nodes, one of which is killed at its memory limit; its JobSet restarts and succeeds.",
			play: func(s *stage) {
				s.create(trainJob("failurePolicy: {maxRestarts: 1}"))
				s.gang(2)[1].outOfMemory()
				s.restarted(2)
			},
		},
		{
			name: "trainjob-failed", truth: map[string]int{"memory": 1}, ends: "failed", operator: "trainer",
			note: "A TrainJob of two nodes, one of which is killed at its memory limit; its runtime allows no restart.",
			play: func(s *stage) { s.create(trainJob("failurePolicy: {maxRestarts: 0}")); s.gang(2)[1].outOfMemory() },
		},
	}
}

// pyTorch returns a PyTorchJob with a master and a worker.
func pyTorch(policy string) string {
	replica := fmt.Sprintf(`{replicas: 1, restartPolicy: %s, template: {spec: {terminationGracePeriodSeconds: 30, containers: [
		{name: pytorch, image: "registry.example.com/research/trainer:1.4", %s}]}}}`, policy, limits)
	return `{apiVersion: kubeflow.org/v1, kind: PyTorchJob, metadata: {name: bert}, spec: {pytorchReplicaSpecs: {Master: ` + replica + `, Worker: ` + replica + `}}}`
}

func pyTorchJobs() []story {
	return []story{
		{
			name: "pytorchjob-oom", truth: map[string]int{"memory": 1}, ends: "succeeded", operator: "training-operator",
			note: "restartPolicy ExitCode: the worker is killed at its memory limit, the operator makes its pod again, both succeed.",
			play: func(s *stage) {
				s.create(pyTorch("ExitCode"))
				pods := s.gang(2)
				pods[1].outOfMemory()
				again := s.one()
				pods[0].succeeds()
				again.succeeds()
			},
		},
		{
			name: "pytorchjob-error", truth: map[string]int{"application": 1}, ends: "failed", operator: "training-operator",
			note: "restartPolicy ExitCode: the worker exits with 1, which is for good.",
			play: func(s *stage) { s.create(pyTorch("ExitCode")); s.gang(2)[1].fails(traceback) },
		},
		{
			name: "pytorchjob-restarts-in-place", truth: map[string]int{"application": 1}, ends: "succeeded", operator: "training-operator",
			note: "restartPolicy OnFailure: the kubelet restarts the worker's container, then both succeed.",
			play: func(s *stage) {
				s.create(pyTorch("OnFailure"))
				pods := s.gang(2)
				pods[1].fails(traceback)
				s.one()
				allSucceed(pods)
			},
		},
	}
}
