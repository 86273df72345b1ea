// Package gatetest opens gates for the recipes' tests.
package gatetest

import (
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"mulligan.dev/mulligan/gate"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/mulligantest"
)

// Sentence of every answer of Says.
const Sentence = "because of that"

// Open returns a gate whose service takes these steps, with a cluster that holds obj.
// It sets obj's resource version.
func Open(t *testing.T, obj client.Object, addToScheme func(*runtime.Scheme) error, steps ...mulligantest.Step) *gate.Gate {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := addToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	kube := fake.NewClientBuilder().WithScheme(scheme).WithObjects(obj.DeepCopyObject().(client.Object)).Build()
	stored := obj.DeepCopyObject().(client.Object)
	if err := kube.Get(t.Context(), client.ObjectKeyFromObject(obj), stored); err != nil {
		t.Fatal(err)
	}
	obj.SetResourceVersion(stored.GetResourceVersion())
	service := mulligantest.New(t)
	service.Next(steps...)
	return gate.New(service.Client(), kube, kube)
}

// Says answers with this action after this delay.
func Says(action mulliganv1.Decision_Action, after time.Duration) mulligantest.Step {
	return mulligantest.Cause(mulliganv1.Cause_APP_ERROR, func(response *mulliganv1.DecideResponse) {
		response.Decision = &mulliganv1.Decision{Action: action, Sentence: Sentence, RetryAfter: durationpb.New(after)}
		response.Diagnosis.FaultDomain = mulliganv1.Diagnosis_APPLICATION
	})
}

// Blames answers with an immediate charged retry, with a fault in domain.
func Blames(domain mulliganv1.Diagnosis_FaultDomain) mulligantest.Step {
	return mulligantest.Cause(mulliganv1.Cause_UNKNOWN, func(response *mulliganv1.DecideResponse) {
		response.Decision.RetryAfter, response.Decision.Sentence = nil, Sentence
		response.Diagnosis.FaultDomain = domain
	})
}

// Away is an unreachable service: the client asks twice.
func Away() []mulligantest.Step {
	return []mulligantest.Step{mulligantest.Unavailable(), mulligantest.Unavailable()}
}
