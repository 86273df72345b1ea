// Package gatetest opens gates for the tests of the recipes.
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

// Sentence is what every answer of Says says.
const Sentence = "because of that"

// Open returns a gate whose service takes these steps, over a cluster that holds obj,
// which gets its resource version.
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

// Says is an answer with this action, after this long.
func Says(action mulliganv1.Decision_Action, after time.Duration) mulligantest.Step {
	return mulligantest.Cause(mulliganv1.Cause_APP_ERROR, func(response *mulliganv1.DecideResponse) {
		response.Decision = &mulliganv1.Decision{Action: action, Sentence: Sentence, RetryAfter: durationpb.New(after)}
		response.Diagnosis.FaultDomain = mulliganv1.Diagnosis_APPLICATION
	})
}

// Blames is a retry at once, charged, for which this is to blame.
func Blames(domain mulliganv1.Diagnosis_FaultDomain) mulligantest.Step {
	return mulligantest.Cause(mulliganv1.Cause_UNKNOWN, func(response *mulliganv1.DecideResponse) {
		response.Decision.RetryAfter, response.Decision.Sentence = nil, Sentence
		response.Diagnosis.FaultDomain = domain
	})
}

// Away is a service that cannot be reached: the client asks twice.
func Away() []mulligantest.Step {
	return []mulligantest.Step{mulligantest.Unavailable(), mulligantest.Unavailable()}
}
