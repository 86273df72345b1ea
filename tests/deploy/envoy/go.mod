module mulligan.dev/mulligan/tests/deploy/envoy

go 1.24.0

require (
	github.com/envoyproxy/go-control-plane/envoy v1.36.0
	google.golang.org/protobuf v1.36.10
	sigs.k8s.io/yaml v1.6.0
)
