package secrets

import (
	"regexp"
	"strings"
)

// secretNames end a name whose value is secret. Names that only begin so (pad_token_id,
// secretName) and plurals (max_tokens) describe secrets, but hold none. PASS alone is
// not one: it also means passed tests and forward passes.
const secretNames = `(?:(?P<password>passwd|password|passphrase|pwd)|(?:db|database|sql|mysql|pg|pgsql|postgres|mongo|redis|rabbitmq|amqp|smtp|mail|imap|ldap|ftp|ssh|http|proxy|registry|docker|user|admin|root|sudo|login|service|svc|key|cert|keystore|truststore|vault)[_-]?pass` +
	`|(?-i:_PASS)|token|secret|credentials?|dockerconfigjson|dockercfg|key[_-]data` +
	`|(?:api|access|private|secret|account|signing|encryption|auth)[ _-]?key|(?:master|session|shared|hmac|jwt|storage)[_-]?key)`

// named is such a name with its separator: "=", ":", or, after "--NAME", a space.
var named = regexp.MustCompile(`(?i)[\w.-]*` + secretNames + `(?:[_-]?\d+)?(?P<quote>\\*["'])?` +
	`(?P<between>[ \t]*(?:=>?|:=?)[ \t]*|[ \t]+)`)

// passOf distinguishes a password's name from a count of passes.
var passOf = regexp.MustCompile(`(?i)(?:db|sql|pg|user|root|admin|smtp|mail|ftp|ssh|proxy|redis|mongo|registry|login)[_-]?pass`)

// Every such name contains one of these.
var namedWords = []string{"pass", "pwd", "token", "secret", "credential", "key", "docker", "sig"}

// givesValue returns whether a value may follow a name on the line. Most lines about
// tokens only count them.
func givesValue(lower string) bool {
	for _, part := range namedWords {
		for at := 0; ; {
			found := strings.Index(lower[at:], part)
			if found < 0 {
				break
			}
			at += found + len(part)
			rest := strings.TrimLeft(lower[at:], "abcdefghijklmnopqrstuvwxyz0123456789_.-")
			rest = strings.TrimLeft(rest, "\\\"' \t")
			if rest != "" && (rest[0] == ':' || rest[0] == '=') {
				return true
			}
			at = len(lower) - len(rest)
		}
	}
	return (strings.Contains(lower, " --") || strings.HasPrefix(lower, "--")) && holdsAny(lower, namedWords)
}

// pair is such a name as the value of "name", as in containers' variables, up to its
// value. In pairBefore the value comes first.
var (
	pair = regexp.MustCompile(`(?i)` + pairName + `\s*,?\s*(?:- )?\\*["']?value\\*["']?\s*[:=][ \t]*`)

	pairBefore = regexp.MustCompile(`(?i)\bvalue\\*["']?\s*[:=]\s*(?:"(?P<value>(?:[^"\\\n]|\\.)*)"|'(?P<value>[^'\n]*)'` +
		`|\\+"(?P<value>[^"\\\n]*)\\+"|(?P<value>[^\s"'\\,;]+))\s*,?\s*\\*["']?` + pairName)
)

const pairName = `\b(?:name|key)\\*["']?\s*[:=]\s*\\*["']?[\w.-]*` + secretNames + `(?:[_-]?\d+)?\\*["']?`

// blankPairs blanks the values of such pairs.
func blankPairs(text string) string {
	if lower := strings.ToLower(text); !strings.Contains(lower, "value") || !holdsAny(lower, namedWords) {
		return text
	}
	var values []namedValue
	for _, found := range pair.FindAllStringIndex(text, -1) {
		v := valueAt(text, found[1])
		if len(values) > 0 && v.from < values[len(values)-1].to {
			continue
		}
		if block.MatchString(v.text) {
			v.from, v.to = blockAt(text, v.from)
		} else if !v.quoted && !strings.HasPrefix(v.text, blanked) {
			v.to = v.from + len(strings.TrimRight(v.text, "})]"))
		}
		values = append(values, v)
	}
	text = blankValues(text, values)
	values = nil
	for _, found := range pairBefore.FindAllStringSubmatchIndex(text, -1) {
		for i, group := range pairBefore.SubexpNames() {
			if group == "value" && found[2*i] >= 0 {
				values = append(values, namedValue{from: found[2*i], to: found[2*i+1]})
			}
		}
	}
	return blankValues(text, values)
}

// blankValues blanks the values, which are in order, except empty ones and references
// to variables.
func blankValues(text string, values []namedValue) string {
	var out strings.Builder
	end := 0
	for _, v := range values {
		if v.from < end {
			continue
		}
		value := text[v.from:v.to]
		if strings.Trim(value, `()[]{}.|>`) == "" || strings.HasPrefix(value, blanked) || reference.MatchString(value) {
			continue
		}
		out.WriteString(text[end:v.from])
		out.WriteString(blanked)
		end = v.to
	}
	return out.String() + text[end:]
}

var (
	// block begins a YAML block scalar.
	block = regexp.MustCompile(`^[|>][0-9+-]{0,2}$`)

	namedBlock = regexp.MustCompile(`(?im)[\w.-]*` + secretNames + `(?:[_-]?\d+)?["']?[ \t]*:[ \t]*[|>][0-9+-]{0,2}[ \t]*\r?$`)
)

// blankBlocks blanks YAML block scalars with secret names.
func blankBlocks(text string) string {
	if lower := strings.ToLower(text); !strings.ContainsAny(lower, "|>") || !holdsAny(lower, namedWords) {
		return text
	}
	var values []namedValue
	end := 0
	for _, found := range namedBlock.FindAllStringIndex(text, -1) {
		if found[0] < end {
			continue // inside another one; each line is read once
		}
		from, to := blockAt(text, found[0])
		values = append(values, namedValue{from: from, to: to})
		end = to
	}
	return blankValues(text, values)
}

// blockAt returns the block after the line of `at`: the following lines that are
// indented further.
func blockAt(text string, at int) (from, to int) {
	indent := func(line string) int { return len(line) - len(strings.TrimLeft(line, " \t-")) }
	line := text[strings.LastIndexByte(text[:at], '\n')+1:]
	outer := indent(line)
	next := func(at int) int {
		if end := strings.IndexByte(text[at:], '\n'); end >= 0 {
			return at + end + 1
		}
		return len(text)
	}
	from = next(at)
	to = from
	for at := from; at < len(text); at = next(at) {
		line := strings.TrimRight(text[at:next(at)], " \t\r\n")
		if line == "" {
			continue
		}
		if len(line)-len(strings.TrimLeft(line, " \t")) <= outer {
			break
		}
		if to == from {
			from = at + indent(line)
		}
		to = at + len(line)
	}
	return from, to
}

// A model's tokens, and what a parser found, are parts of a text.
var partOfText = regexp.MustCompile(`(?i)(?:\b(?:bos|eos|eot|pad|unk|sep|cls|mask|special|next|last|first|input|output|per)[_ /-]` +
	`|\b(?:unexpected|unknown|illegal|invalid|bad) )token$`)

// prose matches a word of a sentence before the name: "failed to fetch anonymous token:
// Get ...".
var prose = regexp.MustCompile(`[a-z]{2,}[ \t]+$`)

// states are words that logs put after a name to describe its state.
var states = wordSet(`access already an and any are at authentication authorization bad be been
	but by can cannot cancelled cert certificate check client code configmap connection context
	corrupt could couldn't deadline decode decoding delete denied deprecated dial did disabled does
	doesn't empty enabled eof error exec expected expires expired failed failure false file for forbidden
	found from get given got had has have head http https i/o illegal in incorrect insufficient
	internal invalid io is isn't it its json key lacks length malformed may mismatch missing must nil no
	none not null object of ok on only open or out parse passed permission please post provided put
	read refresh refused rejected request required requires revoked rpc secret see server should
	status string syntax the there this timeout to token too true type unable unauthenticated
	unauthorized undefined unexpected unknown unrecognized unset unsupported use used user value
	volume was were when while will with without wrong yes you your`)

// nothing are words that programs write after "=" for a missing or useless value.
var nothing = wordSet(`empty expired false invalid missing nil none null required true undefined unset`)

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(words) {
		set[word] = true
	}
	return set
}

// blankNamed blanks the values of secret names, whatever they look like; a quoted value
// as a whole. Words of a sentence stay, because causes are read from them.
func blankNamed(text, lower string) string {
	if !givesValue(lower) {
		return text
	}
	var out strings.Builder
	end := 0
	for end < len(text) {
		found := named.FindStringSubmatchIndex(text[end:])
		if found == nil {
			break
		}
		from := end + found[1]
		group := func(name string) string {
			i := 2 * named.SubexpIndex(name)
			if found[i] < 0 {
				return ""
			}
			return text[end+found[i] : end+found[i+1]]
		}
		name := text[end+found[0] : end+found[2*named.SubexpIndex("between")]]
		v := valueAt(text, from)
		v.name, v.between, v.password = name, group("between"), group("password") != ""
		v.before = text[max(end+found[0]-40, 0) : end+found[0]]
		out.WriteString(text[end:from])
		if v.isSecret() {
			out.WriteString(text[from:v.from])
			out.WriteString(blanked)
			end = v.to
			continue
		}
		end = from
	}
	out.WriteString(text[end:])
	return out.String()
}

// namedValue is a value with its context.
type namedValue struct {
	text          string
	from, to      int
	quoted        bool
	before        string
	name, between string
	password      bool
}

// valueAt returns the value that begins at `at`, without quotes. An unclosed one
// extends to the end of the line.
func valueAt(text string, at int) namedValue {
	open := at
	for open < len(text) && text[open] == '\\' {
		open++
	}
	if open < len(text) && (text[open] == '"' || text[open] == '\'') {
		mark := text[at : open+1]
		from := open + 1
		to := from
		for to < len(text) && text[to] != '\n' && !strings.HasPrefix(text[to:], mark) {
			if text[to] == '\\' && len(mark) == 1 && to+1 < len(text) {
				to++
			}
			to++
		}
		return namedValue{text: text[from:to], from: from, to: to, quoted: true}
	}
	to := at
	for to < len(text) && !strings.ContainsRune(" \t\r\n\"',;&", rune(text[to])) {
		to++
	}
	return namedValue{text: text[at:to], from: at, to: to}
}

var (
	reference = regexp.MustCompile(`^(?:\$\w+|\$\{[^}]*\}|\$\([^)]*\)|<[^>]*>|\*+)\W*$`)
	chained   = regexp.MustCompile(`^[\w./-]+:$`)
	number    = regexp.MustCompile(`^\d{1,9}(?:\.\d{1,9})?$`)
	code      = regexp.MustCompile(`^[A-Za-z_]\w*(?:\.\w+)*[\[(]`)
)

func (v *namedValue) isSecret() bool {
	sentence := !v.quoted && strings.HasPrefix(v.between, ":")
	switch {
	case strings.Trim(v.text, `()[]{}.`) == "" || strings.HasPrefix(v.text, blanked) || reference.MatchString(v.text):
		return false
	case strings.HasPrefix(v.text, "=") || strings.HasPrefix(v.text, ":"):
		return false // a == b, a::b
	case sentence && block.MatchString(v.text):
		return false // blankBlocks handles the lines below
	case !v.quoted && strings.HasPrefix(v.between, " ") && code.MatchString(v.text):
		return false // token = os.environ["TOKEN"]
	case sentence && strings.HasSuffix(v.before, "/"):
		return false // /etc/passwd: no such file
	case strings.TrimSpace(v.between) == "" && (!strings.HasPrefix(v.name, "--") || strings.HasPrefix(v.text, "-")):
		return false
	case strings.HasPrefix(v.between, " ") && strings.Contains(v.between, ":") && !v.quoted:
		return looksRandom(v.text) // volume "token" : secret "x" not found
	case sentence && chained.MatchString(v.text), v.isStates():
		return false
	case v.password, passOf.MatchString(v.name):
		return true
	case number.MatchString(v.text), isPath(v.text):
		return false
	case partOfText.MatchString(v.before + v.name), sentence && prose.MatchString(v.before):
		return looksRandom(v.text)
	}
	return true
}

// isStates returns whether the value has only words that describe a state.
func (v *namedValue) isStates() bool {
	known := states
	if strings.Contains(v.between, "=") {
		known = nothing
	}
	for _, word := range strings.Fields(v.text) {
		if !known[strings.ToLower(strings.Trim(word, `.,:;!?()[]{}"'`))] {
			return false
		}
	}
	return true
}

// isPath returns whether the value is a path to a secret. Base64 keys contain slashes,
// too.
func isPath(text string) bool {
	if !strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "./") && !strings.HasPrefix(text, "~/") {
		return false
	}
	for _, part := range strings.Split(text, "/") {
		if len(part) >= 12 && looksRandom(part) {
			return false
		}
	}
	return true
}
