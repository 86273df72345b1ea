// Package words makes texts of others fit to be shown.
package words

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Cut returns at most most bytes of a text, followed by dots if it is longer.
func Cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "..."
}

// Line returns a text on one visible line. It replaces what breaks lines, draws nothing
// or turns the direction by spaces, and cuts what is too long.
func Line(text string, most int) string {
	text = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, " "))
	return Cut(strings.Join(strings.Fields(text), " "), most)
}
