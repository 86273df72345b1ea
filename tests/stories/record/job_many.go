package main

import "fmt"

const four = "backoffLimit: 12, completionMode: Indexed, completions: 4, parallelism: 4"

// restarted plays the pods of an Indexed Job after the first gang.
func (s *stage) restarted(count int) { allSucceed(s.gang(count)) }

// gang waits for pods that run together, and lets them run for a while.
func (s *stage) gang(count int) []*pod {
	pods := s.next(count)
	s.wait(3)
	return pods
}

// jobMany are Jobs of several pods.
func jobMany() []story {
	return []story{
		{
			name: "job-three-success", ends: "succeeded", note: "An Indexed Job of three pods that succeed one after the other.",
			play: func(s *stage) {
				s.create(job("backoffLimit: 6, completionMode: Indexed, completions: 3, parallelism: 3", never))
				for _, p := range s.gang(3) {
					p.succeeds()
					s.wait(1)
				}
			},
		},
		{
			name: "job-indexes-retried", truth: map[string]int{"memory": 1, "application": 1}, ends: "succeeded",
			note: "backoffLimitPerIndex 1: one index is killed at its memory limit, another exits with 1, independently; both succeed the second time.",
			play: func(s *stage) {
				s.create(job("backoffLimitPerIndex: 1, completionMode: Indexed, completions: 4, parallelism: 4", never))
				pods := s.gang(4)
				pods[1].outOfMemory()
				s.wait(6)
				pods[3].fails(traceback)
				pods[0].succeeds()
				pods[2].succeeds()
				s.next(1)[0].succeeds()
				s.next(1)[0].succeeds()
			},
		},
		{
			name: "job-index-failed", truth: map[string]int{"memory": 1, "application": 2}, ends: "failed",
			note: "backoffLimitPerIndex 1: one index is killed at its memory limit and then succeeds, another exits with 1 twice and is a failed index.",
			play: func(s *stage) {
				s.create(job("backoffLimitPerIndex: 1, completionMode: Indexed, completions: 4, parallelism: 4", never))
				pods := s.gang(4)
				pods[1].outOfMemory()
				s.wait(6)
				pods[3].fails(traceback)
				s.one().succeeds()
				s.one().fails(traceback)
				pods[0].succeeds()
				pods[2].succeeds()
			},
		},
		{
			name: "job-work-queue", truth: map[string]int{"memory": 1, "application": 1}, ends: "succeeded",
			note: "A work queue of three workers: one exits with 1, another is killed at its memory limit much later; both are replaced, then the queue is empty.",
			play: func(s *stage) {
				s.create(job("backoffLimit: 6, parallelism: 3", never))
				pods := s.gang(3)
				pods[0].fails(traceback)
				pods[0] = s.one()
				pods[1].outOfMemory()
				pods[1] = s.one()
				allSucceed(pods)
			},
		},
		{
			name: "job-gang-cascade", truth: map[string]int{"memory": 1}, ends: "succeeded",
			note: "A gang of four: one is killed at its memory limit, the others miss it and exit with 1 two seconds later; the next gang succeeds.",
			play: func(s *stage) {
				s.create(job(four, never))
				s.cascades(s.gang(4), 2, (*pod).outOfMemory)
				s.restarted(4)
			},
		},
		{
			name: "job-gang-drained", truth: map[string]int{"disruption": 1}, ends: "succeeded",
			note: "A gang of four: the node of one is drained, the others miss it and exit with 1 once its grace is over; the next gang succeeds.",
			play: func(s *stage) {
				s.create(job(four, never))
				pods := s.gang(4)
				s.evict(pods[1].name)
				replacement := s.next(1)
				for _, i := range []int{0, 2, 3} {
					pods[i].fails(fmt.Sprintf(peerLost, fmt.Sprint(i)))
				}
				allSucceed(append(s.gang(3), replacement...))
			},
		},
		{
			name: "job-gang-failed", truth: map[string]int{"memory": 1}, ends: "failed",
			note: "A gang of four whose Job allows no failure: one is killed at its memory limit, the Job controller deletes the others.",
			play: func(s *stage) {
				s.create(job("backoffLimit: 0, completionMode: Indexed, completions: 4, parallelism: 4", never))
				s.gang(4)[2].outOfMemory()
			},
		},
	}
}
