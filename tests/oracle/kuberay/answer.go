package main

// actions are the actions of the states. Other states imply none.
var actions = map[string]string{
	"Failed": "FAIL", "Retrying": "RETRY", "Complete": "IGNORE", "Suspending": "IGNORE", "Suspended": "IGNORE",
	"Initializing": "WAIT",
}

func number(count *int32) int32 {
	if count == nil {
		return 0
	}
	return *count
}

// expectation returns the status after the pass, under the names of `expect`.
func expectation(did outcome) map[string]any {
	if did.leftAlone {
		return map[string]any{"verdict": []string{"None"}, "action": []string{"IGNORE"}}
	}
	state := string(did.status.JobDeploymentStatus)
	expect := map[string]any{
		"verdict": []string{state}, "reason": []string{string(did.status.Reason)}, "message": did.status.Message,
		"counters": map[string]any{"failed": number(did.status.Failed), "succeeded": number(did.status.Succeeded)}}
	if state == "" {
		expect["verdict"] = []string{"None"}
	}
	if action, ok := actions[state]; ok {
		expect["action"] = []string{action}
	}
	return expect
}
