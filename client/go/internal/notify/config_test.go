package notify

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWhatIsWrongIsNamedAtTheStart(t *testing.T) {
	folder := t.TempDir()
	short, two := filepath.Join(folder, "short"), filepath.Join(folder, "two")
	write(t, short, "token")
	write(t, two, "https://a\nhttps://b")
	receiver := func(text string) string { return "receivers: [{name: a, " + text + "}]" }
	for _, test := range []struct{ name, text, want string }{
		{"no receivers", "cluster: a", "receivers: none, expected at least one"},
		{"an unknown key", receiver("web: {}"), `unknown field "web"`},
		{"no name", "receivers: [{webhook: {url: 'https://h'}}]", "receivers[0].name: empty"},
		{"a name twice", "receivers: [{name: a, webhook: {url: 'https://h'}}, {name: a, webhook: {url: 'https://h'}}]", `receivers[1].name: "a" is that of another one`},
		{"no way to it", receiver("webhook: null"), "webhook, alertmanager: 0 are given, expected exactly one"},
		{"two ways to it", receiver("webhook: {url: 'https://h'}, alertmanager: {url: 'https://h'}"), "2 are given, expected exactly one"},
		{"no address", receiver("webhook: {}"), "webhook.url, urlFile: expected exactly one of them"},
		{"no URL", receiver("webhook: {url: 'file:///etc/passwd'}"), "webhook.url: no such URL, expected https://HOST/PATH"},
		{"a file that is not there", receiver("webhook: {urlFile: /no/such}"), "webhook.urlFile: open /no/such"},
		{"a file of two lines", receiver("webhook: {urlFile: '" + two + "'}"), "webhook.urlFile: " + two + ": expected one line"},
		{"a token in the clear", receiver("webhook: {url: 'http://h', bearerTokenFile: '" + short + "'}"), "a token would travel over http, expected a URL of https"},
		{"an invalid authority", receiver("webhook: {url: 'https://h', caFile: '" + short + "'}"), "has no certificate in it, expected PEM"},
		{"a story without a host", "storyURL: '/stories/{{.Name}}'\n" + receiver("webhook: {url: 'https://h'}"), `storyURL: it yields "/stories/`},
		{"a story with an unknown field", "storyURL: 'https://h/{{.Job}}'\n" + receiver("webhook: {url: 'https://h'}"), "can't evaluate field Job"},
		{"a time without a unit", "repeatAfter: 12\n" + receiver("webhook: {url: 'https://h'}"), "12 is no duration, expected a number with a unit, such as 12h"},
		{"a negative time", "repeatAfter: -1h\n" + receiver("webhook: {url: 'https://h'}"), "repeatAfter: -1h0m0s, expected a positive duration"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Parse([]byte(test.text))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q in it", err, test.want)
			}
		})
	}
}

func TestReturnsAllErrorsTogether(t *testing.T) {
	_, err := Parse([]byte("storyURL: 'x'\nrepeatAfter: -1h\nreceivers: [{webhook: {url: x}}]"))
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"storyURL", "name: empty", "repeatAfter", "webhook.url"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in: %v", want, err)
		}
	}
}

// The documentation's example works.
func TestTheExampleOfTheDocumentation(t *testing.T) {
	text, err := os.ReadFile("../../../../docs/notifications.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, ok := strings.Cut(string(text), "```yaml\n")
	if !ok {
		t.Fatal("no example")
	}
	example, _, _ = strings.Cut(example, "```")
	folder := t.TempDir()
	write(t, filepath.Join(folder, "hook-url"), "https://hooks.example.org/T/B/X")
	if _, err := Parse([]byte(strings.ReplaceAll(example, "/etc/mulligan/receivers", folder))); err != nil {
		t.Error(err)
	}
}
