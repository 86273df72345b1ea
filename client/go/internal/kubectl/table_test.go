package kubectl

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	k8stypes "k8s.io/apimachinery/pkg/types"
)

const bigSetText = `
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: big, namespace: ml, uid: set-1, resourceVersion: "1"}
status: {conditions: [{type: Failed, status: "True", reason: FailedJobs}]}
`

const bigJobText = `
apiVersion: batch/v1
kind: Job
metadata:
  name: big-workers-0
  namespace: ml
  uid: job-9
  labels: {jobset.sigs.k8s.io/jobset-name: big}
  ownerReferences: [{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, name: big, uid: set-1, controller: true}]
`

// bigSet returns a gang of size members, one of which ran out of memory first.
func bigSet(t *testing.T, size int) []*unstructured.Unstructured {
	t.Helper()
	objects := []*unstructured.Unstructured{object(t, bigSetText), object(t, bigJobText)}
	member := object(t, strings.NewReplacer("name: train, uid: job-1", "name: big-workers-0, uid: job-9").Replace(podText))
	status := func(code int64, reason, second string) map[string]any {
		return map[string]any{"terminated": map[string]any{
			"exitCode": code, "reason": reason, "startedAt": "2026-11-03T09:00:05Z", "finishedAt": "2026-11-03T09:07:" + second + "Z"}}
	}
	for i := range size {
		pod := member.DeepCopy()
		pod.SetName(fmt.Sprintf("big-workers-0-%d", i))
		pod.SetUID(k8stypes.UID(fmt.Sprintf("member-%d", i)))
		pod.SetLabels(map[string]string{"jobset.sigs.k8s.io/jobset-name": "big"})
		state := status(1, "Error", "09")
		if i == size/2 {
			state = status(137, "OOMKilled", "00")
		}
		if err := unstructured.SetNestedSlice(pod.Object, []any{map[string]any{"name": "main", "state": state}}, "status", "containerStatuses"); err != nil {
			t.Fatal(err)
		}
		objects = append(objects, pod)
	}
	return objects
}

func TestListsTableInPages(t *testing.T) {
	api := newAPIServer(t, append(batchWork(t), bigSet(t, 2000)...)...)
	out, errOut, err := plugin(t, context.Background(), api, "why", "-A", "--mulligan="+recorder(t))
	if err != nil || errOut != "" {
		t.Fatalf("%v, %s", err, errOut)
	}
	_, text, _ := strings.Cut(out, "\n")
	list := struct{ Items []json.RawMessage }{}
	if err := json.Unmarshal([]byte(text), &list); err != nil || len(list.Items) != 2005 {
		t.Errorf("%d objects, %v, want all 2005", len(list.Items), err)
	}
	for i, request := range api.requests {
		listed := strings.HasSuffix(request, "/pods") || strings.HasSuffix(request, "/jobs") || strings.HasSuffix(request, "/events")
		if listed && api.limits[i] != fmt.Sprint(pageSize) {
			t.Errorf("%s with limit %q, want pages of %d", request, api.limits[i], pageSize)
		}
	}
}

// Gather's lists are paged, too.
func TestListsWorkloadInPages(t *testing.T) {
	api := newAPIServer(t, bigSet(t, 2000)...)
	_, errOut, err := plugin(t, context.Background(), api, "why", "jobset/big", "--mulligan="+recorder(t))
	if err != nil || !strings.Contains(errOut, "1500 of 2000 pods were left out") {
		t.Fatalf("%v, %s", err, errOut)
	}
	for i, request := range api.requests {
		if strings.HasSuffix(request, "/pods") && api.limits[i] != fmt.Sprint(pageSize) {
			t.Errorf("%s with limit %q, want pages of %d", request, api.limits[i], pageSize)
		}
	}
}

const cronText = `
apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly, namespace: ml, uid: cron-1}
`

// nightlyRun returns a Job of the CronJob, with its pod.
func nightlyRun(t *testing.T, name string) []*unstructured.Unstructured {
	t.Helper()
	job := object(t, strings.NewReplacer("name: train", "name: "+name, "job-1", "uid-"+name).Replace(jobText))
	owner := map[string]any{"apiVersion": "batch/v1", "kind": "CronJob", "name": "nightly", "uid": "cron-1", "controller": true}
	if err := unstructured.SetNestedSlice(job.Object, []any{owner}, "metadata", "ownerReferences"); err != nil {
		t.Fatal(err)
	}
	return []*unstructured.Unstructured{job, object(t, strings.NewReplacer("train-x7", name+"-x7", "name: train,", "name: "+name+",", "job-1", "uid-"+name, "pod-1", "pod-"+name).Replace(podText))}
}

func TestWhyOfCronJobListsItsJobs(t *testing.T) {
	objects := slices.Concat(batchWork(t), []*unstructured.Unstructured{object(t, cronText), object(t, imagePodText)}, nightlyRun(t, "nightly-1"), nightlyRun(t, "nightly-2"))
	out, _, err := plugin(t, context.Background(), newAPIServer(t, objects...), "why", "cronjob/nightly", "--mulligan="+recorder(t))
	if err != nil {
		t.Fatal(err)
	}
	for has, want := range map[string]bool{
		`"kind":"List"`: true, `"name":"nightly-1"`: true, `"name":"nightly-1-x7"`: true, `"name":"nightly-2-x7"`: true,
		`"name":"train-x7"`: false, `"name":"typo"`: false, "BackoffLimitExceeded": false, `"kind":"CronJob","metadata"`: false,
	} {
		if strings.Contains(out, has) != want {
			t.Errorf("%s listed: %v, want %v", has, !want, want)
		}
	}
	_, _, err = plugin(t, context.Background(), newAPIServer(t, object(t, cronText)), "why", "cj/nightly", "--mulligan="+recorder(t))
	if err == nil || !strings.Contains(err.Error(), "CronJob nightly has no Jobs") {
		t.Errorf("without Jobs: %v", err)
	}
}
