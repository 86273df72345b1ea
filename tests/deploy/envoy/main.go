// Command envoy checks configurations of Envoy against Envoy's schema, without
// Envoy: unknown fields, wrong types and values out of bounds are errors, with the
// path of the field.
//
//	envoy FILE...
package main

import (
	"fmt"
	"os"

	bootstrap "github.com/envoyproxy/go-control-plane/envoy/config/bootstrap/v3"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/anypb"
	"sigs.k8s.io/yaml"

	// The types that typed_config may have; others are errors.
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/http/router/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/network/http_connection_manager/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/transport_sockets/tls/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/upstreams/http/v3"
)

func main() {
	code := 0
	for _, name := range os.Args[1:] {
		if err := check(name); err != nil {
			fmt.Printf("%s: %v\n", name, err)
			code = 1
		}
	}
	os.Exit(code)
}

func check(name string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	json, err := yaml.YAMLToJSONStrict(text)
	if err != nil {
		return err
	}
	config := &bootstrap.Bootstrap{}
	if err := protojson.Unmarshal(json, config); err != nil {
		return err
	}
	if err := config.ValidateAll(); err != nil {
		return err
	}
	return checkTyped(config.ProtoReflect())
}

// checkTyped validates the message inside each Any, which ValidateAll skips.
func checkTyped(message protoreflect.Message) error {
	if typed, ok := message.Interface().(*anypb.Any); ok {
		return checkAny(typed)
	}
	var failed error
	message.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		forEachMessage(field, value, func(inner protoreflect.Message) {
			if failed == nil {
				failed = checkTyped(inner)
			}
		})
		return failed == nil
	})
	return failed
}

func checkAny(typed *anypb.Any) error {
	inner, err := typed.UnmarshalNew()
	if err != nil {
		return err
	}
	if bounded, ok := inner.(interface{ ValidateAll() error }); ok {
		if err := bounded.ValidateAll(); err != nil {
			return fmt.Errorf("%s: %w", proto.MessageName(inner), err)
		}
	}
	return checkTyped(inner.ProtoReflect())
}

func forEachMessage(field protoreflect.FieldDescriptor, value protoreflect.Value,
	visit func(protoreflect.Message)) {
	switch {
	case field.IsMap():
		if field.MapValue().Message() == nil {
			return
		}
		value.Map().Range(func(_ protoreflect.MapKey, inner protoreflect.Value) bool {
			visit(inner.Message())
			return true
		})
	case field.Message() == nil:
	case field.IsList():
		for i := range value.List().Len() {
			visit(value.List().Get(i).Message())
		}
	default:
		visit(value.Message())
	}
}
