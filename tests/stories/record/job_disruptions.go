package main

import (
	"time"

	"k8s.io/apimachinery/pkg/types"
)

const ignoring = `podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: DisruptionTarget, status: "True"}]}]}`

func drains(spec string, times int) func(*stage) {
	return func(s *stage) {
		s.create(job(spec, never))
		for range times {
			p := s.one()
			s.drain(p.node)
			time.AfterFunc(8*time.Second, func() { s.cordon(p.node, false) })
		}
		s.one().succeeds()
	}
}

// jobDisruptions are Jobs whose pods are disrupted.
func jobDisruptions() []story {
	disruption := map[string]int{"disruption": 1}
	return []story{
		{
			name: "job-drained", truth: disruption, ends: "succeeded",
			note: "The node is drained; the pod runs on for seconds and exits with 143, the next one succeeds.",
			play: drains("backoffLimit: 6", 1),
		},
		{
			name: "job-drained-failed-before-replaced", truth: disruption, ends: "succeeded",
			note: "The node is drained; with podReplacementPolicy Failed the next pod comes when the first has failed.",
			play: drains("backoffLimit: 6, podReplacementPolicy: Failed", 1),
		},
		{
			name: "job-drained-killed", truth: disruption, ends: "succeeded",
			note: "The node is drained; the program ignores SIGTERM and is killed with 137 at the end of its grace of 8 s.",
			play: func(s *stage) {
				s.onTerm.after, s.onTerm.code = 8*time.Second, 137
				s.create(job("backoffLimit: 6", `restartPolicy: Never, terminationGracePeriodSeconds: 8, containers: [`+main_+`]`))
				s.drain(s.one().node)
				s.one().succeeds()
			},
		},
		{
			name: "job-drained-exits-with-0", truth: disruption, ends: "succeeded",
			note: "The node is drained; the program exits with 0 at SIGTERM, but the Job has counted its pod as failed when it was marked: the next one does the work again.",
			play: func(s *stage) {
				s.onTerm.code = 0
				s.create(job("backoffLimit: 6", never))
				s.drain(s.one().node)
				s.one().succeeds()
			},
		},
		{
			name: "job-drained-but-finished", truth: map[string]int{"disruption": 1}, ends: "succeeded",
			note: "The node is drained; the program ends its work within the grace and exits with 0; with podReplacementPolicy Failed the Job waits for that and is complete. A drain is charged when it is announced, since most Jobs are started again then.",
			play: func(s *stage) {
				s.onTerm.code = 0
				s.create(job("backoffLimit: 6, podReplacementPolicy: Failed", never))
				s.drain(s.one().node)
			},
		},
		{
			name: "job-drained-five-times", truth: map[string]int{"disruption": 5}, ends: "succeeded",
			note: "Five drains, each counted by the Job's backoffLimit of 6, then success.",
			play: drains("backoffLimit: 6", 5),
		},
		{
			name: "job-drained-five-times-ignored", truth: map[string]int{"disruption": 5}, ends: "succeeded",
			note: "Five drains, which the Job's podFailurePolicy ignores, then success.",
			play: drains("backoffLimit: 1, "+ignoring, 5),
		},
		{
			name: "job-drained-on-failure", truth: disruption, ends: "succeeded",
			note: "restartPolicy OnFailure: the node is drained, the kubelet does not restart a pod that is deleted, the next one succeeds.",
			play: func(s *stage) {
				s.create(job("backoffLimit: 6", onFailure))
				s.drain(s.one().node)
				s.one().succeeds()
			},
		},
		{
			name: "job-preempted", truth: disruption, ends: "succeeded", nodes: 1,
			note: "The scheduler preempts the pod for one of higher priority; its replacement waits until that one has ended.",
			play: func(s *stage) {
				const half = `resources: {requests: {cpu: "5"}}`
				s.create(job("backoffLimit: 6", `restartPolicy: Never, terminationGracePeriodSeconds: 30,
					containers: [{name: trainer, image: "registry.example.com/research/trainer:1.4", `+half+`}]`))
				s.one()
				s.create(`{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: urgent}, value: 1000}
---
{apiVersion: v1, kind: Pod, metadata: {name: inference, namespace: job-preempted-others}, spec: {priorityClassName: urgent,
	restartPolicy: Never, containers: [{name: server, image: "registry.example.com/serving/server:3", ` + half + `}]}}`)
				s.one().succeeds()
			},
		},
		{
			name: "job-tainted", truth: disruption, ends: "succeeded",
			note: "The node gets a NoExecute taint for maintenance; the taint manager deletes the pod.",
			play: func(s *stage) {
				s.create(job("backoffLimit: 6", never))
				s.patchNode(s.one().node, types.MergePatchType, `{"spec": {"taints": [{"key": "example.com/maintenance", "effect": "NoExecute"}]}}`)
				s.one().succeeds()
			},
		},
	}
}
