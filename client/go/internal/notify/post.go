package notify

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"os"
	"strconv"
	"strings"
	"text/template"
	"time"
)

// poster makes the request that tells a message.
type poster interface {
	// body is made once; path is added to the service's URL.
	body(*Message) (text []byte, contentType, path string, err error)
	// sign adds what depends on when it is sent.
	sign(header http.Header, message *Message, body []byte, now time.Time) error
}

const jsonType = "application/json"

// Nothing is signed.
type unsigned struct{}

func (unsigned) sign(http.Header, *Message, []byte, time.Time) error { return nil }

type webhookPoster struct {
	template    *template.Template
	contentType string
	keyFile     string
}

func newWebhookPoster(w *Webhook) (poster, error) {
	text, contentType := w.Template, w.ContentType
	if text == "" {
		text = "{{json .}}"
	}
	if contentType == "" {
		contentType = jsonType
	}
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil || !strings.Contains(media, "/") || strings.ContainsFunc(contentType, unprintable) {
		return nil, fmt.Errorf("contentType: %q, expected one such as %s", contentType, jsonType)
	}
	t, err := parseTemplate(text)
	if err == nil {
		err = checkTemplate(t, media)
	}
	if err != nil {
		return nil, fmt.Errorf("template: %w", err)
	}
	if w.HMACKeyFile != "" {
		if _, err := keyIn(w.HMACKeyFile); err != nil {
			return nil, fmt.Errorf("hmacKeyFile: %w", err)
		}
	}
	return webhookPoster{t, contentType, w.HMACKeyFile}, nil
}

func unprintable(r rune) bool { return r < ' ' || r > '~' }

func (p webhookPoster) body(m *Message) ([]byte, string, string, error) {
	text, err := render(p.template, m)
	return text, p.contentType, "", err
}

// sign is that of Standard Webhooks: id, time and body, so that nothing old is sent again.
func (p webhookPoster) sign(header http.Header, m *Message, body []byte, now time.Time) error {
	if p.keyFile == "" {
		return nil
	}
	key, err := keyIn(p.keyFile)
	if err != nil {
		return err
	}
	seconds := strconv.FormatInt(now.Unix(), 10)
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", m.ID, seconds, body)
	header.Set("Webhook-Id", m.ID)
	header.Set("Webhook-Timestamp", seconds)
	header.Set("Webhook-Signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	return nil
}

// Shorter keys can be guessed.
const minKey = 24

func keyIn(file string) ([]byte, error) {
	text, err := secretIn(file)
	if err != nil {
		return nil, err
	}
	encoded, ok := strings.CutPrefix(text, "whsec_")
	key, err := base64.StdEncoding.DecodeString(encoded)
	if !ok || err != nil || len(key) < minKey {
		return nil, fmt.Errorf("%s has no key in it, expected whsec_ and base64 of at least %d bytes", file, minKey)
	}
	return key, nil
}

// secretIn reads a file that has one line.
func secretIn(file string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	secret := strings.TrimSpace(string(text))
	if secret == "" || strings.ContainsAny(secret, "\r\n") {
		return "", errors.New(file + ": expected one line")
	}
	return secret, nil
}

type slackPoster struct{ channel string }

func (slackPoster) sign(http.Header, *Message, []byte, time.Time) error { return nil }

func (p slackPoster) body(m *Message) ([]byte, string, string, error) {
	text, err := json.Marshal(struct {
		Text        string `json:"text"`
		Channel     string `json:"channel,omitempty"`
		Mrkdwn      bool   `json:"mrkdwn"`
		UnfurlLinks bool   `json:"unfurl_links"`
	}{strings.Join(slackLines(m), "\n"), p.channel, true, false})
	return text, jsonType, "", err
}

// slackLines are what is told, texts of others as code.
func slackLines(m *Message) []string {
	title := fmt.Sprintf("*%s* %s %s: %s", titleOf(m), m.Kind, literal(m.Namespace+"/"+m.Name), m.Cause)
	lines := []string{title, literal(m.Problem), "Do first: " + literal(m.FirstStep)}
	if more := moreOf(m); more != "" {
		lines = append(lines, more)
	}
	if m.StoryURL != "" {
		lines = append(lines, "<"+strings.ReplaceAll(slackEscapes.Replace(m.StoryURL), "|", "%7C")+"|story>")
	}
	return lines
}

// titleOf is who has to act, and on what.
func titleOf(m *Message) string {
	title := map[string]string{"USER": "Your work waits for you", "PLATFORM": "The platform has to act"}[m.Actor]
	if m.Cluster != "" {
		title += " in " + slackEscapes.Replace(m.Cluster)
	}
	return title
}

func moreOf(m *Message) string {
	var parts []string
	if m.More > 0 {
		parts = append(parts, fmt.Sprintf("%d more failures of it since it was told last.", m.More))
	}
	if m.Lost > 0 {
		parts = append(parts, fmt.Sprintf("%d messages before this one were lost.", m.Lost))
	}
	return strings.Join(parts, " ")
}

type alertPoster struct {
	unsigned
	firingFor time.Duration
}

func newAlertPoster(a *Alertmanager, c *Config) poster {
	firing := a.FiringFor.Duration
	if firing <= 0 {
		firing = c.RepeatAfter.Duration
	}
	return alertPoster{firingFor: firing}
}

// body has labels that make the alerts of an incident one, and annotations that tell of it.
func (p alertPoster) body(m *Message) ([]byte, string, string, error) {
	labels := map[string]string{
		"alertname": "MulliganNeedsSomebody", "cause": m.Cause, "fault_domain": m.FaultDomain,
		"actor": strings.ToLower(m.Actor), "severity": severities[m.Actor], "cluster": m.Cluster,
		"derived_cause": m.DerivedCause,
	}
	switch {
	case m.Actor == "USER":
		labels["namespace"], labels["team"] = m.Namespace, m.Team
		labels["workload_kind"], labels["workload"] = m.Kind, m.Name
	case m.ofMany:
	case m.Node != "":
		labels["node"] = m.Node
	default:
		labels["namespace"] = m.Namespace
	}
	annotations := map[string]string{
		"summary": fmt.Sprintf("%s %s/%s: %s", m.Kind, m.Namespace, m.Name, m.Problem), "first_step": m.FirstStep,
		"command": m.Command, "decision": m.Sentence, "story": m.StoryURL, "more": moreOf(m),
	}
	for _, set := range []map[string]string{labels, annotations} {
		for name, value := range set {
			if value == "" {
				delete(set, name)
			}
		}
	}
	text, err := json.Marshal([]map[string]any{{
		"labels": labels, "annotations": annotations, "generatorURL": m.StoryURL,
		"startsAt": m.Time.Format(time.RFC3339Nano), "endsAt": m.Time.Add(p.firingFor).Format(time.RFC3339Nano),
	}})
	return text, jsonType, "/api/v2/alerts", err
}

// Work of one is another matter than what strikes many.
var severities = map[string]string{"USER": "info", "PLATFORM": "warning"}
