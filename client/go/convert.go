package mulligan

import (
	"encoding/json"
	"fmt"
	"maps"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	metav1pb "mulligan.dev/mulligan/gen/mulligan/kubernetes/meta/v1"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/reportkinds"
)

// The mirrors have the field numbers of Kubernetes' protobuf and the JSON names of
// every kind. Unknown fields are dropped here and not on the server, so that
// environment variables and managedFields stay on the client.
var (
	fromBytes = proto.UnmarshalOptions{DiscardUnknown: true}
	fromJSON  = protojson.UnmarshalOptions{DiscardUnknown: true}
)

func fieldOf(k *reportkinds.Kind) protoreflect.FieldDescriptor {
	return (*mulliganv1.FailureReport)(nil).ProtoReflect().Descriptor().Fields().ByName(k.Field)
}

// convert makes the message for the report's field from obj.
func convert(obj runtime.Object, gvk schema.GroupVersionKind, k *reportkinds.Kind) (proto.Message, error) {
	message := newMessage(k)
	if err := fill(message, obj, gvk); err != nil {
		return nil, fmt.Errorf("mulligan: %s: %w", label(obj), err)
	}
	setType(message, gvk)
	if m, ok := message.(interface{ GetMetadata() *metav1pb.ObjectMeta }); ok && m.GetMetadata() != nil {
		m.GetMetadata().Annotations = withoutOwn(m.GetMetadata().GetAnnotations())
	}
	return message, nil
}

func newMessage(k *reportkinds.Kind) proto.Message {
	field := fieldOf(k)
	report := (&mulliganv1.FailureReport{}).ProtoReflect()
	if field.IsList() {
		return report.NewField(field).List().NewElement().Message().Interface()
	}
	return report.NewField(field).Message().Interface()
}

func fill(message proto.Message, obj runtime.Object, gvk schema.GroupVersionKind) error {
	if raw, ok := obj.(interface{ Marshal() ([]byte, error) }); ok && gvk.Group != "events.k8s.io" {
		bytes, err := raw.Marshal()
		if err != nil {
			return fmt.Errorf("cannot be marshalled: %w", err)
		}
		return fromBytes.Unmarshal(bytes, message)
	}
	text, err := marshalJSON(obj, gvk)
	if err != nil {
		return fmt.Errorf("cannot be written as JSON: %w", err)
	}
	if err := fromJSON.Unmarshal(text, message); err != nil {
		return wrongField(text, message, err)
	}
	return nil
}

func marshalJSON(obj runtime.Object, gvk schema.GroupVersionKind) ([]byte, error) {
	if gvk.Group == "events.k8s.io" {
		return eventJSON(obj)
	}
	if u, ok := obj.(*unstructured.Unstructured); ok {
		return json.Marshal(u.Object)
	}
	return json.Marshal(obj)
}

// Names of events.k8s.io/v1, with those of the older form that reports use.
var eventNames = map[string]string{
	"regarding":                "involvedObject",
	"note":                     "message",
	"reportingController":      "reportingComponent",
	"deprecatedSource":         "source",
	"deprecatedFirstTimestamp": "firstTimestamp",
	"deprecatedLastTimestamp":  "lastTimestamp",
	"deprecatedCount":          "count",
}

func eventJSON(event runtime.Object) ([]byte, error) {
	text, err := json.Marshal(event)
	if err != nil {
		return nil, err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return nil, err
	}
	for newer, older := range eventNames {
		if value, ok := members[newer]; ok {
			members[older] = value
			delete(members, newer)
		}
	}
	return json.Marshal(members)
}

// setType fills kind and apiVersion if the mirror has them and a typed object left them
// empty.
func setType(message proto.Message, gvk schema.GroupVersionKind) {
	m := message.ProtoReflect()
	for name, value := range map[protoreflect.Name]string{
		"kind": gvk.Kind, "api_version": gvk.GroupVersion().String(),
	} {
		if field := m.Descriptor().Fields().ByName(name); field != nil && !m.Has(field) {
			m.Set(field, protoreflect.ValueOfString(value))
		}
	}
}

// withoutOwn removes annotations that may be large copies: the ledger, which is sent
// separately, and kubectl's copy of the whole object.
func withoutOwn(annotations map[string]string) map[string]string {
	kept := maps.Clone(annotations)
	delete(kept, LedgerAnnotation)
	delete(kept, corev1.LastAppliedConfigAnnotation)
	return kept
}

func appendTo(report *mulliganv1.FailureReport, p part) {
	m, field := report.ProtoReflect(), fieldOf(p.kind)
	if field.IsList() {
		m.Mutable(field).List().Append(protoreflect.ValueOfMessage(p.message.ProtoReflect()))
	} else {
		m.Set(field, protoreflect.ValueOfMessage(p.message.ProtoReflect()))
	}
}
