package words

import (
	"slices"
	"strings"
	"testing"

	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
)

func TestNamesLeaveOutTheOneForNone(t *testing.T) {
	names := Names(mulliganv1.Cause_name)
	if len(names) != len(mulliganv1.Cause_name)-1 || slices.Contains(names, "CAUSE_UNSPECIFIED") || !slices.IsSorted(names) {
		t.Errorf("%v, want all causes, sorted, and no CAUSE_UNSPECIFIED", names)
	}
}

func TestNearest(t *testing.T) {
	names := []string{"CONTAINER_OOM", "HOST_OOM", "IMAGE_INVALID", "APP_ERROR", "abcd", "abce"}
	for word, want := range map[string]string{
		"CONTAINR_OOM":           "CONTAINER_OOM",
		"container-oom":          "CONTAINER_OOM",
		"IMAGE_INVLAID":          "IMAGE_INVALID",
		"CONTAINER_OOM,X":        "CONTAINER_OOM",
		"A":                      "",
		"":                       "",
		"-":                      "",
		"GPU_FAULT":              "",
		"abcf":                   "",
		strings.Repeat("x", 100): "",
	} {
		if got := Nearest(word, names); got != want {
			t.Errorf("near %q is %q, want %q", word, got, want)
		}
	}
}

func TestALineShowsWhatItSaysAndIsCut(t *testing.T) {
	for text, want := range map[string]string{
		"as it is":               "as it is",
		"two\nlines\tand\x1b[1m": "two lines and [1m",
		"turned \u202e round":    "turned round",
		"no UTF-8 \xff":          "no UTF-8",
		"0123456789 0123456789":  "0123456789 012345678...",
		"0123456789 01234567é9":  "0123456789 01234567...",
	} {
		if got := Line(text, 20); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
