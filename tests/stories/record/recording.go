package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

// kinds are the recorded kinds, by the operator that they need.
var kinds = map[string][]schema.GroupVersionResource{
	"kubernetes": {
		{Version: "v1", Resource: "pods"}, {Version: "v1", Resource: "events"}, {Version: "v1", Resource: "nodes"},
		{Group: "batch", Version: "v1", Resource: "jobs"},
	},
	"jobset":            {jobSets},
	"kuberay":           {{Group: "ray.io", Version: "v1", Resource: "rayjobs"}, {Group: "ray.io", Version: "v1", Resource: "rayclusters"}},
	"trainer":           {{Group: "trainer.kubeflow.org", Version: "v1alpha1", Resource: "trainjobs"}, jobSets},
	"training-operator": {{Group: "kubeflow.org", Version: "v1", Resource: "pytorchjobs"}},
}

var jobSets = schema.GroupVersionResource{Group: "jobset.x-k8s.io", Version: "v1alpha2", Resource: "jobsets"}

// change is a version of an object, as reported by a watch.
type change struct {
	At       float64        `json:"at"`
	Type     string         `json:"type"`
	Kind     string         `json:"kind"`
	Object   map[string]any `json:"object"`
	revision uint64
}

// recording is what the watches of a story have reported so far.
type recording struct {
	lock    sync.Mutex
	changes []change
	mirrors *known
}

// watch records a kind's objects of the namespace, or a pool's nodes.
func (r *recording) watch(ctx context.Context, client dynamic.Interface, gvr schema.GroupVersionResource, namespace string) error {
	var objects dynamic.ResourceInterface = client.Resource(gvr).Namespace(namespace)
	options := metav1.ListOptions{}
	if gvr.Resource == "nodes" {
		objects, options.LabelSelector = client.Resource(gvr), "pool="+namespace
	}
	list, err := objects.List(ctx, options)
	if err != nil {
		return err
	}
	for i := range list.Items {
		r.add("ADDED", &list.Items[i])
	}
	options.ResourceVersion = list.GetResourceVersion()
	watch, err := objects.Watch(ctx, options)
	if err != nil {
		return err
	}
	go func() {
		for event := range watch.ResultChan() {
			if obj, ok := event.Object.(*unstructured.Unstructured); ok && obj.GetName() != "" {
				r.add(string(event.Type), obj)
			}
		}
	}()
	return nil
}

func (r *recording) add(kind string, obj *unstructured.Unstructured) {
	revision, _ := strconv.ParseUint(obj.GetResourceVersion(), 10, 64)
	at := float64(time.Now().UnixMilli()) / 1000
	r.lock.Lock()
	defer r.lock.Unlock()
	r.changes = append(r.changes, change{
		At: at, Type: kind, Kind: obj.GetKind(), Object: r.mirrors.object(obj.Object), revision: revision,
	})
}

// title is the first line of a recording.
type title struct {
	Story  string         `json:"story"`
	Truth  map[string]int `json:"truth"`
	Unpaid int            `json:"unpaid,omitempty"`
	Needs  string         `json:"needs,omitempty"`
	Ends   string         `json:"ends"`
	Note   string         `json:"note"`
}

// save writes the versions in the order in which the API server made them: all kinds are
// in one store, so their revisions are comparable.
func (r *recording) save(folder string, t title) error {
	r.lock.Lock()
	defer r.lock.Unlock()
	sort.SliceStable(r.changes, func(i, j int) bool { return r.changes[i].revision < r.changes[j].revision })
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(t); err != nil {
		return err
	}
	last := 0.0
	for _, c := range r.changes {
		last = math.Max(last, c.At)
		c.At = last
		if err := encoder.Encode(c); err != nil {
			return err
		}
	}
	fmt.Printf("%s: %d versions, %d KB\n", t.Story, len(r.changes), text.Len()/1024)
	return os.WriteFile(filepath.Join(folder, t.Story+".jsonl"), text.Bytes(), 0o644)
}
