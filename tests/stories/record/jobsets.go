package main

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// jobSet returns a JobSet's manifest with its failurePolicy and its replicated jobs.
func jobSet(policy string, jobs ...string) string {
	return fmt.Sprintf(`{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {name: pretrain}, spec: {failurePolicy: {%s}, replicatedJobs: [%s]}}`,
		policy, strings.Join(jobs, ", "))
}

// replicated returns a replicated job whose Jobs have `pods` pods each.
func replicated(name string, replicas, pods int, spec string) string {
	return fmt.Sprintf(`{name: %s, replicas: %d, template: {spec: {backoffLimit: 0, completionMode: Indexed, completions: %[3]d, parallelism: %[3]d%[4]s, template: {spec: {%[5]s}}}}}`,
		name, replicas, pods, spec, never)
}

var two = replicated("workers", 1, 2, "")

const failsOnDisruption = `, podFailurePolicy: {rules: [{action: FailJob, onPodConditions: [{type: DisruptionTarget, status: "True"}]}]}`

func jobSets_() []story {
	all := []story{
		{
			name: "jobset-success", ends: "succeeded", note: "A JobSet of two pods that succeeds at once.",
			play: func(s *stage) { s.create(jobSet("maxRestarts: 3", two)); s.restarted(2) },
		},
		{
			name: "jobset-oom", truth: map[string]int{"memory": 1}, ends: "succeeded",
			note: "One of two pods is killed at its memory limit, the JobSet restarts and succeeds.",
			play: func(s *stage) {
				s.create(jobSet("maxRestarts: 3", two))
				s.gang(2)[1].outOfMemory()
				s.restarted(2)
			},
		},
		{
			name: "jobset-three-causes", truth: map[string]int{"application": 1, "disruption": 1, "memory": 1}, ends: "succeeded",
			note: "Three restarts: one pod exits with 1, one is evicted, one is killed at its memory limit; the fourth attempt succeeds.",
			play: func(s *stage) {
				s.create(jobSet("maxRestarts: 3", two))
				s.gang(2)[0].fails(traceback)
				s.evict(s.gang(2)[1].name)
				s.gang(2)[1].outOfMemory()
				s.restarted(2)
			},
		},
		{
			name: "jobset-cascade", truth: map[string]int{"memory": 1}, ends: "succeeded",
			note: "Two replicated jobs: a worker is killed at its memory limit, the leader and the other worker miss it and exit with 1 or are deleted before; the restart succeeds.",
			play: func(s *stage) {
				s.create(jobSet("maxRestarts: 3", replicated("leader", 1, 1, ""), replicated("workers", 1, 2, "")))
				pods := s.gang(3)
				pods[1].outOfMemory()
				s.wait(0.2)
				pods[0].fails(fmt.Sprintf(peerLost, "0"))
				pods[2].fails(fmt.Sprintf(peerLost, "2"))
				s.restarted(3)
			},
		},
		{
			name: "jobset-max-restarts", truth: map[string]int{"application": 2}, ends: "failed",
			note: "A pod exits with 1 twice, once more than maxRestarts allows.",
			play: func(s *stage) {
				s.create(jobSet("maxRestarts: 1", two))
				s.gang(2)[0].fails(traceback)
				s.gang(2)[0].fails(traceback)
			},
		},
		{
			name: "jobset-no-restart", truth: map[string]int{"memory": 1}, ends: "failed",
			note: "A pod is killed at its memory limit; the JobSet allows no restart.",
			play: func(s *stage) { s.create(jobSet("maxRestarts: 0", two)); s.gang(2)[1].outOfMemory() },
		},
	}
	all = append(all, jobSetDisruptions()...)
	for i := range all {
		all[i].operator = "jobset"
	}
	return all
}

func jobSetDisruptions() []story {
	return []story{
		{
			name: "jobset-eviction-ignored", truth: map[string]int{"disruption": 2}, ends: "succeeded",
			note: "Two evictions, which the JobSet's failurePolicy does not count towards maxRestarts, then success.",
			play: func(s *stage) {
				s.create(jobSet("maxRestarts: 0, rules: [{name: disrupted, action: RestartJobSetAndIgnoreMaxRestarts, onJobFailureReasons: [PodFailurePolicy]}]",
					replicated("workers", 1, 2, failsOnDisruption)))
				s.evict(s.gang(2)[1].name)
				s.evict(s.gang(2)[0].name)
				s.restarted(2)
			},
		},
		{
			name: "jobset-suspended-and-resumed", ends: "succeeded", note: "The user suspends a running JobSet and resumes it.",
			play: func(s *stage) {
				s.create(jobSet("maxRestarts: 3", two))
				s.gang(2)
				s.patch(`{"spec": {"suspend": true}}`)
				s.wait(10)
				s.patch(`{"spec": {"suspend": false}}`)
				s.restarted(2)
			},
		},
		{
			name: "jobset-deleted", ends: "deleted", note: "The user deletes a running JobSet.",
			play: func(s *stage) {
				s.create(jobSet("maxRestarts: 3", two))
				s.gang(2)
				s.delete(metav1.DeletePropagationBackground)
			},
		},
	}
}
