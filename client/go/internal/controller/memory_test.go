package controller

import (
	"strconv"
	"testing"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"mulligan.dev/mulligan/internal/controller/records"
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

// Observations that do not fit into memory displace single ones, not all.
func TestMemoryStoreStaysFull(t *testing.T) {
	s := &memoryStore{}
	for i := range maxRemembered + 10 {
		uid := types.UID(strconv.Itoa(i))
		rec := &records.RetryRecord{Status: records.Status{Attempts: []records.Attempt{{UID: uid}}}}
		for range 2 {
			if err := s.write(t.Context(), rec); err != nil {
				t.Fatal(err)
			}
		}
		if want := min(i+1, maxRemembered); len(s.records) != want || s.records[uid] == nil {
			t.Fatalf("%d records after %d, want %d with the last", len(s.records), i+1, want)
		}
	}
}
