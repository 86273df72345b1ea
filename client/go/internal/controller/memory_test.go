package controller

import (
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A workload with the name of an earlier one has an empty memory.
func TestMemoryIsPerUID(t *testing.T) {
	m := &memory{}
	key := client.ObjectKey{Namespace: "ml", Name: "train"}
	m.of(key, "first", func(known *remembered) { known.said = "Waiting" })
	m.of(key, "first", func(known *remembered) {
		if known.said != "Waiting" {
			t.Errorf("forgot %+v", known)
		}
	})
	m.of(key, "second", func(known *remembered) {
		if known.said != "" || known.uid != "second" {
			t.Errorf("remembers %+v of another object", known)
		}
	})
	if uid := m.forget(key).uid; uid != "second" || len(m.workloads) != 0 {
		t.Errorf("forgot %q and still knows %v", uid, m.workloads)
	}
	if m.forget(key).uid != "" {
		t.Error("remembers data of another object")
	}
}
