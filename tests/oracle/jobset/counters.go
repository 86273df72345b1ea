package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"

	jobset "sigs.k8s.io/jobset/api/jobset/v1alpha2"
)

// restartCounters are members of a group's status since JobSet 0.12; read and
// written as JSON, so that the program builds with older releases.
type restartCounters struct {
	JobRestarts                []int32 `json:"jobRestarts,omitempty"`
	JobRestartsCountTowardsMax []int32 `json:"jobRestartsCountTowardsMax,omitempty"`
}

// withJobRestarts gives a group Jobs that were restarted one by one.
func withJobRestarts(random *rand.Rand, group jobset.ReplicatedJobStatus, replicas int) jobset.ReplicatedJobStatus {
	var counters restartCounters
	for range replicas {
		restarts := random.IntN(3)
		counters.JobRestarts = append(counters.JobRestarts, int32(restarts))
		counters.JobRestartsCountTowardsMax =
			append(counters.JobRestartsCountTowardsMax, int32(random.IntN(restarts+1)))
	}
	text, _ := json.Marshal(counters)
	if err := json.Unmarshal(text, &group); err != nil {
		panic(err)
	}
	return group
}

func countersOf(group jobset.ReplicatedJobStatus) restartCounters {
	var counters restartCounters
	text, _ := json.Marshal(group)
	if err := json.Unmarshal(text, &counters); err != nil {
		panic(err)
	}
	return counters
}

// counters returns all counters of a status by path. Reconcile lists the groups
// in random order, so they keep the positions they had.
func counters(before, after *jobset.JobSet, restartJob bool) map[string]any {
	counts := map[string]any{
		"restarts":                after.Status.Restarts,
		"restartsCountTowardsMax": after.Status.RestartsCountTowardsMax,
	}
	if !restartJob {
		return counts
	}
	for i, group := range before.Status.ReplicatedJobsStatus {
		for _, found := range after.Status.ReplicatedJobsStatus {
			if found.Name != group.Name {
				continue
			}
			read := countersOf(found)
			for index, count := range read.JobRestarts {
				counts[fmt.Sprintf("replicatedJobsStatus[%d].jobRestarts[%d]", i, index)] = count
			}
			for index, count := range read.JobRestartsCountTowardsMax {
				counts[fmt.Sprintf("replicatedJobsStatus[%d].jobRestartsCountTowardsMax[%d]", i, index)] = count
			}
		}
	}
	return counts
}

// counted returns how much of maxRestarts is used.
func counted(js *jobset.JobSet, restartJob bool) int32 {
	total := js.Status.RestartsCountTowardsMax
	if restartJob {
		for _, group := range js.Status.ReplicatedJobsStatus {
			for _, count := range countersOf(group).JobRestartsCountTowardsMax {
				total += count
			}
		}
	}
	return total
}
