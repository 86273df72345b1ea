package main

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// jobEnds are Jobs of one pod at a time, which end by their program, by a limit, or
// because their user wants it.
func jobEnds() []story {
	return []story{
		{
			name: "job-success", ends: "succeeded", note: "A Job of one pod that succeeds at once.",
			play: func(s *stage) { s.create(job("backoffLimit: 6", never)); s.one().succeeds() },
		},
		{
			name: "job-oom-then-success", truth: map[string]int{"memory": 1}, ends: "succeeded",
			note: "The first pod is killed at its memory limit, the second succeeds.",
			play: func(s *stage) { s.create(job("backoffLimit: 6", never)); s.one().outOfMemory(); s.one().succeeds() },
		},
		{
			name: "job-two-errors-then-success", truth: map[string]int{"application": 2}, ends: "succeeded",
			note: "Two pods exit with 1, the third succeeds.",
			play: func(s *stage) {
				s.create(job("backoffLimit: 6", never))
				s.one().fails(traceback)
				s.one().fails(traceback)
				s.one().succeeds()
			},
		},
		{
			name: "job-backoff-limit", truth: map[string]int{"application": 3}, ends: "failed",
			note: "Three pods exit with 1, one more than the Job's backoffLimit of 2 allows.",
			play: func(s *stage) {
				s.create(job("backoffLimit: 2", never))
				for range 3 {
					s.one().fails(traceback)
				}
			},
		},
		{
			name: "job-image-missing", unpaid: 1, ends: "deleted",
			note: "The image does not exist; its pod waits in ImagePullBackOff until the user deletes the Job.",
			play: func(s *stage) {
				s.create(job("backoffLimit: 6", `restartPolicy: Never, terminationGracePeriodSeconds: 30,
					containers: [{name: trainer, image: "registry.example.com/research/trianer:1.4", `+limits+`}]`))
				s.wait(45)
				s.delete(metav1.DeletePropagationBackground)
			},
		},
		{
			name: "job-deadline", unpaid: 1, ends: "failed", note: "The Job runs beyond its activeDeadlineSeconds; no budget pays for that.",
			play: func(s *stage) { s.create(job("backoffLimit: 6, activeDeadlineSeconds: 12", never)); s.one() },
		},
		{
			name: "job-pod-deadline", unpaid: 1, ends: "failed",
			note: "The pod runs beyond the activeDeadlineSeconds of its own spec, and the Job allows no second one; no budget pays for that.",
			play: func(s *stage) {
				s.create(job("backoffLimit: 0", never+", activeDeadlineSeconds: 10"))
				p := s.one()
				s.wait(7)
				p.orders <- ending{code: 143, reason: "Error", podReason: "DeadlineExceeded", podMessage: "Pod was active on the node longer than the specified deadline"}
			},
		},
		{
			name: "job-crash-loop-then-success", truth: map[string]int{"application": 2}, ends: "succeeded",
			note: "restartPolicy OnFailure: the kubelet restarts the container twice, the second time after a back-off, then it succeeds.",
			play: func(s *stage) {
				s.create(job("backoffLimit: 6", onFailure))
				s.one().fails(traceback)
				s.one().fails(traceback)
				s.one().succeeds()
			},
		},
		{
			name: "job-crash-loop-until-limit", truth: map[string]int{"application": 2}, ends: "failed",
			note: "restartPolicy OnFailure: the kubelet restarts the container until the Job's backoffLimit of 2 is used up and stops the third run.",
			play: func(s *stage) {
				s.create(job("backoffLimit: 2", onFailure))
				for range 3 {
					s.one().fails(traceback)
				}
			},
		},
		{
			name: "job-suspended-and-resumed", ends: "succeeded", note: "The user suspends a running Job and resumes it; its pod gets a SIGTERM, nothing failed.",
			play: func(s *stage) {
				s.create(job("backoffLimit: 6", never))
				s.one()
				s.patch(`{"spec": {"suspend": true}}`)
				s.wait(10)
				s.patch(`{"spec": {"suspend": false}}`)
				s.one().succeeds()
			},
		},
		{
			name: "job-suspended", ends: "suspended", note: "The user suspends a running Job and leaves it so.",
			play: func(s *stage) {
				s.create(job("backoffLimit: 6", never))
				s.one()
				s.patch(`{"spec": {"suspend": true}}`)
			},
		},
		{
			name: "job-deleted", ends: "deleted", note: "The user deletes a running Job; the garbage collector deletes its pod.",
			play: func(s *stage) {
				s.create(job("backoffLimit: 6", never))
				s.one()
				s.delete(metav1.DeletePropagationBackground)
			},
		},
		{
			name: "job-deleted-in-foreground", ends: "deleted", note: "The user deletes a running Job, which stays until its pod is gone.",
			play: func(s *stage) {
				s.create(job("backoffLimit: 6", never))
				s.one()
				s.delete(metav1.DeletePropagationForeground)
			},
		},
		{
			name: "job-helper-ends-first", ends: "succeeded", note: "A helper beside the program ends with 0 while the program runs on.",
			play: func(s *stage) {
				s.create(job("backoffLimit: 6", `restartPolicy: Never, terminationGracePeriodSeconds: 30, containers: [`+main_+`, {`+helper+`}]`))
				p := s.one()
				p.orders <- ending{container: "log-shipper", reason: "Completed"}
				s.wait(5)
				p.orders <- ending{container: "trainer", reason: "Completed"}
			},
		},
		{
			name: "job-helper-restarts", ends: "succeeded", note: "restartPolicy OnFailure: a helper beside the program crashes and is restarted, the program does not notice.",
			play: func(s *stage) {
				s.create(job("backoffLimit: 6", `restartPolicy: OnFailure, terminationGracePeriodSeconds: 30, containers: [`+main_+`, {`+helper+`}]`))
				p := s.one()
				p.orders <- ending{container: "log-shipper", code: 2, reason: "Error", message: "panic: runtime error: invalid memory address or nil pointer dereference"}
				s.one()
				p.orders <- ending{container: "log-shipper", reason: "Completed"}
				p.orders <- ending{container: "trainer", reason: "Completed"}
			},
		},
		{
			name: "job-sidecar", ends: "succeeded", note: "A sidecar (an init container that is restarted always) gets its SIGTERM when the program has succeeded.",
			play: func(s *stage) {
				s.create(job("backoffLimit: 6", never+", initContainers: [{"+helper+", restartPolicy: Always}]"))
				s.one().succeeds()
			},
		},
	}
}
