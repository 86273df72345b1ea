package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
)

// dashboard answers KubeRay's requests about Ray's jobs in the place of Ray.
type dashboard struct {
	lock sync.Mutex
	// Submission ids by namespace, in the order in which they were first requested.
	jobs map[string][]string
	// State and message of each job.
	states map[string][2]string
}

// startDashboard listens where scripts/control-plane sends KubeRay.
func startDashboard(port string) (*dashboard, error) {
	d := &dashboard{jobs: map[string][]string{}, states: map[string][2]string{}}
	if port == "" {
		return d, nil
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		return nil, err
	}
	go func() { _ = http.Serve(listener, d) }()
	return d, nil
}

// is sets the state and message of the nth Ray job of a namespace.
func (d *dashboard) is(namespace string, n int, state, message string) {
	d.lock.Lock()
	defer d.lock.Unlock()
	d.states[fmt.Sprint(namespace, n)] = [2]string{state, message}
}

func (d *dashboard) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	id := path.Base(request.URL.Path)
	if request.Method != http.MethodGet {
		fmt.Fprintf(w, `{"job_id": %q, "submission_id": %q}`, id, id)
		return
	}
	// SERVICE.NAMESPACE.svc.cluster.local
	namespace := strings.Split(request.Host+"..", ".")[1]
	d.lock.Lock()
	defer d.lock.Unlock()
	n := slices.Index(d.jobs[namespace], id)
	if n < 0 {
		n = len(d.jobs[namespace])
		d.jobs[namespace] = append(d.jobs[namespace], id)
	}
	state, ok := d.states[fmt.Sprint(namespace, n)]
	if !ok {
		state = [2]string{"RUNNING", "Job is currently running."}
	}
	answer := map[string]any{
		"submission_id": id, "job_id": id, "status": state[0], "message": state[1], "entrypoint": "python tune.py",
		"start_time": time.Now().Add(-5 * time.Second).UnixMilli(),
	}
	if state[0] != "RUNNING" {
		answer["end_time"] = time.Now().UnixMilli()
	}
	_ = json.NewEncoder(w).Encode(answer)
}
