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
	// of returns the record of an object that is an attempt or the next one; nil if
	// there is none. The caller may change it.
	of(ctx context.Context, obj *unstructured.Unstructured) (*records.RetryRecord, error)
	// named returns a record, read live; nil if there is none.
	named(ctx context.Context, key client.ObjectKey) (*records.RetryRecord, error)
	// write stores the record over the version that was read; a conflict if there is a
	// newer one.
	write(ctx context.Context, rec *records.RetryRecord) error
}

// clusterStore keeps records in the cluster.
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

// senior returns the valid record if two claim an object. A record with it as a later
// attempt wins over one that begins with it, which was made before the former was
// visible.
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

// memoryStore keeps records in this process, for a cluster without the kind. After a
// restart, observations are reported again.
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

// The most records in memory. Forgotten ones are asked about again.
const maxRemembered = 4096

func (s *memoryStore) write(_ context.Context, rec *records.RetryRecord) error {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.records == nil {
		s.records = map[types.UID]*records.RetryRecord{}
	}
	for other := range s.records {
		if len(s.records) < maxRemembered || s.records[rec.Latest().UID] != nil {
			break
		}
		delete(s.records, other)
	}
	kept := rec.DeepCopy()
	// No attempt is made from it, and it may be large.
	kept.Spec.Template = nil
	s.records[rec.Latest().UID] = kept
	return nil
}

// dividedStore keeps records of read-only namespaces in memory.
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
