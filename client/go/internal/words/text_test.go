package words

import "testing"

func TestLineIsVisibleAndBounded(t *testing.T) {
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
