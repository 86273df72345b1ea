package notify

import (
	"net/url"
	"strings"

	"mulligan.dev/mulligan/internal/words"
)

// Most bytes of a text.
const maxText = 1024

func visible(text string) string { return words.Line(text, maxText) }

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
