package main

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"
)

// stage is a story's own namespace and pool of nodes.
type stage struct {
	*kubelet
	ctx     context.Context
	dynamic dynamic.Interface
	ray     *dashboard
	// The story's own object: the last of the manifest that was created first.
	top *unstructured.Unstructured
}

// patience is the timeout of every step.
const patience = 4 * time.Minute

// trouble is what a story panics with.
type trouble struct{ error }

func check(err error) {
	if err != nil {
		panic(trouble{err})
	}
}

// create creates the objects of a manifest in the story's namespace, with the pods on its
// nodes.
func (s *stage) create(manifest string) {
	first := s.top == nil
	for _, text := range strings.Split(manifest, "\n---\n") {
		obj := &unstructured.Unstructured{}
		check(yaml.Unmarshal([]byte(text), &obj.Object))
		if obj.GetNamespace() == "" {
			obj.SetNamespace(s.namespace)
		}
		s.select_(obj.Object)
		made, err := s.objects(obj).Create(s.ctx, obj, metav1.CreateOptions{})
		check(err)
		if first {
			s.top = made
		}
	}
}

// select_ makes all pods of an object run in the story's pool.
func (s *stage) select_(value any) {
	switch value := value.(type) {
	case []any:
		for _, inner := range value {
			s.select_(inner)
		}
	case map[string]any:
		for _, inner := range value {
			s.select_(inner)
		}
		if value["containers"] != nil {
			value["nodeSelector"] = map[string]any{"pool": s.namespace}
		}
	}
}

func (s *stage) objects(obj *unstructured.Unstructured) dynamic.ResourceInterface {
	gvk := obj.GroupVersionKind()
	gvr := schema.GroupVersionResource{
		Group: gvk.Group, Version: gvk.Version, Resource: strings.ToLower(gvk.Kind) + "s",
	}
	if gvk.Kind == "PriorityClass" {
		gvr.Resource = "priorityclasses"
		return s.dynamic.Resource(gvr)
	}
	return s.dynamic.Resource(gvr).Namespace(obj.GetNamespace())
}

// next waits until `count` pods have started, and returns them by name.
func (s *stage) next(count int) []*pod {
	var pods []*pod
	limit := time.After(patience)
	for len(pods) < count {
		select {
		case p := <-s.started:
			pods = append(pods, p)
		case <-limit:
			panic(trouble{fmt.Errorf("%d pods run, want %d", len(pods), count)})
		}
	}
	sort.Slice(pods, func(i, j int) bool { return pods[i].name < pods[j].name })
	return pods
}

// one waits for the next pod that runs, and lets it run for a while.
func (s *stage) one() *pod {
	p := s.next(1)[0]
	s.wait(3)
	return p
}

func (s *stage) wait(seconds float64) { time.Sleep(time.Duration(seconds * float64(time.Second))) }

func (p *pod) succeeds()            { p.orders <- ending{reason: "Completed"} }
func (p *pod) outOfMemory()         { p.orders <- ending{code: 137, reason: "OOMKilled"} }
func (p *pod) fails(message string) { p.orders <- ending{code: 1, reason: "Error", message: message} }

func allSucceed(pods []*pod) {
	for _, p := range pods {
		p.succeeds()
	}
}

// drain acts like kubectl drain: it cordons the node and evicts its pods.
func (s *stage) drain(n *node) {
	s.cordon(n, true)
	pods, err := s.CoreV1().Pods(s.namespace).List(s.ctx, metav1.ListOptions{FieldSelector: "spec.nodeName=" + n.name})
	check(err)
	for _, pod := range pods.Items {
		if pod.DeletionTimestamp == nil && pod.Status.Phase == corev1.PodRunning {
			s.evict(pod.Name)
		}
	}
}

func (s *stage) evict(pod string) {
	check(s.PolicyV1().Evictions(s.namespace).Evict(s.ctx, &policyv1.Eviction{
		ObjectMeta: metav1.ObjectMeta{Name: pod, Namespace: s.namespace},
	}))
}

func (s *stage) cordon(n *node, on bool) {
	s.patchNode(n, types.MergePatchType, fmt.Sprintf(`{"spec": {"unschedulable": %v}}`, on))
}

func (s *stage) patchNode(n *node, kind types.PatchType, patch string) {
	_, err := s.CoreV1().Nodes().Patch(s.ctx, n.name, kind, []byte(patch), metav1.PatchOptions{})
	check(err)
}

// patch changes the story's own object, as its user.
func (s *stage) patch(patch string) {
	_, err := s.objects(s.top).Patch(s.ctx, s.top.GetName(), types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	check(err)
}

// delete deletes the story's own object, as its user.
func (s *stage) delete(policy metav1.DeletionPropagation) {
	check(s.objects(s.top).Delete(s.ctx, s.top.GetName(), metav1.DeleteOptions{PropagationPolicy: &policy}))
}

// until waits until the story's object meets the condition.
func (s *stage) until(what string, is func(obj *unstructured.Unstructured) bool) {
	for limit := time.Now().Add(patience); time.Now().Before(limit); time.Sleep(200 * time.Millisecond) {
		obj, err := s.objects(s.top).Get(s.ctx, s.top.GetName(), metav1.GetOptions{})
		if err != nil {
			obj = nil
		}
		if is(obj) {
			return
		}
	}
	panic(trouble{fmt.Errorf("%s is not %s", s.top.GetName(), what)})
}

// untilIt waits until the story ends this way.
func (s *stage) untilIt(ends string) {
	marks := map[string]string{
		"succeeded": " Complete Completed Succeeded ", "failed": " Failed ", "suspended": " Suspended ",
	}[ends]
	s.until(ends, func(obj *unstructured.Unstructured) bool {
		if obj == nil || ends == "runs" {
			return ends == "runs" || ends == "deleted"
		}
		state, _, _ := unstructured.NestedString(obj.Object, "status", "jobDeploymentStatus")
		if state != "" && strings.Contains(marks, " "+state+" ") {
			return true
		}
		conditions, _, _ := unstructured.NestedSlice(obj.Object, "status", "conditions")
		for _, c := range conditions {
			c := c.(map[string]any)
			if c["status"] == "True" && strings.Contains(marks, fmt.Sprintf(" %v ", c["type"])) {
				return true
			}
		}
		return false
	})
}
