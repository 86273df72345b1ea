package secrets

import (
	"regexp"
	"strings"
)

// port matches what follows a host's colon: a port or nothing.
var port = regexp.MustCompile(`^(?:\d{1,5})?(?:[/?#,]|$)`)

// leastUser is the least length of a user name that may be a token.
const leastUser = 16

// blankURLs blanks passwords in URLs, and tokens used as user names.
func blankURLs(text string) string {
	const mark = "://"
	var out strings.Builder
	end := 0
	for at := strings.Index(text, mark); at >= 0; {
		from := at + len(mark)
		to := from
		for to < len(text) && path.has(text[to]) {
			to++
		}
		begin, stop := secretOfURL(text[from:to])
		if stop > begin && at > 0 && alnum.has(text[at-1]) {
			out.WriteString(text[end : from+begin])
			out.WriteString(blanked)
			end = from + stop
		}
		next := strings.Index(text[to:], mark)
		if next < 0 {
			break
		}
		at = to + next
	}
	return out.String() + text[end:]
}

// secretOfURL returns the bounds of the secret after "://". Passwords may contain all
// marks of an address, so they end at the last @ that a host can follow.
func secretOfURL(rest string) (from, to int) {
	user := strings.IndexAny(rest, ":/@?#[")
	if user < 0 {
		return 0, 0
	}
	switch rest[user] {
	case '@':
		if isTokenUser(rest[:user]) {
			return 0, user
		}
	case ':':
		from = user + 1
		if port.MatchString(rest[from:]) {
			return 0, 0
		}
		to = hostMark(rest, from)
		if to <= from || reference.MatchString(rest[from:to]) {
			return 0, 0
		}
		if isTokenUser(rest[:user]) {
			from = 0
		}
		return from, to
	}
	return 0, 0
}

func isTokenUser(user string) bool {
	return len(user) >= leastUser && looksRandom(user)
}

// hostMark returns the last @ after `from` that a host follows, if possible before the
// query; 0 if there is none.
func hostMark(rest string, from int) int {
	for _, end := range []int{strings.IndexAny(rest, "?#"), len(rest)} {
		if end < from {
			continue
		}
		at := strings.LastIndexByte(rest[:end], '@')
		if at > from && at+1 < len(rest) && (alnum.has(rest[at+1]) || rest[at+1] == '[') &&
			!strings.HasPrefix(rest[at+1:], "sha256:") {
			return at
		}
	}
	return 0
}
