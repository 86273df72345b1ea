package cases

import (
	"encoding/json"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// At is the time in an object that is this long after Now.
func At(offset time.Duration) string { return Now.Add(offset).Format(time.RFC3339) }

// Objects returns objects as the JSON in a request; nil if there are none.
func Objects[T any](objects []T) []any {
	var all []any
	for _, object := range objects {
		all = append(all, Object(object))
	}
	return all
}

// Decode reads an object of a request into a Go struct.
func Decode(object map[string]any, into any) error {
	text, err := json.Marshal(object)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// Native returns a request that the workload's own spec decides, with what the
// policy has to know of its operator.
func Native(report, semantics map[string]any) map[string]any {
	report["observedAt"] = At(0)
	if len(semantics) == 0 {
		return map[string]any{"report": report, "policy": "native"}
	}
	return map[string]any{"report": report, "inlinePolicy": policy(map[string]any{
		"native": map[string]any{"useOwnSpec": true, "semantics": semantics}})}
}

// Compared returns a request about case `number` that a policy decides, and
// that asks for the operator's own verdict.
func Compared(number int, report, semantics map[string]any) map[string]any {
	report["failureId"], report["observedAt"] = fmt.Sprintf("id-%d", number), At(0)
	spec := map[string]any{"default": map[string]any{"action": "FAIL"}, "compareNative": true}
	if len(semantics) > 0 {
		spec["native"] = map[string]any{"semantics": semantics}
	}
	return map[string]any{"report": report, "compareNative": true, "inlinePolicy": policy(spec)}
}

func policy(spec map[string]any) map[string]any {
	return map[string]any{"apiVersion": "mulligan.dev/v1", "kind": "RetryPolicy",
		"metadata": map[string]any{"name": "oracle"}, "spec": spec}
}

// Version is that of a module in this program: "1.5.1".
func Version(module string) string {
	build, _ := debug.ReadBuildInfo()
	at := slices.IndexFunc(build.Deps, func(dependency *debug.Module) bool { return dependency.Path == module })
	return strings.TrimPrefix(build.Deps[at].Version, "v")
}

// Release is the minor release of a module in this program, as in a policy: "1.5".
func Release(module string) string {
	parts := strings.Split(Version(module), ".")
	return parts[0] + "." + parts[1]
}

// Built returns a scheme with the kinds that these functions add.
func Built[T any](scheme T, adds ...func(T) error) T {
	for _, add := range adds {
		if err := add(scheme); err != nil {
			panic(err)
		}
	}
	return scheme
}
