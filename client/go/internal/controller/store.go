package controller

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"mulligan.dev/mulligan/internal/controller/records"
)

// store keeps the records of workloads.
type store interface {
	// of returns the record that an object is an attempt of, or the next one of; nil:
	// there is none. It is the caller's to change.
	of(ctx context.Context, obj *unstructured.Unstructured) (*records.RetryRecord, error)
	// named returns a record as it is now; nil: there is none.
	named(ctx context.Context, key client.ObjectKey) (*records.RetryRecord, error)
	// write stores the record over the very version that was read; a conflict where
	// there is a newer one.
	write(ctx context.Context, rec *records.RetryRecord) error
}

// clusterStore keeps them in the cluster.
type clusterStore struct {
	client client.Client
	live   client.Reader
}

func (s clusterStore) of(ctx context.Context, obj *unstructured.Unstructured) (*records.RetryRecord, error) {
	var found *records.RetryRecord
	for _, key := range []string{string(obj.GetUID()), records.PlanKey(obj.GetKind(), obj.GetName())} {
		list := &records.RetryRecordList{}
		if err := s.client.List(ctx, list, client.InNamespace(obj.GetNamespace()), client.MatchingFields{records.Index: key}); err != nil {
			return nil, err
		}
		for i := range list.Items {
			found = senior(found, &list.Items[i], obj)
		}
	}
	if found == nil {
		return nil, nil
	}
	return found.DeepCopy(), nil
}

// senior is the record that stands where two claim an object: it is a later attempt of
// one before it is the first of another, which was begun while the first was on its way.
func senior(a, b *records.RetryRecord, obj *unstructured.Unstructured) *records.RetryRecord {
	if a == nil || isFirst(a, obj) && !isFirst(b, obj) {
		return b
	}
	return a
}

func isFirst(rec *records.RetryRecord, obj *unstructured.Unstructured) bool {
	return len(rec.Status.Attempts) > 0 && rec.Status.Attempts[0].UID == obj.GetUID()
}

func (s clusterStore) named(ctx context.Context, key client.ObjectKey) (*records.RetryRecord, error) {
	rec := &records.RetryRecord{}
	if err := s.live.Get(ctx, key, rec); err != nil {
		return nil, client.IgnoreNotFound(err)
	}
	return rec, nil
}

func (s clusterStore) write(ctx context.Context, rec *records.RetryRecord) error {
	if rec.ResourceVersion == "" {
		return s.client.Create(ctx, rec)
	}
	return s.client.Update(ctx, rec)
}

// memoryStore keeps them in this process, for a cluster without the kind: what is only
// observed is said again after a restart.
type memoryStore struct {
	lock    sync.Mutex
	records map[types.UID]*records.RetryRecord
}

func (s *memoryStore) of(_ context.Context, obj *unstructured.Unstructured) (*records.RetryRecord, error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	rec := s.records[obj.GetUID()]
	if rec == nil {
		return nil, nil
	}
	return rec.DeepCopy(), nil
}

func (s *memoryStore) named(context.Context, client.ObjectKey) (*records.RetryRecord, error) {
	return nil, nil
}

// What is remembered at most; more is asked about again.
const maxRemembered = 4096

func (s *memoryStore) write(_ context.Context, rec *records.RetryRecord) error {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.records == nil || len(s.records) >= maxRemembered {
		s.records = map[types.UID]*records.RetryRecord{}
	}
	kept := rec.DeepCopy()
	// Nothing is made from it, and it may be large.
	kept.Spec.Template = nil
	s.records[rec.Latest().UID] = kept
	return nil
}

// dividedStore keeps in memory what is only read.
type dividedStore struct {
	cluster, memory store
	options         Options
}

func (s dividedStore) in(namespace string) store {
	if s.options.onlyReads(namespace) {
		return s.memory
	}
	return s.cluster
}

func (s dividedStore) of(ctx context.Context, obj *unstructured.Unstructured) (*records.RetryRecord, error) {
	return s.in(obj.GetNamespace()).of(ctx, obj)
}

func (s dividedStore) named(ctx context.Context, key client.ObjectKey) (*records.RetryRecord, error) {
	return s.in(key.Namespace).named(ctx, key)
}

func (s dividedStore) write(ctx context.Context, rec *records.RetryRecord) error {
	return s.in(rec.Namespace).write(ctx, rec)
}
