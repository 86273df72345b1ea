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

// clean escapes control characters and bidirectional overrides, because texts from pods
// must not control the terminal.
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

// documents returns the objects one after another, then the report's counts of the pods
// that it leaves out.
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
