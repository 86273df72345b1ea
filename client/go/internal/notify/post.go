package notify

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"
)

// poster makes the body of a message; path is appended to the service's URL.
type poster interface {
	body(*Message) (text []byte, contentType, path string, err error)
}

// eventPoster makes events in the structured mode of CloudEvents 1.0.
type eventPoster struct{ cluster string }

func (p eventPoster) body(m *Message) ([]byte, string, string, error) {
	source := "/mulligan-controller"
	if p.cluster != "" {
		source += "/" + url.PathEscape(p.cluster)
	}
	text, err := json.Marshal(map[string]any{
		"specversion": "1.0", "id": m.ID, "source": source, "type": "dev.mulligan.failure",
		"subject": strings.Join([]string{m.Namespace, m.Kind, m.Name}, "/"), "time": m.Time.Format(time.RFC3339Nano),
		"datacontenttype": "application/json", "data": m,
	})
	return text, "application/cloudevents+json", "", err
}

// secretIn reads a file with one line.
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

func moreOf(m *Message) string {
	var parts []string
	if m.More > 0 {
		parts = append(parts, fmt.Sprintf("%d more failures of it since the last message.", m.More))
	}
	if m.Lost > 0 {
		parts = append(parts, fmt.Sprintf("%d messages before this one were lost.", m.Lost))
	}
	return strings.Join(parts, " ")
}

type alertPoster struct{ firingFor time.Duration }

func newAlertPoster(a *Alertmanager, c *Config) poster {
	firing := a.FiringFor.Duration
	if firing <= 0 {
		firing = c.RepeatAfter.Duration
	}
	return alertPoster{firingFor: firing}
}

// body makes labels that group the alerts of an incident, and annotations that describe
// it.
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
	return text, "application/json", "/api/v2/alerts", err
}

// A failure of one user's work is less severe than one that affects many.
var severities = map[string]string{"USER": "info", "PLATFORM": "warning"}
