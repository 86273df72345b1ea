package kubectl

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"

	"google.golang.org/protobuf/encoding/protojson"
	"k8s.io/apimachinery/pkg/runtime"

	"mulligan.dev/mulligan"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
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
// What the report counts instead of the pods that it leaves out comes last.
func documents(objects []runtime.Object, report *mulligan.Report) (io.Reader, error) {
	var text bytes.Buffer
	for _, obj := range objects {
		item, err := asJSON(obj)
		if err != nil {
			return nil, err
		}
		text.Write(append(item, '\n'))
	}
	built, err := report.Build()
	if err != nil || built.OmittedPods == nil {
		return &text, err
	}
	counts, err := protojson.Marshal(&mulliganv1.FailureReport{OmittedPods: built.OmittedPods})
	text.Write(append(counts, '\n'))
	return &text, err
}
