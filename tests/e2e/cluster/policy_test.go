package cluster

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

var retryPolicyKind = schema.GroupVersionKind{Group: "mulligan.dev", Version: "v1", Kind: "RetryPolicy"}

const patientPolicy = `
apiVersion: mulligan.dev/v1
kind: RetryPolicy
metadata: {name: patient, annotations: {mulligan.dev/description: Tries twice}}
spec:
  selector: {namespaces: [retrypolicyiscarriedfromthecluster]}
  budgets: {tries: {limit: 2}}
  default: {action: RETRY, budget: tries, backoff: {initial: 1s}}
`

// mount updates a folder from a ConfigMap, like the kubelet.
func (c *cluster) mount(t *testing.T, key client.ObjectKey, folder string, changed func()) {
	go func() {
		last := ""
		for t.Context().Err() == nil {
			time.Sleep(200 * time.Millisecond)
			published := &corev1.ConfigMap{}
			if c.Get(t.Context(), key, published) != nil || published.ResourceVersion == last {
				continue
			}
			last = published.ResourceVersion
			for name, text := range published.Data {
				if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
					t.Error(err)
				}
			}
			changed()
		}
	}()
}

func TestRetryPolicyIsCarriedFromTheCluster(t *testing.T) {
	t.Parallel()
	c := *shared
	text, err := os.ReadFile("../../../deploy/controller/retrypolicies.yaml")
	must(t, err)
	crd := &unstructured.Unstructured{}
	must(t, yaml.Unmarshal(text, &crd.Object))
	must(t, c.Create(t.Context(), crd))
	namespace := c.namespace(t)
	folder := filepath.Join(t.TempDir(), "policies")
	must(t, os.MkdirAll(folder, 0o755))
	must(t, os.WriteFile(filepath.Join(folder, "first.yaml"), []byte(strings.Replace(patientPolicy, "name: patient, annotations: {mulligan.dev/description: Tries twice}", "name: first", 1)), 0o644))
	server := c.serverFor(t, "server-of-policies", folder, controllerName)
	c.server = server.address
	policy := &unstructured.Unstructured{}
	must(t, yaml.Unmarshal([]byte(patientPolicy), &policy.Object))
	policy.SetGroupVersionKind(retryPolicyKind)
	eventually(t, long, func() string {
		if err := c.Create(t.Context(), policy.DeepCopy()); err != nil {
			return err.Error()
		}
		return ""
	})
	t.Cleanup(func() { _ = c.Delete(context.Background(), crd) })
	key := client.ObjectKey{Namespace: home, Name: "mulligan-retry-policies"}
	c.mount(t, key, folder, func() {
		_ = os.Remove(filepath.Join(folder, "first.yaml"))
		_ = server.command.Process.Signal(syscall.SIGHUP)
	})
	c.startController(t, namespace, "act", "--retry-policies", "--leader-elect")

	said := func(kind string) string {
		must(t, c.Get(t.Context(), client.ObjectKeyFromObject(policy), policy))
		held := conditionOf(policy, kind)
		return held.status + ": " + held.message
	}
	expect := func(kind, want string) {
		t.Helper()
		eventually(t, long, func() string {
			if got := said(kind); !strings.Contains(got, want) {
				return got
			}
			return ""
		})
	}
	expect("Accepted", "True")
	expect("Loaded", "True: Loaded with revision")

	// An error shows its position, and the last version stays in force.
	must(t, c.Get(t.Context(), client.ObjectKeyFromObject(policy), policy))
	must(t, unstructured.SetNestedField(policy.Object, "nobody", "spec", "default", "budget"))
	must(t, c.Update(t.Context(), policy))
	expect("Accepted", "False: ")
	if got := said("Accepted"); !strings.Contains(got, "nobody") || !placed(got) {
		t.Errorf("condition %q, want line, column and the budget's name", got)
	}
	expect("Loaded", "False: The last valid version stays in force.")

	// Decided by the policy from the cluster.
	c.play(t, namespace, func(pod *corev1.Pod) bool { return exits(pod, 1, "Error") })
	must(t, c.Create(t.Context(), newJob(namespace, "train")))
	jobs := c.attempts(t, namespace, 3)
	if got := used(t, &jobs[1], "tries"); got != 2 {
		t.Errorf("%d charged to tries, want 2", got)
	}
}

// placed returns whether a message begins with "LINE:COLUMN: ".
func placed(condition string) bool {
	var line, column int
	_, message, _ := strings.Cut(condition, ": ")
	n, _ := fmt.Sscanf(message, "%d:%d:", &line, &column)
	return n == 2
}
