package cluster

import (
	"crypto/tls"
	"fmt"
	"maps"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"
)

// costs are read from an operator's metrics.
type costs struct {
	// Calls to the API server; zero if its metrics do not count them.
	calls float64
	// Cumulative reconciles, by bound in seconds.
	reconciles map[float64]float64
}

var reconcileLine = regexp.MustCompile(`(?m)^controller_runtime_reconcile_time_seconds_bucket\{controller="([^"]+)",le="([^"]+)"\} (\S+)$`)

// costs returns the operator's costs since its start.
func (o *operator) costs(t *testing.T, c *cluster) costs {
	t.Helper()
	address, err := os.ReadFile(filepath.Join(c.run, o.name+".metrics"))
	must(t, err)
	// Its certificate is self-signed.
	asking := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	text := scraped(t, asking, string(address), c.config.BearerToken)
	read := costs{calls: sumOf(t, text, requestCount), reconciles: map[float64]float64{}}
	for _, match := range reconcileLine.FindAllSubmatch(text, -1) {
		if string(match[1]) == o.controller {
			read.reconciles[number(t, match[2])] = number(t, match[3])
		}
	}
	if len(read.reconciles) == 0 {
		t.Fatalf("metrics of %s have no controller %q", o.name, o.controller)
	}
	return read
}

func number(t *testing.T, text []byte) float64 {
	t.Helper()
	value, err := strconv.ParseFloat(string(text), 64)
	must(t, err)
	return value
}

// since describes the costs after `before`, per failure.
func (c costs) since(before costs, failures int) string {
	in := maps.Clone(c.reconciles)
	for bound := range in {
		in[bound] -= before.reconciles[bound]
	}
	calls := "uncounted"
	if c.calls > 0 {
		calls = fmt.Sprintf("%.1f", (c.calls-before.calls)/float64(failures))
	}
	return fmt.Sprintf("%s calls of the API server and %.1f reconciles for each, of which half took at most %s and 99%% at most %s",
		calls, in[math.Inf(1)]/float64(failures), within(in, 0.5), within(in, 0.99))
}

// within returns the bound of the bucket in which this share of a histogram is reached.
func within(buckets map[float64]float64, share float64) string {
	for _, bound := range slices.Sorted(maps.Keys(buckets)) {
		if buckets[bound] >= share*buckets[math.Inf(1)] {
			return fmt.Sprintf("%g s", bound)
		}
	}
	return "nothing"
}
