package notify

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"text/template"
	"time"
)

var functions = template.FuncMap{
	// A value as JSON, quotes included.
	"json": func(value any) (string, error) {
		text, err := json.Marshal(value)
		return string(text), err
	},
}

// samples are messages that a template has to cope with: as good as empty, and full of
// what breaks out of a quoted text.
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
	return template.New("template").Funcs(functions).Option("missingkey=error").Parse(text)
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

// of escapes every text, so that none changes where the address leads.
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

// checkTemplate returns an error if a template cannot be rendered, or if its media type is a
// JSON type and a message exists for which it yields no JSON.
func checkTemplate(t *template.Template, media string) error {
	isJSON := jsonOf(media)
	for _, sample := range samples() {
		text, err := render(t, sample)
		if err != nil {
			return err
		}
		if isJSON == nil || isJSON(text) == nil {
			continue
		}
		if field := breakingField(t, isJSON); field != "" {
			return fmt.Errorf("with a quote in .%s it yields no JSON, expected {{json .%s}} there, its quotes included, for contentType %s", field, field, media)
		}
		return fmt.Errorf("it yields no JSON (%w), expected JSON for contentType %s", isJSON(text), media)
	}
	return nil
}

// breakingField returns the first field of a message that turns a template's JSON into something
// else when it contains a quote; empty if there is none.
func breakingField(t *template.Template, isJSON func([]byte) error) string {
	plain, hostile := samples()[0], samples()[1]
	if text, err := render(t, plain); err != nil || isJSON(text) != nil {
		return ""
	}
	fields := reflect.ValueOf(hostile).Elem()
	for i := range fields.NumField() {
		broken := *plain
		if f := reflect.ValueOf(&broken).Elem().Field(i); f.CanSet() && f.Kind() == reflect.String {
			f.Set(fields.Field(i))
		}
		if text, err := render(t, &broken); err == nil && isJSON(text) != nil {
			return fields.Type().Field(i).Name
		}
	}
	return ""
}

// jsonOf returns the check for a JSON media type: one value (application/json, text/json, +json)
// or a sequence of values (JSON lines, JSON text sequences). Nil for other types.
func jsonOf(media string) func([]byte) error {
	_, subtype, _ := strings.Cut(media, "/")
	subtype = strings.TrimPrefix(subtype, "x-")
	switch {
	case subtype == "json" || strings.HasSuffix(subtype, "+json"):
		return func(text []byte) error { return json.Unmarshal(text, new(any)) }
	case slices.Contains([]string{"ndjson", "jsonl", "jsonlines", "json-seq"}, subtype) || strings.HasSuffix(subtype, "+json-seq"):
		return checkValues
	}
	return nil
}

// checkValues accepts one or more JSON values. U+001E starts each in a sequence (RFC 7464).
func checkValues(text []byte) error {
	values := json.NewDecoder(bytes.NewReader(bytes.ReplaceAll(text, []byte{0x1e}, nil)))
	for n := 0; ; n++ {
		switch err := values.Decode(new(any)); {
		case errors.Is(err, io.EOF) && n > 0:
			return nil
		case err != nil:
			return err
		}
	}
}
