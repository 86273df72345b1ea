package logs

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"mulligan.dev/mulligan"
	"mulligan.dev/mulligan/internal/trust"
	"mulligan.dev/mulligan/internal/words"
)

// Loki reads logs by the labels namespace, pod and container.
type Loki struct {
	base   *url.URL
	tenant string
	client *http.Client
}

const (
	// Before the start and after the end of a run that are looked at: clocks differ, and
	// lines come late.
	lokiSlack = time.Minute
	// Where the start of a run is not known.
	lokiWindow = time.Hour
	// Longest time that is asked about: Loki refuses more than 721 hours (its
	// max_query_length), and the end of a log is near the end of its run.
	lokiLongest = 30 * 24 * time.Hour
	// Most bytes of an answer.
	maxRead = 16 << 20
	// Most bytes of what a refusal says.
	maxReason = 200
)

// NewLoki takes the address of the API, with user and password, or a tenant as its
// fragment (#TENANT), where it needs them.
func NewLoki(address string) (*Loki, error) {
	base, err := parseURL(address)
	if err != nil {
		return nil, err
	}
	client, err := trust.Client("")
	if err != nil {
		return nil, err
	}
	tenant := base.Fragment
	base.Fragment = ""
	return &Loki{base: base, tenant: tenant, client: client}, nil
}

// Tail is one query, the newest lines first.
func (l *Loki) Tail(ctx context.Context, of mulligan.LogsOf, most int) ([]byte, error) {
	end := of.Ended
	if end.IsZero() {
		end = time.Now()
	}
	start := of.Started
	if start.IsZero() {
		start = end.Add(-lokiWindow)
	}
	start, end = start.Add(-lokiSlack), end.Add(lokiSlack)
	if end.Sub(start) > lokiLongest {
		start = end.Add(-lokiLongest)
	}
	target := l.base.JoinPath("/loki/api/v1/query_range")
	target.RawQuery = url.Values{
		"query":     {fmt.Sprintf("{namespace=%q,pod=%q,container=%q}", of.Pod.Namespace, of.Pod.Name, of.Container)},
		"direction": {"backward"}, "limit": {strconv.Itoa(maxLines)},
		"start": {strconv.FormatInt(start.UnixNano(), 10)},
		"end":   {strconv.FormatInt(end.UnixNano(), 10)},
	}.Encode()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("loki: %w", trust.Why(err))
	}
	if l.tenant != "" {
		request.Header.Set("X-Scope-OrgID", l.tenant)
	}
	response, err := l.client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("loki: %w", trust.Why(err))
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxRead))
	if err != nil {
		return nil, fmt.Errorf("loki: %w", trust.Why(err))
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("loki: %w%s", trust.Refusal(response), l.reasonOf(response.Header, text))
	}
	return linesOf(text, most)
}

// reasonOf returns Loki's reason for a refusal, which is plain text; proxies send HTML. It is empty
// if the text contains a secret of the address.
func (l *Loki) reasonOf(header http.Header, text []byte) string {
	kind, _, _ := strings.Cut(header.Get("Content-Type"), ";")
	line, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	if kind != "text/plain" || line == "" || slices.ContainsFunc(l.secrets(), func(s string) bool { return strings.Contains(line, s) }) {
		return ""
	}
	return fmt.Sprintf(": %q", words.Cut(line, maxReason))
}

// Shorter users and path elements are names, such as loki or api, that reasons contain anyway.
const shortestSecret = 8

// secrets returns the parts of the address that may be secrets.
func (l *Loki) secrets() []string {
	user := l.base.User.Username()
	found := append(strings.Split(l.base.Path, "/"), user)
	found = slices.DeleteFunc(found, func(part string) bool { return len(part) < shortestSecret })
	if password, _ := l.base.User.Password(); password != "" {
		found = append(found, password, base64.StdEncoding.EncodeToString([]byte(user+":"+password)))
	}
	return found
}

func linesOf(answer []byte, most int) ([]byte, error) {
	var found struct {
		Data struct {
			// Time and line; metadata of the line may follow.
			Result []struct{ Values [][2]string }
		}
	}
	if err := json.Unmarshal(answer, &found); err != nil {
		return nil, fmt.Errorf("loki: its answer is not what was expected: %w", err)
	}
	var lines [][2]string
	for _, stream := range found.Data.Result {
		lines = append(lines, stream.Values...)
	}
	// The newest come first, also of those of one time.
	slices.Reverse(lines)
	// Streams (stdout, stderr) come apart. Nanoseconds of our time have equally many digits.
	slices.SortStableFunc(lines, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	var text []byte
	for _, line := range lines {
		text = append(append(text, line[1]...), '\n')
	}
	return text[max(0, len(text)-most):], nil
}
