package controller

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/prometheus/common/expfmt"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"mulligan.dev/mulligan/internal/notify"
)

var value = regexp.MustCompile(`(?m) [^ ]+$`)

// testdata/metrics.txt has all our series, as they are from the start; rules and
// dashboards are checked against it. MULLIGAN_WRITE_METRICS=1 rewrites it.
func TestCreatesAllSeriesAtStart(t *testing.T) {
	notify.Announce("a receiver")
	families, err := metrics.Registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	for _, family := range families {
		if !strings.HasPrefix(family.GetName(), "mulligan_controller_") {
			continue
		}
		family.Help = nil
		if _, err := expfmt.MetricFamilyToText(&text, family); err != nil {
			t.Fatal(err)
		}
	}
	var lines []string
	for line := range strings.Lines(text.String()) {
		if !strings.HasPrefix(line, "#") {
			lines = append(lines, value.ReplaceAllString(strings.TrimSuffix(line, "\n"), " 0")+"\n")
		}
	}
	got := strings.Join(lines, "")
	const file = "testdata/metrics.txt"
	if os.Getenv("MULLIGAN_WRITE_METRICS") == "1" {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(file); err != nil || string(want) != got {
		t.Errorf("%v; %s is not what is registered:\n%s", err, file, got)
	}
}
