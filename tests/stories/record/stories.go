package main

import "fmt"

func stories() []story {
	var all []story
	for _, some := range [][]story{
		jobEnds(), jobDisruptions(), jobNodes(), jobMany(), jobSets_(), rayJobs(), trainJobs(), pyTorchJobs(),
	} {
		all = append(all, some...)
	}
	return all
}

const (
	limits = `resources: {requests: {cpu: "1", memory: 2Gi}, limits: {memory: 2Gi}}`
	main_  = `{name: trainer, image: "registry.example.com/research/trainer:1.4", ` + limits + `}`
	helper = `name: log-shipper, image: "registry.example.com/platform/log-shipper:2.1"`
	never  = `restartPolicy: Never, terminationGracePeriodSeconds: 30, containers: [` + main_ + `]`
	// The kubelet restarts its container.
	onFailure = `restartPolicy: OnFailure, terminationGracePeriodSeconds: 30, containers: [` + main_ + `]`

	traceback = "Traceback (most recent call last):\n  File \"/app/train.py\", line 212, in <module>\n    loss = step(batch)\n" +
		"RuntimeError: worker lost its temper\n"
	peerLost = "[rank%s]: torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:2345, remote process exited or there was a network error\n" +
		"ncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.\n"
)

// job returns a Job's manifest from fields of its spec and its pods' spec.
func job(spec, pod string) string {
	return fmt.Sprintf(`{apiVersion: batch/v1, kind: Job, metadata: {name: train}, spec: {%s, template: {spec: {%s}}}}`, spec, pod)
}

// cascades ends one member, and two seconds later the others, which lost it.
func (s *stage) cascades(gang []*pod, root int, dies func(*pod)) {
	dies(gang[root])
	s.wait(2)
	for i, p := range gang {
		if i != root {
			p.fails(fmt.Sprintf(peerLost, fmt.Sprint(i)))
		}
	}
}
