package main

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"

	jobset "sigs.k8s.io/jobset/api/jobset/v1alpha2"

	"mulligan.dev/mulligan/tests/oracle/cases"
)

var reasons = []string{"BackoffLimitExceeded", "DeadlineExceeded", "FailedIndexes",
	"MaxFailedIndexesExceeded", "PodFailurePolicy"}

// fragments of message patterns: common ones, ones that Go and others read
// differently, and invalid ones.
var fragments = []string{
	".", "a", "ä", "exit code (1|2|137)", "143", `\d+`, `[\d_]`, `\bcode`, `\B`, "^", "$", `\A`, `\z`, `\Z`,
	"DisruptionTarget", "(?i:POD)", "(?i)k", "(?i)ſ", `\pL{3}`, `\pN`, `\PL`, `\p{Greek}`, `\p{Foo}`, `\x{e9}`,
	`\x{110000}`, `\C`, `\Q.\E`, `\R`, `\K`, `\G`, `\h`, `\n`, `\t`, `\_`, "(?<n>a)", "(?P<n>a)(?P<n>b)",
	"(?P<1>a)", "(?P=n)", "(?=a)", "(?x)a", "(?U)a+", "(?-s)line.", "(?s)line.", "(?m)^second", "(?im)SECOND$",
	"[z-a]", "[a-m]", "[^a-z]", "[[:upper:]]", "[[:^alpha:]]", "[[:word:]]", "[[:foo:]]", `[\pL]`, "[]a]", "[^\\n]",
	"[", "(", ")", "{", "}", "a{2}", "a{,3}", "a{3,1}", "a{1001}", "(a{100}){100}", "((a{10}){10}){10}",
	"a**", "a*?", "a??", "a+*", "|", "(|a)", "()", "(?:)", "(a|b|)", " ", "-", "/", `\/`, `\.`, "\\",
	strings.Repeat("(", 20) + "a" + strings.Repeat(")", 20), strings.Repeat("(", 1001) + strings.Repeat(")", 1001),
	strings.Repeat("x?", 30), `(\d{1,3}\.){3}`, `\w{1,200}`, `\pL{1,50}`, "[^a]{0,999}",
}

// pattern returns one fragment, or a few in a row, grouped or repeated.
func pattern(random *rand.Rand) string {
	made := cases.Pick(random, fragments...)
	for cases.Chance(random, 2) {
		next := cases.Pick(random, fragments...)
		switch random.IntN(4) {
		case 0:
			made += next
		case 1:
			made += ".*" + next
		case 2:
			made = "(" + made + "|" + next + ")"
		default:
			made = "(?:" + made + ")" + cases.Pick(random, "*", "+", "?", "{2}", "{0,2}?", "{1,3}")
		}
	}
	return made
}

// costly matches patterns that compile to a long program: many repetitions.
var costly = regexp.MustCompile(`\\[pP].*\{\d|\{(\d+,)?\d\d+\}`)

// withoutCostlyPatterns returns the world in which costly patterns never match;
// nil if there are none.
func (w *world) withoutCostlyPatterns() *world {
	if w.jobSet.Spec.FailurePolicy == nil {
		return nil
	}
	found, other := false, *w
	other.jobSet = w.jobSet.DeepCopy()
	for _, rule := range other.jobSet.Spec.FailurePolicy.Rules {
		for at, pattern := range rule.OnJobFailureMessagePatterns {
			if costly.MatchString(pattern) {
				found, rule.OnJobFailureMessagePatterns[at] = true, `[^\x00-\x{10FFFF}]`
			}
		}
	}
	if !found {
		return nil
	}
	return &other
}

// failurePolicy is absent, empty, or has rules.
func failurePolicy(random *rand.Rand, groups []string, restartJob bool) *jobset.FailurePolicy {
	if cases.Chance(random, 6) {
		return nil
	}
	policy := &jobset.FailurePolicy{MaxRestarts: cases.Pick[int32](random, 0, 1, 2, 3, 5, 10, -1)}
	if cases.Chance(random, 5) {
		policy.RestartStrategy = cases.Pick[jobset.JobSetRestartStrategy](random, "Recreate", "BlockingRecreate")
	}
	actions := []jobset.FailurePolicyAction{"FailJobSet", "RestartJobSet", "RestartJobSetAndIgnoreMaxRestarts"}
	if restartJob {
		actions = append(actions, "RestartJob", "RestartJobAndIgnoreMaxRestarts")
	}
	for index := range random.IntN(4) {
		rule := jobset.FailurePolicyRule{Action: cases.Pick(random, actions...)}
		if !cases.Chance(random, 4) {
			rule.Name = fmt.Sprintf("rule_%d", index)
		}
		rule.OnJobFailureReasons = some(random, reasons)
		if cases.Chance(random, 2) {
			rule.TargetReplicatedJobs = some(random, groups)
		}
		if cases.Chance(random, 3) {
			for range 1 + random.IntN(2) {
				rule.OnJobFailureMessagePatterns = append(rule.OnJobFailureMessagePatterns, pattern(random))
			}
		}
		policy.Rules = append(policy.Rules, rule)
	}
	return policy
}

func successPolicy(random *rand.Rand, groups []string) *jobset.SuccessPolicy {
	if cases.Chance(random, 2) {
		return nil
	}
	return &jobset.SuccessPolicy{
		Operator:             cases.Pick(random, jobset.OperatorAll, jobset.OperatorAny),
		TargetReplicatedJobs: some(random, groups),
	}
}

// some returns none or a few of the choices.
func some(random *rand.Rand, choices []string) []string {
	var chosen []string
	for _, choice := range choices {
		if cases.Chance(random, 3) {
			chosen = append(chosen, choice)
		}
	}
	return chosen
}

// spoil makes the webhook refuse the JobSet for one or more reasons.
func spoil(random *rand.Rand, js *jobset.JobSet) {
	policy := js.Spec.FailurePolicy
	if policy == nil || len(policy.Rules) == 0 {
		policy = &jobset.FailurePolicy{Rules: []jobset.FailurePolicyRule{{Action: "FailJobSet"}, {Action: "RestartJobSet"}}}
		js.Spec.FailurePolicy = policy
	}
	for range 1 + random.IntN(3) {
		rule := &policy.Rules[random.IntN(len(policy.Rules))]
		switch random.IntN(7) {
		case 0:
			rule.Name = cases.Pick(random, "a-b", "ä", "a:", "a,", "_a", "0x", "a b", "a.b", " ", "-", "9",
				"a:b_", "A", strings.Repeat("n", 128), strings.Repeat("n", 129), strings.Repeat("-", 129),
				"<a&b>", "a\"b", "a'b", "a\n")
		case 1:
			for index := range policy.Rules {
				policy.Rules[index].Name = "same"
			}
		case 2:
			rule.OnJobFailureReasons = append(rule.OnJobFailureReasons,
				cases.Pick(random, "Unknown", "", "podfailurepolicy", "PodFailurePolicy_x", "Complete"))
		case 3:
			rule.TargetReplicatedJobs = append(rule.TargetReplicatedJobs, cases.Pick(random, "nobody", "", "Driver"))
		case 4:
			js.Spec.SuccessPolicy = &jobset.SuccessPolicy{Operator: jobset.OperatorAll,
				TargetReplicatedJobs: []string{cases.Pick(random, "ghost", "", "driver", "Driver")}}
		case 5:
			rule.Action = cases.Pick[jobset.FailurePolicyAction](random, "RestartJob", "RestartJobAndIgnoreMaxRestarts")
		default:
			policy.RestartStrategy = "InPlaceRestart"
		}
	}
}
