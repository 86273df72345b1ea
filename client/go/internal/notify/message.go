// Package notify reports failures that someone has to act on to receivers, once each.
// Nothing waits for it or depends on it. A receiver's own routing decides who is
// notified (Alertmanager's, for example).
package notify

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
)

// Failure is an answer that a controller received about a workload.
type Failure struct {
	// ID is equal for the same failure of the same workload, which is reported only
	// once.
	ID string
	// Mode is "act" or "observe".
	Mode string
	// Kind, Namespace and Name of the workload; Name is this attempt's.
	Kind, Namespace, Name string
	// Labels of the workload.
	Labels map[string]string
	// Answer of the service.
	Answer *mulliganv1.DecideResponse
	// Refused is why the API server refuses another attempt; empty if it was not asked
	// or accepted one. The answer's first step does not help then.
	Refused string
	// Stopped says who stopped running work, and GoOn how to let it continue; empty if
	// no one did.
	Stopped, GoOn string
}

// Message is what a person reads. Every text is one visible line. storyURL uses these
// fields.
type Message struct {
	// ID of this message, equal for repeated sends.
	ID string `json:"id"`
	// Time of the decision.
	Time time.Time `json:"time"`
	// Cluster of the configuration.
	Cluster string `json:"cluster,omitempty"`
	// Mode is "act" or "observe".
	Mode string `json:"mode"`
	// Action decided, such as FAIL.
	Action string `json:"action"`
	// Kind, Namespace and Name of the workload.
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Team is the value of the label Config.TeamLabel; empty if absent.
	Team string `json:"team,omitempty"`
	// Cause, FaultDomain and DerivedCause of the diagnosis, such as CONTAINER_OOM,
	// RESOURCE_LIMIT and BAD_NODE. DerivedCause may be empty.
	Cause        string `json:"cause"`
	FaultDomain  string `json:"faultDomain"`
	DerivedCause string `json:"derivedCause,omitempty"`
	// Actor is who has to act: USER or PLATFORM.
	Actor string `json:"actor"`
	// Problem is what is wrong, FirstStep what to do first, and Command the command in
	// it. Command may be empty.
	Problem   string `json:"problem"`
	FirstStep string `json:"firstStep"`
	Command   string `json:"command,omitempty"`
	// Sentence of the decision.
	Sentence string `json:"sentence"`
	// Node at fault; empty if none.
	Node string `json:"node,omitempty"`
	// StoryURL is the address of the failure's page; empty if Config.StoryURL is.
	StoryURL string `json:"storyUrl,omitempty"`
	// More is how many failures of this incident were not reported since the last
	// message about it.
	More int `json:"more,omitempty"`
	// Lost is how many messages before this one were dropped from the full queue.
	Lost int `json:"lost,omitempty"`

	// Key of the incident, which is reported once.
	incident string
	// It affects many workloads anywhere.
	ofMany bool
}

// messageOf returns nil if no one has to act, because it passes by itself or someone
// already does.
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
		m.FirstStep, m.Command = "create the work again by hand", ""
	}
	if m.FirstStep == "" {
		m.Command = fmt.Sprintf("kubectl mulligan why -n %s %s/%s", f.Namespace, strings.ToLower(f.Kind), f.Name)
		m.FirstStep = "find out why: " + m.Command
	}
	if f.Stopped != "" {
		m.Command = "" // it would stop the work
		m.Sentence = visible(strings.TrimSuffix(decision.GetSentence(), ".") + "; " + f.Stopped)
		m.FirstStep = visible(m.FirstStep + "; " + f.GoOn)
	}
	return m
}

// actor returns who has to act, and the key of the incident.
//
//  1. An incident affects many: it is the platform's, reported once for all.
//  2. Work that is given up, or waits for another spec, waits for a person.
//  3. Work that waits and cannot recover also waits for a person.
//  4. Work that restarts elsewhere leaves a bad node behind, which others still
//     meet: it is the platform's, reported once per node.
//
// Everything else passes by itself.
func (f Failure) actor() (mulliganv1.FirstStep_Actor, string) {
	diagnosis, decision := f.Answer.GetDiagnosis(), f.Answer.GetDecision()
	switch diagnosis.GetSituation() {
	case mulliganv1.Diagnosis_BROKEN:
	case mulliganv1.Diagnosis_ALIVE:
		// Retries by others, which the policy ends.
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

// leavesNode returns whether the next attempt must avoid the node it failed on, which
// so needs repair.
func (f Failure) leavesNode() bool {
	node := f.Answer.GetDiagnosis().GetCulprit().GetNode()
	for _, avoided := range f.Answer.GetDecision().GetPlacement().GetAvoidNodes() {
		if node != "" && avoided.GetHard() && avoided.GetNode() == node {
			return true
		}
	}
	return false
}

// placeOf returns the key of a fault of the platform: the node, or the namespace and
// the sign.
func (f Failure) placeOf(diagnosis *mulliganv1.Diagnosis) string {
	if node := diagnosis.GetCulprit().GetNode(); node != "" {
		return "node/" + node
	}
	return "namespace/" + f.Namespace + "/" + diagnosis.GetSignature()
}

// actorOf returns the answer's actor, else the fault domain's.
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
