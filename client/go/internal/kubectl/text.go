package kubectl

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"

	"k8s.io/apimachinery/pkg/runtime"
)

// clean shows control characters and bidirectional overrides as escapes: texts
// from pods must not steer the terminal.
func clean(text string) string {
	var shown strings.Builder
	for _, r := range text {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			fmt.Fprintf(&shown, "\\u%04x", r)
		} else {
			shown.WriteRune(r)
		}
	}
	return shown.String()
}

// documents are objects one after another.
func documents(objects []runtime.Object) (io.Reader, error) {
	var text bytes.Buffer
	for _, obj := range objects {
		item, err := asJSON(obj)
		if err != nil {
			return nil, err
		}
		text.Write(append(item, '\n'))
	}
	return &text, nil
}

// list is one list of them, as kubectl prints it.
func list(objects []runtime.Object) (io.Reader, error) {
	var text bytes.Buffer
	text.WriteString(`{"apiVersion":"v1","kind":"List","items":[`)
	for i, obj := range objects {
		item, err := asJSON(obj)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			text.WriteByte(',')
		}
		text.Write(item)
	}
	text.WriteString("]}\n")
	return &text, nil
}
