package successor

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
)

// PlacementAnnotation of a pod is the Placement that it should follow, as proto JSON.
const PlacementAnnotation = "mulligan.dev/placement"

// spotLabel marks nodes that may be reclaimed at any time, by a label and often a taint
// with the same key.
type spotLabel struct {
	key string
	// Values that mean spot.
	values []any
}

// Labels of GKE, Karpenter, EKS, AKS and manual node groups.
var spotLabels = []spotLabel{
	{"cloud.google.com/gke-spot", []any{"true"}},
	{"cloud.google.com/gke-preemptible", []any{"true"}},
	{"cloud.google.com/gke-provisioning", []any{"spot", "preemptible"}},
	{"karpenter.sh/capacity-type", []any{"spot"}},
	{"eks.amazonaws.com/capacityType", []any{"SPOT"}},
	{"kubernetes.azure.com/scalesetpriority", []any{"spot"}},
	{"node.kubernetes.io/lifecycle", []any{"spot"}},
}

func spotLabelOf(key any) *spotLabel {
	for i := range spotLabels {
		if spotLabels[i].key == key {
			return &spotLabels[i]
		}
	}
	return nil
}

// leaveSpot removes what allows or sends the pods onto spot nodes, and keeps them off.
func leaveSpot(pod map[string]any) {
	if tolerations, ok := pod["tolerations"].([]any); ok {
		var kept []any
		for _, entry := range tolerations {
			toleration, _ := entry.(map[string]any)
			if spotLabelOf(toleration["key"]) == nil {
				kept = append(kept, entry)
			}
		}
		setList(pod, "tolerations", kept)
	}
	if selector, ok := pod["nodeSelector"].(map[string]any); ok {
		for _, label := range spotLabels {
			if slices.Contains(label.values, selector[label.key]) {
				delete(selector, label.key)
			}
		}
	}
	for _, term := range requiredTerms(pod, false) {
		dropSpotDemands(term)
	}
	var away []any
	for _, label := range spotLabels {
		away = append(away, map[string]any{"key": label.key, "operator": "NotIn", "values": label.values})
	}
	for _, term := range requiredTerms(pod, true) {
		appendList(term, "matchExpressions", away...)
	}
}

// dropSpotDemands removes spot from expressions that require one of several kinds of
// capacity, and the whole expression if it allows only spot.
func dropSpotDemands(term map[string]any) {
	var kept []any
	expressions, _ := term["matchExpressions"].([]any)
	for _, entry := range expressions {
		expression, _ := entry.(map[string]any)
		label := spotLabelOf(expression["key"])
		if label == nil || expression["operator"] != "In" {
			kept = append(kept, entry)
			continue
		}
		var others []any
		values, _ := expression["values"].([]any)
		for _, value := range values {
			if !slices.Contains(label.values, value) {
				others = append(others, value)
			}
		}
		if len(others) > 0 {
			expression["values"] = others
			kept = append(kept, expression)
		}
	}
	setList(term, "matchExpressions", kept)
}

// avoidNodes writes unexpired advice: hard as a requirement, the rest as a preference.
func avoidNodes(pod map[string]any, nodes []*mulliganv1.AvoidNode, now time.Time) {
	var hard []any
	for _, node := range nodes {
		if node.GetExpiresAt() != nil && !node.GetExpiresAt().AsTime().After(now) {
			continue
		}
		elsewhere := map[string]any{"key": "metadata.name", "operator": "NotIn", "values": []any{node.GetNode()}}
		if node.GetHard() {
			hard = append(hard, elsewhere)
			continue
		}
		appendList(nodeAffinity(pod), "preferredDuringSchedulingIgnoredDuringExecution", map[string]any{
			"weight":     int64(100),
			"preference": map[string]any{"matchFields": []any{elsewhere}},
		})
	}
	if len(hard) == 0 {
		return
	}
	for _, term := range requiredTerms(pod, true) {
		appendList(term, "matchFields", hard...)
	}
}

func nodeAffinity(pod map[string]any) map[string]any {
	return child(child(pod, "affinity"), "nodeAffinity")
}

// requiredTerms returns the alternatives of the required node affinity. With make, it
// adds an empty one if there is none.
func requiredTerms(pod map[string]any, make bool) []map[string]any {
	found, _, _ := unstructured.NestedFieldNoCopy(pod, "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")
	list, _ := found.([]any)
	if len(list) == 0 && make {
		list = []any{map[string]any{}}
		child(nodeAffinity(pod), "requiredDuringSchedulingIgnoredDuringExecution")["nodeSelectorTerms"] = list
	}
	var terms []map[string]any
	for _, entry := range list {
		if term, ok := entry.(map[string]any); ok {
			terms = append(terms, term)
		}
	}
	return terms
}

// child returns the map under a key, and makes it if it is missing.
func child(parent map[string]any, key string) map[string]any {
	existing, ok := parent[key].(map[string]any)
	if !ok {
		existing = map[string]any{}
		parent[key] = existing
	}
	return existing
}

func appendList(parent map[string]any, key string, entries ...any) {
	list, _ := parent[key].([]any)
	// Fresh arrays and entries, because terms must not share them.
	fresh := append([]any{}, list...)
	for _, entry := range entries {
		fresh = append(fresh, runtime.DeepCopyJSONValue(entry))
	}
	parent[key] = fresh
}

func setList(parent map[string]any, key string, list []any) {
	if len(list) == 0 {
		delete(parent, key)
		return
	}
	parent[key] = list
}
