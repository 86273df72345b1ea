package secrets

import (
	"regexp"
	"strings"
)

// port is what stands behind a host's colon, and what stands there for one.
var port = regexp.MustCompile(`^(?:\d{1,5})?(?:[/?#,]|$)`)

// leastUser is how long a name has to be to be a token.
const leastUser = 16

// blankURLs blanks the passwords in URLs, and tokens in the place of their users.
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

// secretOfURL is where the secret stands in what follows "://". Passwords may hold all
// marks of an address, so that they end at the last @ that a host can follow.
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

// hostMark is the last @ behind `from` that a host follows: before the query, if there is
// one there. 0: there is none.
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
