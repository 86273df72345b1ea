package notify

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Most bytes of a text.
const maxText = 1024

// visible makes one line of a text that shows what it says: whatever breaks a line, draws
// nothing or turns the direction becomes a space, and what is too long is cut.
func visible(text string) string {
	text = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, " "))
	text = strings.Join(strings.Fields(text), " ")
	if len(text) <= maxText {
		return text
	}
	return strings.ToValidUTF8(text[:maxText], "") + "..."
}

var slackEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// literal is a text as a code span, in which neither Slack nor those that take its JSON
// look for links, mentions or marks.
func literal(text string) string {
	return "`" + slackEscapes.Replace(strings.ReplaceAll(text, "`", "'")) + "`"
}

// escaped makes a text stand for itself in any part of a URL.
func escaped(text string) string {
	return strings.ReplaceAll(url.QueryEscape(text), "+", "%20")
}
