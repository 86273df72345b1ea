package secrets

import (
	encoding "encoding/base64"
	"regexp"
	"strings"
	"unicode/utf8"
)

// keyMark is the first or last line of a private key of OpenSSL, OpenSSH or PGP, or
// PuTTY's first.
var keyMark = regexp.MustCompile(`-----(?:(BEGIN)|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-\d: [\w-]+`)

// keyHead is a header line between a key's first line and the key itself.
var keyHead = regexp.MustCompile(`^(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID|Encryption|(?:Public|Private)-(?:Lines|MAC|Hash)|Key-Derivation|Argon2-\w+): `)

const (
	// Lines of keys have 64 letters, of PGP 64 or 76; only the last is shorter.
	leastKeyLine = 40
	mostKeyLine  = 256
)

// blankKeys blanks private keys from the first to the last line. If one of these is cut
// off, it blanks the adjacent lines that look like a key's. Collectors may have
// prefixed each line, and the key may be one quoted string with "\n" in it.
func blankKeys(text string) string {
	marks := keyMark.FindAllStringSubmatchIndex(text, -1)
	var out strings.Builder
	end := 0
	for i := 0; i < len(marks); i++ {
		from, to := marks[i][0], marks[i][1]
		begins := marks[i][2] >= 0 || text[from] == 'P'
		switch {
		case begins && i+1 < len(marks) && marks[i+1][2] < 0 && text[marks[i+1][0]] != 'P':
			i++
			to = marks[i][1]
		case begins:
			to = endOfKey(text, from, to)
		default:
			from = beginOfKey(text, end, from)
		}
		if begins && to == marks[i][1] && from == marks[i][0] || !begins && from == marks[i][0] {
			continue // only words of a sentence, without a key
		}
		out.WriteString(text[end:from])
		out.WriteString(blanked)
		end = to
	}
	return out.String() + text[end:]
}

// The longest line of a key, with its prefix.
const mostLine = 4096

// lineBegin and lineEnd return the bounds of the line of `at`, within mostLine.
func lineBegin(text string, at int) int {
	near := max(at-mostLine, 0)
	return near + strings.LastIndexByte(text[near:at], '\n') + 1
}

func lineEnd(text string, at int) int {
	near := text[at:min(at+mostLine, len(text))]
	if end := strings.IndexByte(near, '\n'); end >= 0 {
		return at + end
	}
	return at + len(near)
}

// endOfKey returns the end of a key whose first line is text[from:at], and whose last
// line is missing.
func endOfKey(text string, from, at int) int {
	if strings.HasPrefix(text[at:], `\n`) || strings.HasPrefix(text[at:], `\r`) {
		return at + lengthQuoted(text[at:])
	}
	column := from - lineBegin(text, from)
	end := at
	for end < len(text) {
		begin := end
		if text[begin] == '\n' {
			begin++
		} else if next := lineEnd(text, begin); next < len(text) && end == at && strings.TrimSpace(text[begin:next]) == "" {
			begin = next + 1
		} else if end == at {
			break
		}
		next := lineEnd(text, begin)
		if begin == len(text) || !isOfKey(text[begin:next], column) {
			break
		}
		end = next
	}
	return end
}

// beginOfKey returns the begin of a key whose last line begins at `at`, and whose first
// line is missing; at least `least`.
func beginOfKey(text string, least, at int) int {
	line := max(lineBegin(text, at), least)
	if before := text[line:at]; strings.HasSuffix(before, `\n`) {
		begin := len(before)
		for begin > 0 && (base64.has(before[begin-1]) || before[begin-1] == '\\') {
			begin--
		}
		return line + begin
	}
	column := at - line
	begin := at
	for line > least {
		previous := max(lineBegin(text, line-1), least)
		if !isOfKey(text[previous:line-1], column) {
			// The rest of a line that was cut with the text.
			if previous > 0 || !strings.HasSuffix(strings.TrimSpace(text[:line-1]), "KEY-----") &&
				!strings.HasSuffix(strings.TrimSpace(text[:line-1]), "KEY BLOCK-----") {
				break
			}
		}
		line, begin = previous, previous
	}
	return begin
}

// isOfKey returns whether a line may be a key's: only base64 letters after the common
// prefix, many of them after anything else, a header, or empty.
func isOfKey(line string, column int) bool {
	line = strings.TrimRight(line, " \t\r")
	rest := strings.TrimSpace(line[min(column, len(line)):])
	if rest == "" || keyHead.MatchString(rest) {
		return true
	}
	letters := len(rest)
	for letters > 0 && base64.has(rest[letters-1]) && rest[letters-1] != '-' {
		letters--
	}
	if letters == 0 {
		return len(rest) <= mostKeyLine
	}
	run := len(line)
	for run > 0 && base64.has(line[run-1]) && line[run-1] != '-' {
		run--
	}
	return len(line)-run >= leastKeyLine && len(line)-run <= mostKeyLine
}

// lengthQuoted returns the length of a key on one line, with "\n" in it.
func lengthQuoted(text string) int {
	end := 0
	for end < len(text) && (base64.has(text[end]) || text[end] == '\\' || text[end] == ':' || text[end] == ',' || text[end] == ' ') {
		end++
	}
	return end
}

const leastEncoded = 24

// blankEncoded blanks base64 of texts with secrets, as in a kubeconfig, in Secrets and
// in registries' passwords.
func blankEncoded(text string, wrapped int) string {
	var out strings.Builder
	end := 0
	for at := 0; at < len(text); at++ {
		to := at
		for to < len(text) && base64.has(text[to]) && text[to] != '=' {
			to++
		}
		if to-at >= leastEncoded && encodesSecret(text[at:to], at == 0, wrapped) {
			for to < len(text) && text[to] == '=' {
				to++
			}
			out.WriteString(text[end:at])
			out.WriteString(blanked)
			end = to
		}
		at = to
	}
	return out.String() + text[end:]
}

// encodesSecret returns whether base64 decodes to a text with a secret. If cut, its
// first letters may be missing.
func encodesSecret(letters string, cut bool, wrapped int) bool {
	for skipped := 0; skipped < 4; skipped++ {
		if text, ok := decode(letters[skipped:]); ok {
			return strings.Contains(text, "PRIVATE KEY") || blank(text, wrapped) != text
		}
		if !cut {
			return false
		}
	}
	return false
}

var standard = strings.NewReplacer("-", "+", "_", "/")

// decode decodes base64; false if the result is not text.
func decode(letters string) (string, bool) {
	letters = strings.TrimRight(letters, "=")
	letters = letters[:len(letters)-len(letters)%4+[]int{0, 0, 2, 3}[len(letters)%4]]
	// Most runs of letters do not decode to text, which the first ones show.
	if first, ok := decodeAll(letters[:min(len(letters), leastEncoded)]); !ok || first == "" {
		return "", false
	}
	return decodeAll(letters)
}

func decodeAll(letters string) (string, bool) {
	decoded, err := encoding.RawStdEncoding.DecodeString(standard.Replace(letters))
	if err != nil {
		return "", false
	}
	// A character may be cut at either end.
	text := strings.ToValidUTF8(string(decoded), "")
	if len(decoded)-len(text) > utf8.UTFMax {
		return "", false
	}
	for i := 0; i < len(text); i++ {
		if c := text[i]; c < ' ' && c != '\n' && c != '\r' && c != '\t' || c == 0x7f {
			return "", false
		}
	}
	return text, true
}

var userAndPassword = regexp.MustCompile(`^[^\s:]+:.+$`)

func encodesUser(letters string) bool {
	text, ok := decode(letters)
	return ok && userAndPassword.MatchString(text)
}
