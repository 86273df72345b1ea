package mulligan

import (
	"regexp"
	"strings"
)

const blanked = "[blanked]"

// secrets are texts that look like secrets; group "keep" stays, the rest goes. The order
// matters: what is long and certain comes first.
var secrets = []struct {
	what    string
	pattern *regexp.Regexp
	// What decides about a text that the pattern alone does not tell from a word.
	random bool
}{
	{"a private key", regexp.MustCompile(`(?s)(?P<keep>)-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----.*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|\z)`), false},
	{"a private key whose beginning is cut", regexp.MustCompile(`(?P<keep>)\A[A-Za-z0-9+/=\s]*-----END [A-Z ]{0,40}PRIVATE KEY-----`), false},
	{"a JSON web token", regexp.MustCompile(`(?P<keep>)\beyJ[\w-]{10,}\.[\w-]{5,}(?:\.[\w-]*)?`), false},
	{"a user's password in a URL", regexp.MustCompile(`(?P<keep>\b[a-zA-Z][a-zA-Z0-9+.-]{1,30}://[^\s/:@]{0,256}:)[^\s/@]{1,256}@`), false},
	{"a header", regexp.MustCompile(`(?i)(?P<keep>\b(?:proxy-)?authorization["']?\s*[:=]\s*["']?)(?:(?:basic|bearer|token|digest|negotiate|aws4-hmac-sha256)\s+)?[^\s"',;]+`), false},
	{"a bearer", regexp.MustCompile(`(?i)(?P<keep>\bbearer\s+)[\w.~+/=-]{16,}`), true},
	{"a cookie", regexp.MustCompile(`(?i)(?P<keep>\b(?:set-)?cookie["']?\s*:\s*)[^\r\n]+`), false},
	{"keys by what they begin with: AWS, GitHub, GitLab, Hugging Face, Slack, OpenAI and Anthropic, Google, npm, PyPI, Stripe, Databricks", regexp.MustCompile(
		`(?P<keep>)(?:\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bgh[pousr]_\w{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}|\bhf_[A-Za-z0-9]{20,}|\bxox[abeoprs]-[\w-]{10,}|\bsk-[\w-]{20,}|\bAIza[\w-]{30,}|\bya29\.[\w.-]{20,}|\bnpm_\w{30,}|\bpypi-[\w-]{30,}|\b[rs]k_(?:live|test)_\w{16,}|\bdapi[0-9a-f]{32}\b|\bhooks\.slack\.com/services/\S+)`), false},
	{"a user's password for curl", regexp.MustCompile(`(?m)(?P<keep>(?:^|\s)(?:-u|--user)[ \t=]*[A-Za-z][^\s:"'/]*:)[^\s"']+`), false},
	{"a user's password for curl, quoted", regexp.MustCompile(`(?m)(?P<keep>(?:^|\s)(?:-u|--user)[ \t=]*["'][^\n:"'/]+:)[^\n"']+`), false},
	{"a key that a login is given", regexp.MustCompile(`(?i)(?P<keep>\blogin[ \t]+(?:--?[a-z-]+[ \t]+)*)[\w.~+/=-]{20,}`), true},
	{"what looks like a secret, beside a name that speaks of one", regexp.MustCompile(`(?i)(?P<keep>[\w.-]*(?:secret|token|api[_-]?key|access[_-]?key|private[_-]?key|account[_-]?key|credentials?|[?&]sig|signature)[\w.-]*["']?\s*[:=]\s*["']?)[\w.~+/=%-]{12,}`), true},
}

// Blank replaces what looks like a secret in a text: private keys, tokens by their form or
// by what they begin with, passwords and keys by the name before them. It errs to both
// sides: what it does not know stays, and a text that only looks like one goes.
func Blank(text string) string {
	return blankNamed(blankFormed(text))
}

func blankFormed(text string) string {
	for _, secret := range secrets {
		keep := secret.pattern.SubexpIndex("keep")
		if !secret.pattern.MatchString(text) {
			continue
		}
		var out strings.Builder
		end := 0
		for _, found := range secret.pattern.FindAllStringSubmatchIndex(text, -1) {
			kept := text[found[2*keep]:found[2*keep+1]]
			value := text[found[2*keep+1]:found[1]]
			if secret.random && !looksRandom(value) {
				continue
			}
			out.WriteString(text[end:found[0]])
			out.WriteString(kept)
			out.WriteString(blanked)
			if strings.HasSuffix(value, "@") {
				out.WriteByte('@')
			}
			end = found[1]
		}
		out.WriteString(text[end:])
		text = out.String()
	}
	return text
}

// looksRandom: words, numbers and paths are none.
func looksRandom(value string) bool {
	digits, letters := 0, 0
	for _, r := range value {
		switch {
		case '0' <= r && r <= '9':
			digits++
		case 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z':
			letters++
		}
	}
	return digits >= 2 && letters >= 2 && !strings.HasPrefix(value, "/") && !strings.HasPrefix(value, blanked)
}
