// Package secrets removes likely secrets from texts that leave a process.
package secrets

import (
	"regexp"
	"strings"
)

const blanked = "[blanked]"

// formed are secrets recognized by their form on a line or by their context. Group
// "keep" stays, the rest is blanked. The order matters: certain ones come first.
var formed = []struct {
	what string
	// In lower case. The pattern is tried only on lines with one of them.
	words   []string
	pattern *regexp.Regexp
	// Decides about values that the pattern cannot distinguish from words.
	is func(value string) bool
	// It follows a name that suggests a secret.
	named bool
}{
	{"a header", []string{"authorization"}, regexp.MustCompile(`(?i)(?P<keep>\b(?:proxy-)?authorization\\*["']?\s*[:=]\s*\\*["']?)(?:(?:basic|bearer|token|digest|negotiate|aws4-hmac-sha256)\s+)?[^\s"'\\,;]+`), isCredential, false},
	{"a bearer", []string{"bearer"}, regexp.MustCompile(`(?i)(?P<keep>\bbearer\s+)[\w.~+/=-]{16,}`), looksRandom, false},
	{"a cookie", []string{"cookie"}, regexp.MustCompile(`(?i)(?P<keep>\b(?:set-)?cookie["']?\s*:\s*)[^\r\n]+`), nil, false},
	{"a registry's user and password", []string{"auth"}, regexp.MustCompile(`(?i)(?P<keep>["']?\bauth\\*["']?\s*:\s*\\*["']?)[A-Za-z0-9+/_-]{8,}={0,2}`), encodesUser, false},
	{"a user's password for curl", []string{"-u", "--user"}, regexp.MustCompile(`(?P<keep>(?:^|\s)(?:-u|--user)[ \t=]*[A-Za-z][^\s:"'/]*:)[^\s"']+`), nil, false},
	{"a user's password for curl, quoted", []string{"-u", "--user"}, regexp.MustCompile(`(?P<keep>(?:^|\s)(?:-u|--user)[ \t=]*["'][^\n:"'/]+:)[^\n"']+`), nil, false},
	{"a user's password for MySQL's drivers", []string{"@tcp(", "@unix("}, regexp.MustCompile(`(?P<keep>[\w.-]+:)[^\s]+?@(?:tcp|unix)\(`), nil, false},
	{"a password that a login is given", []string{"login", "sshpass"}, regexp.MustCompile(`(?P<keep>\b(?:login\b.{0,200}?|sshpass)\s-p[ =]?["']?)[^\s"']+`), nil, false},
	{"a key that a login is given", []string{"login"}, regexp.MustCompile(`(?i)(?P<keep>\blogin[ \t]+(?:--?[a-z-]+[ \t]+|key[ \t]+)*)[\w.~+/=-]{20,}`), looksRandom, false},
	{"a password in .netrc", []string{"login"}, regexp.MustCompile(`(?i)(?P<keep>\blogin[ \t]+\S+[ \t]+password[ \t]+)\S+`), nil, false},
	{"a password in .pgpass", []string{":"}, regexp.MustCompile(`(?P<keep>^[\w.*-]+:(?:\d{2,5}|\*):[^:\s]+:[^:\s]+:)\S+`), nil, false},
	{"a password that MySQL's client is given", []string{"mysql"}, regexp.MustCompile(`(?P<keep>\bmysql(?:dump|admin)?\s(?:.{0,200}?\s)?-p)[^\s-]\S*`), nil, false},
	{"a password that Redis is given", []string{"auth "}, regexp.MustCompile(`(?P<keep>(?:^|[\s"'])AUTH[ \t]+(?:\w+[ \t]+)?)\S{8,}`), looksRandom, false},
	{"a refresh token of Google", []string{"1//0"}, regexp.MustCompile(`(?P<keep>\b)1//0[\w-]{20,}`), nil, false},
	{"keys with a mark in their middle: Terraform, Azure, Telegram, Airtable", []string{".atlasv1.", "q~", ":a", "pat"}, regexp.MustCompile(
		`(?P<keep>)(?:\b\w{14}\.atlasv1\.[\w=-]{40,}|[\w.~-]{3}\dQ~[\w.~-]{31,}|\b\d{5,16}:A[\w-]{34,}|\bpat\w{14}\.[0-9a-f]{64})`), nil, false},
	{"a likely secret after a name that suggests one", []string{"secret", "token", "key", "credential", "sig"}, regexp.MustCompile(`(?i)(?P<keep>[\w.-]*(?:secret|token|api[_-]?key|access[_-]?key|private[_-]?key|account[_-]?key|key[_-]data|credentials?|[?&]sig|signature)[\w.-]*["']?\s*[:=]\s*["']?)[\w.~+/=%-]{12,}`), looksRandom, true},
}

// Blank replaces likely secrets in a text: private keys, tokens by their form or
// prefix, passwords and keys by the name before them, and all these in base64. It may
// miss unknown secrets, and may blank harmless text. Its time is linear in the text.
func Blank(text string) string {
	// A Kubernetes Secret is base64 of data that may contain base64.
	return blank(text, 3)
}

func blank(text string, wrapped int) string {
	text = blankWebTokens(blankKeys(text))
	if wrapped > 0 {
		text = blankEncoded(text, wrapped-1)
	}
	text = blankBlocks(blankPairs(blankURLs(blankTokens(text))))
	return eachLine(text, func(line string) string {
		lower := strings.ToLower(line)
		return blankNamed(blankFormed(line, lower), lower)
	})
}

// eachLine changes the lines of a text one by one.
func eachLine(text string, change func(string) string) string {
	var out strings.Builder
	for text != "" {
		end := strings.IndexByte(text, '\n') + 1
		if end == 0 {
			end = len(text)
		}
		out.WriteString(change(text[:end]))
		text = text[end:]
	}
	return out.String()
}

func holdsAny(text string, words []string) bool {
	for _, word := range words {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

func blankFormed(line, lower string) string {
	for _, secret := range formed {
		if !holdsAny(lower, secret.words) || secret.named && !givesValue(lower) {
			continue
		}
		keep := secret.pattern.SubexpIndex("keep")
		var out strings.Builder
		end := 0
		for _, found := range secret.pattern.FindAllStringSubmatchIndex(line, -1) {
			kept := line[found[2*keep]:found[2*keep+1]]
			value := line[found[2*keep+1]:found[1]]
			if strings.HasPrefix(value, blanked) || secret.is != nil && !secret.is(value) {
				continue
			}
			out.WriteString(line[end:found[0]])
			out.WriteString(kept)
			out.WriteString(blanked)
			if at := strings.LastIndexByte(value, '@'); strings.HasSuffix(value, "(") && at >= 0 {
				out.WriteString(value[at:])
			}
			end = found[1]
		}
		if end > 0 {
			line = out.String() + line[end:]
		}
	}
	return line
}

// isCredential distinguishes a header's value from a word of a sentence.
func isCredential(value string) bool {
	return strings.ContainsAny(value, " \t") || looksRandom(value)
}

// looksRandom returns false for words, numbers and paths.
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
