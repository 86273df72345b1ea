package kubectl

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// pageSize bounds one answer of the API server, which holds all of it in memory.
const pageSize = 500

// paged reads every list in pages, and drops managedFields, which are half of an object.
type paged struct{ client.Client }

func (p paged) List(ctx context.Context, list client.ObjectList, options ...client.ListOption) error {
	var all []runtime.Object
	err := eachPage(ctx, p.Client, list, options, func(page client.ObjectList) error {
		items, err := meta.ExtractList(page)
		for _, item := range items {
			if object, err := meta.Accessor(item); err == nil {
				object.SetManagedFields(nil)
			}
		}
		all = append(all, items...)
		return err
	})
	if err != nil {
		return err
	}
	return meta.SetList(list, all)
}

// eachPage calls use with every page of a list's kind. A limit in options bounds all
// pages together.
func eachPage(ctx context.Context, reader client.Reader, like client.ObjectList, options []client.ListOption, use func(client.ObjectList) error) error {
	asked := (&client.ListOptions{}).ApplyOptions(options)
	left, bounded := asked.Limit, asked.Limit > 0
	for next := ""; ; {
		size := int64(pageSize)
		if bounded {
			size = min(size, left)
		}
		// A new list for each page, because use may keep the items.
		page := like.DeepCopyObject().(client.ObjectList)
		err := reader.List(ctx, page, slices.Concat(options, []client.ListOption{client.Limit(size), client.Continue(next)})...)
		if err == nil {
			err = use(page)
		}
		if err != nil {
			return err
		}
		left -= int64(meta.LenList(page))
		if next = page.GetContinue(); next == "" || bounded && left <= 0 {
			return nil
		}
	}
}
