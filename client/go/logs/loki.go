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
	// Added before the start and after the end of a run, because clocks differ and
	// lines arrive late.
	lokiSlack = time.Minute
	// If the start of a run is unknown.
	lokiWindow = time.Hour
	// The longest period to query. Loki refuses more than 721 hours (its
	// max_query_length), and the end of a log is near the end of its run.
	lokiLongest = 30 * 24 * time.Hour
	// The most bytes of an answer.
	maxRead = 16 << 20
	// The most bytes of a refusal's reason.
	maxReason = 200
)

// NewLoki takes the address of the API, if needed with user and password, or with a
// tenant as its fragment (#TENANT).
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

// Tail makes one query, newest lines first.
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

// reasonOf returns Loki's reason for a refusal, which is plain text, unlike a proxy's
// HTML. It is empty if the text contains a secret of the address.
func (l *Loki) reasonOf(header http.Header, text []byte) string {
	kind, _, _ := strings.Cut(header.Get("Content-Type"), ";")
	line, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	if kind != "text/plain" || line == "" || slices.ContainsFunc(l.secrets(), func(s string) bool { return strings.Contains(line, s) }) {
		return ""
	}
	return fmt.Sprintf(": %q", words.Cut(line, maxReason))
}

// Shorter users and path elements are names, such as loki or api, which reasons contain
// anyway.
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
			// Time and line; the line's metadata may follow.
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
	// Newest come first, also among equal times.
	slices.Reverse(lines)
	// Streams (stdout, stderr) are separate. Timestamps in nanoseconds have equally
	// many digits, so they compare as strings.
	slices.SortStableFunc(lines, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	var text []byte
	for _, line := range lines {
		text = append(append(text, line[1]...), '\n')
	}
	return text[max(0, len(text)-most):], nil
}
