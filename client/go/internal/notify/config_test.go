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
	write(t, short, "whsec_c2hvcnQ=")
	write(t, two, "https://a\nhttps://b")
	receiver := func(text string) string { return "receivers: [{name: a, " + text + "}]" }
	for _, test := range []struct{ name, text, want string }{
		{"no receivers", "cluster: a", "receivers: none, expected at least one"},
		{"an unknown key", receiver("web: {}"), `unknown field "web"`},
		{"no name", "receivers: [{slack: {url: 'https://h'}}]", "receivers[0].name: empty"},
		{"a name twice", "receivers: [{name: a, slack: {url: 'https://h'}}, {name: a, slack: {url: 'https://h'}}]", `receivers[1].name: "a" is that of another one`},
		{"no way to it", receiver("perMinute: 3"), "webhook, slack, alertmanager: 0 are given, expected exactly one"},
		{"two ways to it", receiver("slack: {url: 'https://h'}, webhook: {url: 'https://h'}"), "2 are given, expected exactly one"},
		{"no address", receiver("slack: {channel: c}"), "slack.url, urlFile: expected exactly one of them"},
		{"no URL", receiver("slack: {url: 'file:///etc/passwd'}"), "slack.url: no such URL, expected https://HOST/PATH"},
		{"a file that is not there", receiver("slack: {urlFile: /no/such}"), "slack.urlFile: open /no/such"},
		{"a file of two lines", receiver("slack: {urlFile: '" + two + "'}"), "slack.urlFile: " + two + ": expected one line"},
		{"an unknown actor", receiver("match: {actors: [user]}, slack: {url: 'https://h'}"), `match.actors: "user", expected one of [USER PLATFORM]`},
		{"an unknown domain", receiver("match: {faultDomains: [NODES]}, slack: {url: 'https://h'}"), `match.faultDomains: "NODES", expected one of [APPLICATION`},
		{"an unknown cause", receiver("match: {causes: [OOM]}, slack: {url: 'https://h'}"), `match.causes: "OOM", expected one of [`},
		{"a rate below one", receiver("perMinute: -1, slack: {url: 'https://h'}"), "perMinute: -1, expected at least 1"},
		{"a template that does not end", receiver("webhook: {url: 'https://h', template: '{{.Problem'}"), "receivers[0] (a).webhook.template: template: template:1: unclosed action"},
		{"a template with an unknown field", receiver("webhook: {url: 'https://h', template: '{{json .Probleme}}'}"), "can't evaluate field Probleme"},
		{"a template that texts break out of", receiver(`webhook: {url: 'https://h', template: '{"a": "{{.Problem}}"}'}`), "receivers[0] (a).webhook.template: with a quote in .Problem it yields no JSON, expected {{json .Problem}} there, its quotes included, for contentType application/json"},
		{"a template of which only the second text breaks", receiver(`webhook: {url: 'https://h', template: '{"a": {{json .Problem}}, "b": "{{.Node}}"}'}`), "with a quote in .Node it yields no JSON, expected {{json .Node}} there"},
		{"a template that is no JSON at all", receiver("webhook: {url: 'https://h', template: 'problem={{.Problem}}'}"), "it yields no JSON (invalid character 'p' looking for beginning of value), expected JSON for contentType application/json"},
		{"a content type that is none", receiver("webhook: {url: 'https://h', contentType: json}"), `contentType: "json", expected one such as application/json`},
		{"a content type with a parameter that is none", receiver("webhook: {url: 'https://h', contentType: 'text/plain; charset'}"), `contentType: "text/plain; charset", expected one such as application/json`},
		{"a content type of two lines", receiver(`webhook: {url: 'https://h', contentType: "text/plain; a=\"\n\""}`), "expected one such as application/json"},
		{"a short key", receiver("webhook: {url: 'https://h', hmacKeyFile: '" + short + "'}"), "expected whsec_ and base64 of at least 24 bytes"},
		{"a token in the clear", receiver("webhook: {url: 'http://h', bearerTokenFile: '" + short + "'}"), "a token would travel over http, expected a URL of https"},
		{"an authority that is none", receiver("webhook: {url: 'https://h', caFile: '" + short + "'}"), "has no certificate in it, expected PEM"},
		{"a story without a host", "storyURL: '/stories/{{.Name}}'\n" + receiver("slack: {url: 'https://h'}"), `storyURL: it yields "/stories/`},
		{"a story with an unknown field", "storyURL: 'https://h/{{.Job}}'\n" + receiver("slack: {url: 'https://h'}"), "can't evaluate field Job"},
		{"a time without a unit", "repeatAfter: 12\n" + receiver("slack: {url: 'https://h'}"), "12 is no duration, expected a number with a unit, such as 12h"},
		{"a negative time", "repeatAfter: -1h\n" + receiver("slack: {url: 'https://h'}"), "repeatAfter: -1h0m0s, expected a positive duration"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Parse([]byte(test.text))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q in it", err, test.want)
			}
		})
	}
}

// Templates of every JSON media type have to yield JSON; templates of other types do not.
func TestTemplatesOfEveryJSONTypeAreChecked(t *testing.T) {
	const lines, sequence = "{\"a\": {{json .Problem}}}\n{\"b\": 1}\n", "\x1e{\"a\": {{json .Problem}}}\n"
	for _, test := range []struct {
		contentType string
		isJSON      bool
		good        string
	}{
		{"application/json", true, "{{json .}}"},
		{"Application/JSON; Charset=utf-8", true, "{{json .}}"},
		{"text/json", true, "{{json .}}"},
		{"application/x-json", true, "{{json .}}"},
		{"application/cloudevents+json", true, "{{json .}}"},
		{"application/vnd.pagerduty+json;version=2", true, "{{json .}}"},
		{"application/problem+JSON", true, "{{json .}}"},
		{"application/ld+json", true, "{{json .}}"},
		{"application/x-ndjson", true, lines},
		{"application/ndjson", true, lines},
		{"application/jsonl", true, lines},
		{"application/json-seq", true, sequence},
		{"application/geo+json-seq", true, sequence},
		{"text/plain", false, ""},
		{"application/x-www-form-urlencoded", false, ""},
		{"application/jsonpath", false, ""},
		{`application/xml; profile="application/json"`, false, ""},
	} {
		t.Run(test.contentType, func(t *testing.T) {
			load := func(template string) error {
				_, err := newWebhookPoster(&Webhook{Template: template, ContentType: test.contentType})
				return err
			}
			for _, bad := range []string{`{"a": "{{.Problem}}"}`, "{{.Problem}}", `{"a": {{json .Problem}}`, "{{json .Problem}}}", "nothing"} {
				if err := load(bad); (err != nil) != test.isJSON {
					t.Errorf("template %s: error %v, want one only where it has to be JSON", bad, err)
				} else if err != nil && !strings.Contains(err.Error(), "for contentType ") {
					t.Errorf("template %s: error %v, want the type in it", bad, err)
				}
			}
			if err := load(test.good); test.isJSON && err != nil {
				t.Errorf("template %q: %v", test.good, err)
			}
		})
	}
}

func TestAllMistakesAreNamedTogether(t *testing.T) {
	_, err := Parse([]byte("storyURL: 'x'\nreceivers: [{perMinute: -1, match: {actors: [me]}, slack: {url: x}}]"))
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"storyURL", "name: empty", "perMinute", "actors", "slack.url"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in: %v", want, err)
		}
	}
}

// The example of the documentation is one that works.
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
	write(t, filepath.Join(folder, "slack-url"), "https://hooks.slack.example/services/T/B/X")
	write(t, filepath.Join(folder, "pager-key"), "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3")
	if _, err := Parse([]byte(strings.ReplaceAll(example, "/etc/mulligan/receivers", folder))); err != nil {
		t.Error(err)
	}
}
