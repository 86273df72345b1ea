package kinds

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"mulligan.dev/mulligan/internal/reportkinds"
)

// sparkApplication is sparkoperator.k8s.io SparkApplication. Driver and executor have
// Spark's own resource fields; their placement is named as in a PodSpec.
type sparkApplication struct{ prompt }

func (sparkApplication) GroupVersionKind() schema.GroupVersionKind {
	return reportkinds.Named("SparkApplication")
}

// FAILING and SUBMISSION_FAILED are transient, because the operator may still retry.
func (sparkApplication) Outcome(obj *unstructured.Unstructured) Outcome {
	since := timeOf(mapAt(obj.Object, "status")["terminationTime"])
	switch mapAt(obj.Object, "status", "applicationState")["state"] {
	case "FAILED":
		return Outcome{Failed, since}
	case "COMPLETED":
		return Outcome{Succeeded, since}
	}
	return Outcome{}
}

// With restartPolicy Always the work never ends, so we never decide about it.
func (sparkApplication) TakeOver(obj *unstructured.Unstructured) {
	noneOf(mapAt(obj.Object, "spec", "restartPolicy"), "onFailureRetries", "onSubmissionFailureRetries")
}

func (sparkApplication) Shapes(obj *unstructured.Unstructured) []Shape {
	var shapes []Shape
	for _, role := range []string{"driver", "executor"} {
		section := mapAt(obj.Object, "spec", role)
		if section == nil {
			continue
		}
		shapes = append(shapes, Shape{Pod: section, Grow: func(change Change) bool {
			return strings.Contains(change.Container, role) && growSpark(section, change)
		}})
	}
	return shapes
}

// Spark's memory fields. The pod's limit is the sum of heap and overhead.
var sparkMemory = regexp.MustCompile(`^(\d+)([kmgt]?)b?$`)

// growSpark multiplies heap and overhead, Spark's only resources of a pod that grow.
func growSpark(section map[string]any, change Change) bool {
	if change.Resource != "memory" {
		return false
	}
	grown := false
	for _, field := range []string{"memory", "memoryOverhead"} {
		text, _ := section[field].(string)
		parts := sparkMemory.FindStringSubmatch(strings.ToLower(text))
		if parts == nil {
			continue
		}
		amount, err := strconv.ParseFloat(parts[1], 64)
		if err != nil {
			continue
		}
		section[field] = finerSparkUnit(amount*change.Factor, parts[2])
		grown = true
	}
	return grown
}

// finerSparkUnit writes whole numbers, with gigabytes as megabytes if needed.
func finerSparkUnit(amount float64, unit string) string {
	finer := map[string]string{"t": "g", "g": "m", "m": "k"}[unit]
	if amount != math.Trunc(amount) && finer != "" && unit != "m" {
		return finerSparkUnit(amount*1024, finer)
	}
	return fmt.Sprintf("%d%s", int64(math.Ceil(amount)), unit)
}
