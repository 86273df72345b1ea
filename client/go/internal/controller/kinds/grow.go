package kinds

import (
	"math"

	"k8s.io/apimachinery/pkg/api/resource"
)

// Quantities are rounded up to a multiple of this many bytes, to stay readable.
const roundTo = 1 << 20

// growContainer multiplies a container's limit and request in a PodSpec.
func growContainer(podSpec map[string]any, change Change) bool {
	for i, container := range mapsAt(podSpec, "containers") {
		if container["name"] == change.Container || (change.Container == "" && i == 0) {
			return growResources(mapAt(container, "resources"), change)
		}
	}
	// A sidecar is an init container.
	for _, container := range mapsAt(podSpec, "initContainers") {
		if container["name"] == change.Container && change.Container != "" {
			return growResources(mapAt(container, "resources"), change)
		}
	}
	return false
}

// growResources multiplies in a ResourceRequirements. It returns false if the resource
// has neither limit nor request.
func growResources(requirements map[string]any, change Change) bool {
	limits := mapAt(requirements, "limits")
	requests := mapAt(requirements, "requests")
	limit, limited := quantityAt(limits, change.Resource)
	request, requested := quantityAt(requests, change.Resource)
	if !limited && !requested {
		return false
	}
	if limited && !change.RequestOnly {
		limit = multiply(limit, change.Factor)
		limits[change.Resource] = limit.String()
	}
	if !requested {
		// Without a request, the limit is the request.
		return !change.RequestOnly
	}
	request = multiply(request, change.Factor)
	if limited && request.Cmp(limit) > 0 {
		request = limit
	}
	requests[change.Resource] = request.String()
	return true
}

func quantityAt(resources map[string]any, name string) (resource.Quantity, bool) {
	switch value := resources[name].(type) {
	case string:
		quantity, err := resource.ParseQuantity(value)
		return quantity, err == nil
	case int64:
		return *resource.NewQuantity(value, resource.BinarySI), true
	}
	return resource.Quantity{}, false
}

func multiply(quantity resource.Quantity, factor float64) resource.Quantity {
	bytes := int64(math.Ceil(float64(quantity.Value()) * factor))
	if bytes > roundTo {
		bytes = (bytes + roundTo - 1) / roundTo * roundTo
	}
	return *resource.NewQuantity(bytes, resource.BinarySI)
}
