package notify

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"time"

	"sigs.k8s.io/yaml"
)

// Config says what is sent to whom; docs/notifications.md explains it by example.
type Config struct {
	// Cluster is in each message, for people who work with several clusters.
	Cluster string `json:"cluster"`
	// StoryURL is a template for the address of a failure's page, with the fields of
	// Message, each escaped for a URL. If empty, messages have no such address.
	StoryURL string `json:"storyURL"`
	// TeamLabel is the label of workloads that names their team. Default: team.
	TeamLabel string `json:"teamLabel"`
	// RepeatAfter is how long an incident is not reported again. Default: 12h.
	RepeatAfter Duration `json:"repeatAfter"`
	// Receivers, at least one.
	Receivers []Receiver `json:"receivers"`
}

// Duration is a text with a unit, "12h".
type Duration struct{ time.Duration }

// UnmarshalJSON refuses numbers, because they have no unit.
func (d *Duration) UnmarshalJSON(text []byte) error {
	var written string
	err := json.Unmarshal(text, &written)
	if err == nil {
		d.Duration, err = time.ParseDuration(written)
	}
	if err != nil {
		return fmt.Errorf("%s is no duration, expected a number with a unit, such as 12h", text)
	}
	return nil
}

// Receiver gets every message, by exactly one of Webhook and Alertmanager.
type Receiver struct {
	// Name in errors and metrics; unique.
	Name string `json:"name"`
	// Webhook receives CloudEvents.
	Webhook      *Service      `json:"webhook"`
	Alertmanager *Alertmanager `json:"alertmanager"`

	post    poster
	service Service
}

// Service is where messages are posted.
type Service struct {
	// URL, or a file with only the URL, because some are secrets.
	URL     string `json:"url"`
	URLFile string `json:"urlFile"`
	// BearerTokenFile has a token to present; only with https.
	BearerTokenFile string `json:"bearerTokenFile"`
	// CAFile has the authorities of the service's certificate, as PEM; empty for the
	// machine's.
	CAFile string `json:"caFile"`
}

// Alertmanager receives alerts by its API v2.
type Alertmanager struct {
	Service `json:",inline"`
	// FiringFor is when an alert that is not repeated ends. Default: repeatAfter.
	FiringFor Duration `json:"firingFor"`
}

const defaultRepeat = 12 * time.Hour

// Load reads a file and reports everything that is wrong with it.
func Load(file string) (*Config, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("receivers: %w", err)
	}
	config, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return config, nil
}

// Parse reads the text of a configuration.
func Parse(text []byte) (*Config, error) {
	config := &Config{}
	if err := yaml.UnmarshalStrict(text, config); err != nil {
		return nil, err
	}
	if config.TeamLabel == "" {
		config.TeamLabel = "team"
	}
	if config.RepeatAfter.Duration == 0 {
		config.RepeatAfter.Duration = defaultRepeat
	}
	return config, config.check()
}

func (c *Config) check() error {
	var errs []error
	if c.RepeatAfter.Duration < 0 {
		errs = append(errs, fmt.Errorf("repeatAfter: %v, expected a positive duration", c.RepeatAfter.Duration))
	}
	if _, err := newStory(c.StoryURL); err != nil {
		errs = append(errs, fmt.Errorf("storyURL: %w", err))
	}
	if len(c.Receivers) == 0 {
		errs = append(errs, errors.New("receivers: none, expected at least one"))
	}
	names := map[string]bool{}
	for i := range c.Receivers {
		r := &c.Receivers[i]
		where := fmt.Sprintf("receivers[%d]", i)
		switch {
		case r.Name == "":
			errs = append(errs, fmt.Errorf("%s.name: empty, expected a name", where))
		case names[r.Name]:
			errs = append(errs, fmt.Errorf("%s.name: %q is that of another one, expected a name of its own", where, r.Name))
		}
		names[r.Name] = true
		if err := r.check(c); err != nil {
			errs = append(errs, fmt.Errorf("%s (%s).%w", where, r.Name, err))
		}
	}
	return errors.Join(errs...)
}

func (r *Receiver) check(c *Config) error {
	var given []string
	if r.Webhook != nil {
		given, r.service, r.post = append(given, "webhook"), *r.Webhook, eventPoster{c.Cluster}
	}
	if r.Alertmanager != nil {
		given, r.service, r.post = append(given, "alertmanager"), r.Alertmanager.Service, newAlertPoster(r.Alertmanager, c)
	}
	if len(given) != 1 {
		return fmt.Errorf("webhook, alertmanager: %d are given, expected exactly one", len(given))
	}
	if err := r.service.check(); err != nil {
		return fmt.Errorf("%s.%w", given[0], err)
	}
	return nil
}

func (s Service) check() error {
	if (s.URL == "") == (s.URLFile == "") {
		return errors.New("url, urlFile: expected exactly one of them")
	}
	target, err := s.target()
	if err != nil {
		return err
	}
	if s.BearerTokenFile != "" {
		if target.Scheme != "https" {
			return fmt.Errorf("bearerTokenFile: a token would travel over %s, expected a URL of https", target.Scheme)
		}
		if _, err := secretIn(s.BearerTokenFile); err != nil {
			return fmt.Errorf("bearerTokenFile: %w", err)
		}
	}
	if _, err := s.client(); err != nil {
		return fmt.Errorf("caFile: %w", err)
	}
	return nil
}

// target reads the URL. Errors do not contain it, because it may be a secret.
func (s Service) target() (*url.URL, error) {
	text, field := s.URL, "url"
	if s.URLFile != "" {
		var err error
		if text, err = secretIn(s.URLFile); err != nil {
			return nil, fmt.Errorf("urlFile: %w", err)
		}
		field = "urlFile"
	}
	target, err := url.Parse(text)
	if err != nil || target.Scheme != "http" && target.Scheme != "https" || target.Host == "" {
		return nil, fmt.Errorf("%s: no such URL, expected https://HOST/PATH or http://HOST/PATH", field)
	}
	return target, nil
}
