package records

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	// Reads whole numbers as int64, as unstructured objects require.
	"k8s.io/apimachinery/pkg/util/json"

	"mulligan.dev/mulligan"
)

const (
	// The API server stores at most 1.5 MiB per object, and a record is one.
	maxTemplate = 512 << 10
	// Bounds what a small archive can expand to.
	maxUnpacked = 4 << 20
)

// Annotations of other tools that describe only the failed object.
var foreignAnnotations = []string{
	"kubectl.kubernetes.io/last-applied-configuration",
	"batch.kubernetes.io/job-tracking",
	// Deployment tools prune objects that they consider theirs.
	"argocd.argoproj.io/tracking-id",
	"meta.helm.sh/release-name",
	"meta.helm.sh/release-namespace",
}

// Pack returns what each further attempt is made from: an object's kind, labels,
// annotations, owners and spec as stored, as gzipped JSON. It drops blockOwnerDeletion,
// which would need rights on every owner.
func Pack(obj *unstructured.Unstructured) ([]byte, error) {
	kept := &unstructured.Unstructured{Object: map[string]any{"spec": obj.Object["spec"]}}
	kept.SetGroupVersionKind(obj.GroupVersionKind())
	kept.SetLabels(obj.GetLabels())
	annotations := obj.GetAnnotations()
	for _, names := range [][]string{Copied, foreignAnnotations, {mulligan.LedgerAnnotation}} {
		for _, name := range names {
			delete(annotations, name)
		}
	}
	kept.SetAnnotations(annotations)
	owners := obj.GetOwnerReferences()
	for i := range owners {
		owners[i].BlockOwnerDeletion = nil
	}
	kept.SetOwnerReferences(owners)
	text, err := json.Marshal(kept.Object)
	if err != nil {
		return nil, err
	}
	var packed bytes.Buffer
	writer := gzip.NewWriter(&packed)
	if _, err := writer.Write(text); err != nil {
		return nil, err
	}
	if err := writer.Close(); err != nil {
		return nil, err
	}
	if packed.Len() > maxTemplate || len(text) > maxUnpacked {
		return nil, fmt.Errorf("the spec is %d bytes when packed, expected at most %d", packed.Len(), maxTemplate)
	}
	return packed.Bytes(), nil
}

// Unpack returns the object that was packed, without a name.
func Unpack(packed []byte) (*unstructured.Unstructured, error) {
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(reader, maxUnpacked))
	if err != nil {
		return nil, err
	}
	obj := &unstructured.Unstructured{}
	return obj, json.Unmarshal(text, &obj.Object)
}

// Fields that a queue writes, at any level, to start an object somewhere.
var queueFields = []string{
	"suspend", "metadata", "nodeSelector", "tolerations", "affinity", "schedulingGates",
	"podSpecOverrides", "podTemplateOverrides", "runtimePatches",
}

// WorkOf returns a digest of what an object asks for, without a queue's fields.
func WorkOf(obj *unstructured.Unstructured) (string, error) {
	text, err := json.Marshal(withoutQueue(obj.Object["spec"]))
	if err != nil {
		return "", err
	}
	digest := sha256.Sum256(text)
	return hex.EncodeToString(digest[:8]), nil
}

func withoutQueue(value any) any {
	switch value := value.(type) {
	case map[string]any:
		left := map[string]any{}
		for key, child := range value {
			if !slices.Contains(queueFields, key) {
				left[key] = withoutQueue(child)
			}
		}
		return left
	case []any:
		left := make([]any, 0, len(value))
		for _, child := range value {
			left = append(left, withoutQueue(child))
		}
		return left
	}
	return value
}
