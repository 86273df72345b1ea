// Package notify tells receivers of failures that somebody has to act on, once. Nothing waits for
// it, and nothing is decided by it. Who of a receiver's people is told is its routing's
// business (Alertmanager's).
package notify

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
)

// Failure is what a controller was answered about a workload.
type Failure struct {
	// ID is equal for the same failure of the same workload: what was told of one is
	// not told again.
	ID string
	// Mode is "act" or "observe": who retries, if anybody does.
	Mode string
	// Kind, Namespace and Name of the workload; Name is that of this attempt.
	Kind, Namespace, Name string
	// Labels of the workload.
	Labels map[string]string
	// Answer of the service.
	Answer *mulliganv1.DecideResponse
	// Refused is why the API server takes no further attempt; empty: it was not asked,
	// or took one. What the answer said to do first does not help then.
	Refused string
	// Stopped says who stopped the work while its operator was still at it, and GoOn what
	// lets it go on; empty: nobody did.
	Stopped, GoOn string
}

// Message is what a person is told. Every text of it is one visible line. storyURL sees these
// fields.
type Message struct {
	// ID is that of this message, equal however often it is sent.
	ID string `json:"id"`
	// Time it was decided.
	Time time.Time `json:"time"`
	// Cluster is that of the configuration.
	Cluster string `json:"cluster,omitempty"`
	// Mode is "act" or "observe".
	Mode string `json:"mode"`
	// Action decided, such as FAIL.
	Action string `json:"action"`
	// Kind, Namespace and Name of the workload.
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Team is the value of the label Config.TeamLabel; empty: it has none.
	Team string `json:"team,omitempty"`
	// Cause, FaultDomain and DerivedCause are those of the diagnosis, such as
	// CONTAINER_OOM, RESOURCE_LIMIT and BAD_NODE. DerivedCause is empty where there is
	// none.
	Cause        string `json:"cause"`
	FaultDomain  string `json:"faultDomain"`
	DerivedCause string `json:"derivedCause,omitempty"`
	// Actor is who has to act: USER or PLATFORM.
	Actor string `json:"actor"`
	// Problem is what is wrong, FirstStep what to do about it first, Command the
	// command in that. Command may be empty.
	Problem   string `json:"problem"`
	FirstStep string `json:"firstStep"`
	Command   string `json:"command,omitempty"`
	// Sentence is that of the decision.
	Sentence string `json:"sentence"`
	// Node that it is about; empty: none in particular.
	Node string `json:"node,omitempty"`
	// StoryURL leads to the story as a page; empty: Config.StoryURL is.
	StoryURL string `json:"storyUrl,omitempty"`
	// More is how many failures of this incident were not told of since the last
	// message about it.
	More int `json:"more,omitempty"`
	// Lost is how many messages before this one had no room in the queue.
	Lost int `json:"lost,omitempty"`

	// What is told once.
	incident string
	// It is about many workloads, wherever they are.
	ofMany bool
}

// messageOf is nil where nobody has to act: it passes by itself, or somebody is on it.
func messageOf(f Failure) *Message {
	diagnosis, decision := f.Answer.GetDiagnosis(), f.Answer.GetDecision()
	actor, incident := f.actor()
	if actor == mulliganv1.FirstStep_NOBODY {
		return nil
	}
	m := &Message{
		Mode: f.Mode, Action: decision.GetAction().String(),
		Kind: f.Kind, Namespace: f.Namespace, Name: f.Name,
		Cause:       diagnosis.GetCause().String(),
		FaultDomain: diagnosis.GetFaultDomain().String(),
		Actor:       actor.String(),
		Problem:     visible(cmp.Or(diagnosis.GetProblem(), diagnosis.GetSummary(), decision.GetSentence())),
		FirstStep:   visible(diagnosis.GetFirstStep().GetText()),
		Command:     visible(diagnosis.GetFirstStep().GetCommand()),
		Sentence:    visible(decision.GetSentence()),
		Node:        diagnosis.GetCulprit().GetNode(),
		incident:    incident + "/" + diagnosis.GetCause().String(),
		ofMany:      incident == ofMany,
	}
	if derived := diagnosis.GetDerivedCause(); derived != mulliganv1.DerivedCause_DERIVED_CAUSE_UNSPECIFIED {
		m.DerivedCause = derived.String()
	}
	if f.Refused != "" {
		m.Problem = visible("the API server takes no further attempt: " + f.Refused)
		m.FirstStep, m.Command = "create the work anew, by hand", ""
	}
	if m.FirstStep == "" {
		m.Command = fmt.Sprintf("kubectl mulligan why -n %s %s/%s", f.Namespace, strings.ToLower(f.Kind), f.Name)
		m.FirstStep = "find out why: " + m.Command
	}
	if f.Stopped != "" {
		m.Command = "" // which would stop it
		m.Sentence = visible(strings.TrimSuffix(decision.GetSentence(), ".") + "; " + f.Stopped)
		m.FirstStep = visible(m.FirstStep + "; " + f.GoOn)
	}
	return m
}

// actor is who has to act, and on what.
//
//  1. Of an incident many are struck: it is the platform's, told once for all of them.
//  2. What is given up, or waits for another spec, waits for a person.
//  3. What waits and cannot recover waits for a person, too.
//  4. What is started again elsewhere leaves a node behind that others still meet: that
//     is the platform's, told once a node.
//
// Everything else passes by itself.
func (f Failure) actor() (mulliganv1.FirstStep_Actor, string) {
	diagnosis, decision := f.Answer.GetDiagnosis(), f.Answer.GetDecision()
	switch diagnosis.GetSituation() {
	case mulliganv1.Diagnosis_BROKEN:
	case mulliganv1.Diagnosis_ALIVE:
		// Retries that others make and the policy ends.
		if action := decision.GetAction(); action != mulliganv1.Decision_FAIL && action != mulliganv1.Decision_WAIT_FOR_SPEC_UPDATE {
			return mulliganv1.FirstStep_NOBODY, ""
		}
	default:
		return mulliganv1.FirstStep_NOBODY, ""
	}
	if f.Refused != "" {
		return mulliganv1.FirstStep_USER, f.ID + "/refused"
	}
	if diagnosis.GetDerivedCause() == mulliganv1.DerivedCause_INCIDENT {
		return mulliganv1.FirstStep_PLATFORM, ofMany
	}
	actor := actorOf(diagnosis)
	switch decision.GetAction() {
	case mulliganv1.Decision_FAIL, mulliganv1.Decision_WAIT_FOR_SPEC_UPDATE:
	case mulliganv1.Decision_WAIT:
		if diagnosis.GetOutlook() != mulliganv1.Diagnosis_CANNOT_RECOVER {
			return mulliganv1.FirstStep_NOBODY, ""
		}
	case mulliganv1.Decision_RETRY:
		if actor != mulliganv1.FirstStep_PLATFORM || !f.leavesNode() {
			return mulliganv1.FirstStep_NOBODY, ""
		}
	default:
		return mulliganv1.FirstStep_NOBODY, ""
	}
	if actor == mulliganv1.FirstStep_PLATFORM {
		return actor, f.placeOf(diagnosis)
	}
	return actor, f.ID
}

const ofMany = "incident"

// leavesNode says whether the next attempt must not run on the node it failed on: such a
// node is to be mended.
func (f Failure) leavesNode() bool {
	node := f.Answer.GetDiagnosis().GetCulprit().GetNode()
	for _, avoided := range f.Answer.GetDecision().GetPlacement().GetAvoidNodes() {
		if node != "" && avoided.GetHard() && avoided.GetNode() == node {
			return true
		}
	}
	return false
}

// placeOf is what a fault of the platform is one of: a node's, or of a namespace's
// workloads all that show it by the same sign.
func (f Failure) placeOf(diagnosis *mulliganv1.Diagnosis) string {
	if node := diagnosis.GetCulprit().GetNode(); node != "" {
		return "node/" + node
	}
	return "namespace/" + f.Namespace + "/" + diagnosis.GetSignature()
}

// actorOf is who the answer says; where it does not, who the fault domain does.
func actorOf(diagnosis *mulliganv1.Diagnosis) mulliganv1.FirstStep_Actor {
	if diagnosis.GetDerivedCause() == mulliganv1.DerivedCause_BAD_NODE {
		return mulliganv1.FirstStep_PLATFORM
	}
	if actor := diagnosis.GetFirstStep().GetActor(); actor != mulliganv1.FirstStep_ACTOR_UNSPECIFIED {
		return actor
	}
	switch diagnosis.GetFaultDomain() {
	case mulliganv1.Diagnosis_INFRASTRUCTURE, mulliganv1.Diagnosis_QUEUE, mulliganv1.Diagnosis_CONTROL_PLANE:
		return mulliganv1.FirstStep_PLATFORM
	case mulliganv1.Diagnosis_DISRUPTION, mulliganv1.Diagnosis_NONE:
		return mulliganv1.FirstStep_NOBODY
	}
	return mulliganv1.FirstStep_USER
}
