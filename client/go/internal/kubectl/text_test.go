package kubectl

import (
	"io"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"mulligan.dev/mulligan"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
)

// The binary gets the counts of pods that the report left out, like a service.
func TestDocumentsCountOmittedPods(t *testing.T) {
	report := mulligan.NewReport().Add(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "a"}})
	for _, test := range []struct {
		counts *mulliganv1.PodCounts
		lines  int
		want   string
	}{{nil, 1, `"name":"a"`}, {&mulliganv1.PodCounts{Failed: 19_500}, 2, `"omittedPods"`}} {
		report.With(func(report *mulliganv1.FailureReport) { report.OmittedPods = test.counts })
		input, err := documents(report.Objects(), report)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(input)
		if lines := strings.Count(string(text), "\n"); lines != test.lines || !strings.Contains(string(text), test.want) {
			t.Errorf("got %s, want %d lines with %s", text, test.lines, test.want)
		}
	}
}
