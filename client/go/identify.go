package mulligan

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"mulligan.dev/mulligan/internal/reportkinds"
)

// "RayJob, RayCluster, TrainJob, ...".
func takenKinds() string {
	var names []string
	for _, k := range reportkinds.All {
		names = append(names, k.Name)
	}
	return strings.Join(slices.Compact(names), ", ")
}

// identify says what obj is, also where its TypeMeta is empty, as in everything
// that a typed client returns. Empty: it cannot be known.
func identify(obj runtime.Object) schema.GroupVersionKind {
	gvk := obj.GetObjectKind().GroupVersionKind()
	if gvk.Kind != "" && gvk.Version != "" {
		return gvk
	}
	goType := reflect.TypeOf(obj)
	if goType.Kind() == reflect.Pointer {
		goType = goType.Elem()
	}
	for _, k := range reportkinds.All {
		if k.Name == goType.Name() && strings.Contains(goType.PkgPath(), k.GoPackage) {
			// The last part of the path is the version: .../apis/ray/v1.
			path := strings.Split(goType.PkgPath(), "/")
			return schema.GroupVersionKind{Group: k.Group, Version: path[len(path)-1], Kind: k.Name}
		}
	}
	return gvk
}

// label is what messages call an object: "RayJob ml/train".
func label(obj runtime.Object) string {
	name := identify(obj).Kind
	if name == "" {
		name = fmt.Sprintf("%T", obj)
	}
	if o, ok := obj.(client.Object); ok && o.GetName() != "" {
		name += " "
		if o.GetNamespace() != "" {
			name += o.GetNamespace() + "/"
		}
		name += o.GetName()
	}
	return name
}
