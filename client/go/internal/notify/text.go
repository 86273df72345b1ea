package notify

import (
	"net/url"
	"strings"

	"mulligan.dev/mulligan/internal/words"
)

// The most bytes of a text.
const maxText = 1024

func visible(text string) string { return words.Line(text, maxText) }

// escaped escapes a text for any part of a URL.
func escaped(text string) string {
	return strings.ReplaceAll(url.QueryEscape(text), "+", "%20")
}
