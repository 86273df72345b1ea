package controller

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	"sigs.k8s.io/controller-runtime/pkg/log"

	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/trust"
)

// DigestPath is where a controller serves its cluster's recent failures, on its metrics
// port.
const DigestPath = "/recent"

const (
	// Peers are asked this often, and forgotten after this long without an answer.
	askPeersEvery  = 15 * time.Second
	forgetPeer     = 2 * time.Minute
	peerPatience   = 5 * time.Second
	maxDigestBytes = 4 << 20
	// Only one of the replicas behind a Service leads.
	peerTries = 4
	// The largest count in a request.
	maxCount = 1_000_000
)

// Peers are the controllers of other clusters.
type Peers struct {
	// Cluster is this cluster's name, sent to the others. Mandatory with peers.
	Cluster string
	// URLs of the others, without the path.
	URLs []string
	// TokenFile is presented to them; CAFile signs their certificates.
	TokenFile, CAFile string
}

// Validate names the first invalid option by its flag.
func (p Peers) Validate() error {
	for _, peer := range p.URLs {
		target, err := url.Parse(peer)
		switch {
		case err != nil || target.Scheme != "http" && target.Scheme != "https" || target.Host == "":
			return fmt.Errorf("--peers: %q, expected https://HOST:PORT", peer)
		case target.Scheme == "http" && p.TokenFile != "":
			return fmt.Errorf("--peers: %q, a token would travel in the clear, expected https://HOST:PORT or no --peer-token-file", peer)
		}
	}
	if len(p.URLs) > 0 && p.Cluster == "" {
		return errors.New("--cluster-name is empty, expected a name that no peer has")
	}
	if strings.Contains(p.Cluster, "/") || len(p.Cluster) > 100 {
		return fmt.Errorf("--cluster-name=%q, expected at most 100 characters and no slash", p.Cluster)
	}
	return nil
}

// exchange is the served document: docs/fleet.md.
type exchange struct {
	// Version of the format: 1.
	Version int `json:"version"`
	// Cluster qualifies node names, which may equal ours.
	Cluster string `json:"cluster"`
	// Recent is a RecentFailures as proto JSON; absent if nothing failed.
	Recent json.RawMessage `json:"recent,omitempty"`
}

// serve returns this cluster's failures only, so that nothing circulates. Only the
// leader knows them.
func (r *recent) serve(cluster string, elected <-chan struct{}) http.HandlerFunc {
	return func(w http.ResponseWriter, request *http.Request) {
		select {
		case <-elected:
		default:
			http.Error(w, "another replica leads", http.StatusServiceUnavailable)
			return
		}
		answer := exchange{Version: 1, Cluster: cluster}
		if own := r.own(); own != nil {
			own.Canaries, own.Recovered = 0, 0
			text, err := protojson.Marshal(own)
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			answer.Recent = text
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(answer)
	}
}

// listener asks for failures in other clusters.
type listener struct {
	peers  Peers
	client *http.Client
	now    func() time.Time
	lock   sync.Mutex
	heard  map[string]heard
}

type heard struct {
	at     time.Time
	digest *mulliganv1.RecentFailures
}

// newListener returns nil without peers.
func newListener(peers Peers, now func() time.Time) (*listener, error) {
	if len(peers.URLs) == 0 {
		return nil, nil
	}
	transport, err := trust.Transport(peers.CAFile)
	if err != nil {
		return nil, fmt.Errorf("--peer-ca: %w", err)
	}
	// Reaches another replica each time.
	transport.DisableKeepAlives = true
	return &listener{
		peers: peers, now: now, heard: map[string]heard{},
		client: &http.Client{Transport: transport, Timeout: peerPatience, CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		}},
	}, nil
}

// Start asks until the context ends.
func (l *listener) Start(ctx context.Context) error {
	ticker := time.NewTicker(askPeersEvery)
	defer ticker.Stop()
	for {
		l.askAll(ctx)
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

func (l *listener) askAll(ctx context.Context) {
	var all sync.WaitGroup
	for _, peer := range l.peers.URLs {
		all.Go(func() {
			var err error
			for range peerTries {
				var digest *mulliganv1.RecentFailures
				if digest, err = l.ask(ctx, peer); err == nil {
					l.lock.Lock()
					l.heard[peer] = heard{l.now(), digest}
					l.lock.Unlock()
					return
				}
			}
			log.FromContext(ctx).Info("a peer was not heard", "peer", peer, "error", err.Error())
		})
	}
	all.Wait()
	heardOf := len(l.digests())
	peersBy.WithLabelValues("heard").Set(float64(heardOf))
	peersBy.WithLabelValues("silent").Set(float64(len(l.peers.URLs) - heardOf))
}

func (l *listener) ask(ctx context.Context, peer string) (*mulliganv1.RecentFailures, error) {
	target, err := url.Parse(peer)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target.JoinPath(DigestPath).String(), nil)
	if err != nil {
		return nil, err
	}
	if l.peers.TokenFile != "" {
		token, err := os.ReadFile(l.peers.TokenFile)
		if err != nil {
			return nil, err
		}
		request.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	}
	response, err := l.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxDigestBytes+1))
	switch {
	case err != nil:
		return nil, err
	case response.StatusCode != http.StatusOK:
		return nil, errors.New(response.Status)
	case len(text) > maxDigestBytes:
		return nil, fmt.Errorf("more than %d bytes", maxDigestBytes)
	}
	return l.read(text)
}

// read accepts only what fits into a request, because peers are not trusted.
func (l *listener) read(text []byte) (*mulliganv1.RecentFailures, error) {
	var document exchange
	if err := json.Unmarshal(text, &document); err != nil {
		return nil, err
	}
	switch {
	case document.Version != 1:
		return nil, fmt.Errorf("version %d, expected 1", document.Version)
	case document.Cluster == "" || document.Cluster == l.peers.Cluster || strings.Contains(document.Cluster, "/") || len(document.Cluster) > 100:
		return nil, fmt.Errorf("cluster %.100q, expected a name of its own", document.Cluster)
	}
	digest := &mulliganv1.RecentFailures{}
	if len(document.Recent) == 0 {
		return digest, nil
	}
	if err := (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(document.Recent, digest); err != nil {
		return nil, err
	}
	if digest.GetWindow().AsDuration() != recentWindow || len(digest.GetGroups()) > maxGroups {
		return nil, fmt.Errorf("window %v with %d groups, expected %v and at most %d", digest.GetWindow().AsDuration(), len(digest.GetGroups()), recentWindow, maxGroups)
	}
	var sum int32
	for i, group := range digest.GetGroups() {
		_, known := mulliganv1.Cause_name[int32(group.GetCause())]
		if !known || group.GetWorkloads() < 1 || group.GetWorkloads() > maxCount || len(group.GetNode()) > maxPlace-101 ||
			len(group.GetZone()) > maxPlace || len(group.GetImage()) > maxPlace {
			return nil, fmt.Errorf("groups[%d] does not fit into a request", i)
		}
		sum += group.GetWorkloads()
		// Only what has been checked.
		digest.Groups[i] = &mulliganv1.FailureGroup{
			Cause: group.GetCause(), Node: group.GetNode(), Zone: group.GetZone(), Image: group.GetImage(), Workloads: group.GetWorkloads(),
		}
		if group.Node != "" {
			// Not our node, even if its name is equal.
			digest.Groups[i].Node = document.Cluster + "/" + group.Node
		}
	}
	if digest.GetFailed() < sum || digest.GetFailed() > maxCount {
		return nil, fmt.Errorf("failed %d, expected %d to %d", digest.GetFailed(), sum, maxCount)
	}
	return digest, nil
}

// digests returns recent answers; none for a nil listener.
func (l *listener) digests() []*mulliganv1.RecentFailures {
	if l == nil {
		return nil
	}
	l.lock.Lock()
	defer l.lock.Unlock()
	var all []*mulliganv1.RecentFailures
	for _, peer := range l.peers.URLs {
		if last, ok := l.heard[peer]; ok && l.now().Sub(last.at) <= forgetPeer {
			all = append(all, last.digest)
		}
	}
	return all
}
