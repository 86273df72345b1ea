package mulligan

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// wrongField returns an error that names the field at which text does not fit the
// message's type. protojson's err knows only the column. Slow, so only for errors.
func wrongField(text []byte, message proto.Message, err error) error {
	var value any
	if json.Unmarshal(text, &value) != nil {
		return err
	}
	path, found := findWrong(message.ProtoReflect().Type(), value)
	if path == "" {
		return err
	}
	shown, _ := json.Marshal(found.value)
	if len(shown) > 60 {
		shown = append(shown[:60], "..."...)
	}
	return fmt.Errorf("%s: found %s, expected %s", path, shown, found.expected)
}

type wrong struct {
	value    any
	expected string
}

// findWrong returns the path of the first field, by name, that cannot be read. Empty if
// all can.
func findWrong(message protoreflect.MessageType, value any) (string, wrong) {
	members, ok := value.(map[string]any)
	if !ok || isWellKnown(message.Descriptor()) {
		return "", wrong{}
	}
	fields := message.Descriptor().Fields()
	for _, name := range slices.Sorted(maps.Keys(members)) {
		field := fields.ByJSONName(name)
		if field == nil || readable(message, name, members[name]) {
			continue
		}
		inner, found := findWrongIn(message, field, members[name])
		return name + inner, found
	}
	return "", wrong{}
}

func findWrongIn(message protoreflect.MessageType, field protoreflect.FieldDescriptor, value any) (string, wrong) {
	this := wrong{value, expected(field)}
	if field.Message() == nil || field.IsMap() {
		return "", this
	}
	element := elementType(message, field)
	items, ok := value.([]any)
	if !field.IsList() || !ok {
		if path, found := findWrong(element, value); path != "" && !field.IsList() {
			return "." + path, found
		}
		return "", this
	}
	for i, item := range items {
		at := "[" + strconv.Itoa(i) + "]"
		if path, found := findWrong(element, item); path != "" {
			return at + "." + path, found
		}
		if _, ok := item.(map[string]any); !ok {
			return at, wrong{item, "an object"}
		}
	}
	return "", this
}

func elementType(message protoreflect.MessageType, field protoreflect.FieldDescriptor) protoreflect.MessageType {
	value := message.New().NewField(field)
	if field.IsList() {
		return value.List().NewElement().Message().Type()
	}
	return value.Message().Type()
}

func readable(message protoreflect.MessageType, name string, value any) bool {
	text, err := json.Marshal(map[string]any{name: value})
	return err != nil || fromJSON.Unmarshal(text, message.New().Interface()) == nil
}

func isWellKnown(message protoreflect.MessageDescriptor) bool {
	return message.FullName().Parent() == "google.protobuf"
}

func expected(field protoreflect.FieldDescriptor) string {
	one := field.Kind().String()
	if m := field.Message(); m != nil {
		one = "object"
		if isWellKnown(m) {
			one = string(m.Name())
		}
	}
	switch {
	case field.IsMap():
		return "an object of " + field.MapValue().Kind().String() + " values"
	case field.IsList():
		return "a list of " + one + " values"
	}
	return "a value of type " + one
}
