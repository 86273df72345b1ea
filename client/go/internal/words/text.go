// Package words makes texts of others fit to be shown.
package words

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Cut is at most so many bytes of a text, and dots where it is longer.
func Cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "..."
}

// Line makes one line of a text that shows what it says: whatever breaks a line, draws
// nothing or turns the direction becomes a space, and what is too long is cut.
func Line(text string, most int) string {
	text = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, " "))
	return Cut(strings.Join(strings.Fields(text), " "), most)
}
