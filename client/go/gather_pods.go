package mulligan

import (
	"cmp"
	"context"
	"hash/maphash"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"google.golang.org/protobuf/proto"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/reportkinds"
)

// The number of pods of each health that are sent to show the further course.
const handful = 10

// takePods keeps pods for choosePods.
func (g *gatherer) takePods(pods []corev1.Pod) {
	for i := range pods {
		g.pods = append(g.pods, &pods[i])
	}
}

// choosePods adds the most informative pods, and counts the others.
func (g *gatherer) choosePods(_ context.Context, root client.Object) error {
	seen := map[string]bool{}
	g.pods = slices.DeleteFunc(g.pods, func(pod *corev1.Pod) bool {
		key := string(pod.UID) + "/" + pod.Name
		again := seen[key]
		seen[key] = true
		return again
	})
	signs := make([]podSigns, 0, len(g.pods))
	for _, pod := range g.pods {
		signs = append(signs, signsOf(pod))
	}
	all := g.pods
	chosen := choose(signs, MaxGatheredPods)
	for len(chosen) > 1 {
		size := g.sizeOf(all, chosen)
		if size <= MaxGatheredPodBytes {
			break
		}
		// The chosen pods may be larger than average, so take 5% fewer.
		chosen = choose(signs, len(chosen)*MaxGatheredPodBytes/size*19/20)
	}
	g.pods = nil
	for _, i := range chosen {
		pod := all[i]
		if len(chosen) < len(all) {
			// A pointer into a list would keep all of it in memory.
			alone := *pod
			pod = &alone
		}
		g.pods = append(g.pods, pod)
		if client.Object(pod) != root {
			g.add(pod)
		}
	}
	g.countOmitted(signs, chosen)
	return nil
}

// sizeOf returns the pods' size in a report, in bytes. Build reports pods that cannot be
// converted.
func (g *gatherer) sizeOf(pods []*corev1.Pod, chosen []int) int {
	size := 0
	for _, i := range chosen {
		gvk := identify(pods[i])
		if message, err := convert(pods[i], gvk, reportkinds.Find(gvk.GroupKind())); err == nil {
			size += proto.Size(message)
		}
	}
	return size
}

func (g *gatherer) countOmitted(signs []podSigns, chosen []int) {
	if len(chosen) == len(signs) {
		return
	}
	g.note("%d of %d pods were left out", len(signs)-len(chosen), len(signs))
	kept := map[int]bool{}
	for _, i := range chosen {
		kept[i] = true
	}
	counts := &mulliganv1.PodCounts{}
	fields := map[health]*int32{
		broken: &counts.Failed, pending: &counts.Pending, running: &counts.Running, succeeded: &counts.Succeeded,
	}
	for i, pod := range signs {
		if !kept[i] {
			*fields[pod.health]++
		}
	}
	g.report.With(func(report *mulliganv1.FailureReport) {
		report.OmittedPods = proto.CloneOf(counts)
	})
}

// health orders pods, the most informative first.
type health int

const (
	broken health = iota
	pending
	running
	succeeded
)

// podSigns are the features of a pod that decide whether it is chosen.
type podSigns struct {
	health  health
	created time.Time
	// When the trouble of a broken pod began; zero if unknown.
	ended time.Time
	// A hash of reasons, exit codes and messages; 0 if there are none.
	messages uint64
	node     string
}

var messageSeed = maphash.MakeSeed()

// signsOf reads a pod. It is broken if it failed, is being deleted or has a container
// that ended with an error. Its trouble began with the earliest of the containers' ends,
// its disruption and its deletion, else with the last change of its conditions.
func signsOf(pod *corev1.Pod) podSigns {
	status := &pod.Status
	signs := podSigns{created: pod.CreationTimestamp.Time, node: pod.Spec.NodeName}
	var words strings.Builder
	failed := false
	for _, container := range slices.Concat(status.InitContainerStatuses, status.ContainerStatuses) {
		for _, state := range []corev1.ContainerState{container.State, container.LastTerminationState} {
			if state.Waiting != nil {
				addWords(&words, state.Waiting.Reason)
			}
			if end := state.Terminated; end != nil && end.ExitCode != 0 {
				failed = true
				signs.ended = earlier(signs.ended, end.FinishedAt.Time)
				words.WriteString(container.Name + " " + strconv.Itoa(int(end.ExitCode)) + " " + end.Reason + " ")
				addWords(&words, end.Message)
			}
		}
	}
	if status.Phase != corev1.PodFailed && pod.DeletionTimestamp == nil && !failed {
		signs.health = healthOf(status.Phase)
		return signs
	}
	if pod.DeletionTimestamp != nil {
		signs.ended = earlier(signs.ended, pod.DeletionTimestamp.Time)
	}
	words.WriteString(string(status.Phase) + " " + status.Reason + " ")
	addWords(&words, status.Message)
	var changed time.Time
	for _, condition := range status.Conditions {
		at := condition.LastTransitionTime.Time
		if at.After(changed) {
			changed = at
		}
		if condition.Type == corev1.DisruptionTarget {
			signs.ended = earlier(signs.ended, at)
			words.WriteString(condition.Reason)
		}
	}
	if signs.ended.IsZero() {
		signs.ended = changed
	}
	signs.messages = maphash.String(messageSeed, words.String())
	return signs
}

func healthOf(phase corev1.PodPhase) health {
	switch phase {
	case corev1.PodRunning:
		return running
	case corev1.PodSucceeded:
		return succeeded
	}
	return pending
}

// earlier returns the earlier of two times; zero means absent.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// addWords appends text, with "#" for every word that has a digit, so that messages that
// differ only in ranks, addresses, times or names are equal.
func addWords(words *strings.Builder, text string) {
	isPart := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	for text != "" {
		end := strings.IndexFunc(text, func(r rune) bool { return !isPart(r) })
		if end < 0 {
			end = len(text)
		}
		if strings.ContainsAny(text[:end], "0123456789") {
			words.WriteByte('#')
		} else {
			words.WriteString(text[:end])
		}
		text = text[end:]
		next := strings.IndexFunc(text, isPart)
		if next < 0 {
			next = len(text)
		}
		words.WriteString(text[:next])
		text = text[next:]
	}
	words.WriteByte('\n')
}

// choose returns the indexes of the pods to send, the most informative first: all if
// there are at most `most`, else the first `most` of
//
//  1. the newest attempt's broken pods whose trouble began first, a half;
//  2. the first pod with each other combination of reasons, exit codes and messages (see
//     addWords), a quarter;
//  3. the first on each node, and the first of each earlier attempt, a sixteenth each;
//  4. the newest attempt's last 10 broken pods;
//  5. the newest 10 pending, running and succeeded pods each;
//  6. all other broken pods, the newest attempt's first, by time; then all others, newest
//     first.
//
// An attempt begins with a pod that was created after all earlier broken pods had ended.
// client/cli/input/reduction.h has the same rules.
func choose(pods []podSigns, most int) []int {
	c := newChoice(pods, most)
	if len(pods) > most {
		c.take(c.broken[:min(most/2, c.newest)])
		takeFirst(c, most/4, func(pod int) uint64 { return pods[pod].messages })
		takeFirst(c, most/16, func(pod int) string { return pods[pod].node })
		takeFirst(c, most/16, func(pod int) int { return c.attempt[pod] })
		c.take(c.broken[max(0, c.newest-handful):c.newest])
		for _, state := range []health{pending, running, succeeded} {
			of := slices.DeleteFunc(slices.Clone(c.healthy), func(pod int) bool { return pods[pod].health != state })
			c.take(of[:min(handful, len(of))])
		}
	}
	c.take(c.broken)
	c.take(c.healthy)
	return c.chosen
}

type choice struct {
	most   int
	taken  []bool
	chosen []int
	// The newest attempt's first, each attempt by time.
	broken []int
	// Pending, running, then succeeded; each newest first.
	healthy []int
	// The attempt of each broken pod.
	attempt []int
	// How many of broken are of the newest attempt.
	newest int
}

func newChoice(pods []podSigns, most int) *choice {
	c := &choice{most: most, taken: make([]bool, len(pods)), attempt: make([]int, len(pods))}
	for i, pod := range pods {
		if pod.health == broken {
			c.broken = append(c.broken, i)
		} else {
			c.healthy = append(c.healthy, i)
		}
	}
	slices.SortStableFunc(c.healthy, func(a, b int) int {
		return cmp.Or(cmp.Compare(pods[a].health, pods[b].health), pods[b].created.Compare(pods[a].created))
	})
	slices.SortStableFunc(c.broken, func(a, b int) int { return pods[a].created.Compare(pods[b].created) })
	attempt, end := 0, time.Time{}
	for _, i := range c.broken {
		if !end.IsZero() && !pods[i].created.Before(end) {
			attempt++
			c.newest = 0
		}
		c.attempt[i] = attempt
		c.newest++
		if pods[i].ended.After(end) {
			end = pods[i].ended
		}
	}
	slices.SortStableFunc(c.broken, func(a, b int) int {
		return cmp.Or(cmp.Compare(c.attempt[b], c.attempt[a]), compareEnds(pods[a].ended, pods[b].ended))
	})
	return c
}

// compareEnds orders unknown times last.
func compareEnds(a, b time.Time) int {
	if a.IsZero() != b.IsZero() {
		return b.Compare(a)
	}
	return a.Compare(b)
}

func (c *choice) take(pods []int) {
	for _, pod := range pods {
		if len(c.chosen) >= c.most {
			return
		}
		if !c.taken[pod] {
			c.taken[pod] = true
			c.chosen = append(c.chosen, pod)
		}
	}
}

// takeFirst takes the first broken pod of each kind without a chosen pod, at most `most`.
func takeFirst[Kind comparable](c *choice, most int, kindOf func(pod int) Kind) {
	seen := map[Kind]bool{}
	for _, pod := range c.chosen {
		seen[kindOf(pod)] = true
	}
	for _, pod := range c.broken {
		if most == 0 {
			return
		}
		if kind := kindOf(pod); !seen[kind] {
			seen[kind] = true
			c.take([]int{pod})
			most--
		}
	}
}
