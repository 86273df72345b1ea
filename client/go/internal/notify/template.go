package notify

import (
	"bytes"
	"fmt"
	"net/url"
	"reflect"
	"text/template"
	"time"
)

// samples are messages that a storyURL must handle: an almost empty one, and one with
// characters that break out of quoted texts.
func samples() []*Message {
	short := &Message{ID: "1", Time: time.Unix(1, 0).UTC(), Mode: "act", Action: "FAIL", Actor: "USER"}
	hostile := *short
	fields := reflect.ValueOf(&hostile).Elem()
	for i := range fields.NumField() {
		if f := fields.Field(i); f.CanSet() && f.Kind() == reflect.String {
			f.SetString(`"'<b>&\{{x}}` + "`" + `|:/?# %zz`)
		}
	}
	return []*Message{short, &hostile}
}

func parseTemplate(text string) (*template.Template, error) {
	return template.New("template").Option("missingkey=error").Parse(text)
}

func render(t *template.Template, message *Message) ([]byte, error) {
	var text bytes.Buffer
	err := t.Execute(&text, message)
	return text.Bytes(), err
}

// story makes the address of a failure's page.
type story struct{ template *template.Template }

func newStory(text string) (story, error) {
	if text == "" {
		return story{}, nil
	}
	t, err := parseTemplate(text)
	if err != nil {
		return story{}, err
	}
	s := story{t}
	for _, sample := range samples() {
		address, err := s.of(sample)
		if err != nil {
			return story{}, err
		}
		target, err := url.Parse(address)
		if err != nil || target.Scheme != "http" && target.Scheme != "https" || target.Host == "" {
			return story{}, fmt.Errorf("it yields %q, expected https://HOST/PATH", address)
		}
	}
	return s, nil
}

// of escapes every text, so that none changes the address's target.
func (s story) of(message *Message) (string, error) {
	if s.template == nil {
		return "", nil
	}
	safe := *message
	fields := reflect.ValueOf(&safe).Elem()
	for i := range fields.NumField() {
		if f := fields.Field(i); f.CanSet() && f.Kind() == reflect.String {
			f.SetString(escaped(f.String()))
		}
	}
	text, err := render(s.template, &safe)
	return visible(string(text)), err
}
