module mulligan.dev/mulligan/tests/e2e/go

go 1.24.0

require (
	google.golang.org/genproto/googleapis/rpc v0.0.0-20250804133106-a7a43d27e69b
	google.golang.org/grpc v1.75.0
	google.golang.org/protobuf v1.36.8
	k8s.io/api v0.34.1
	k8s.io/apimachinery v0.34.1
	mulligan.dev/mulligan/gen v0.0.0
)

// Generated from proto/ by scripts/test-go.
replace mulligan.dev/mulligan/gen => ../../../build/go/gen
