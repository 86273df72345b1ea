package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// known are the JSON names of the fields of Kubernetes objects that the mirrors in proto/
// have. A map's own keys are not among them.
type known struct {
	fields map[string]bool
	maps   map[string]bool
}

// Fields that are no part of any story, known to the mirrors or not.
var noise = []string{
	"volumes", "volumeMounts", "tolerations", "terminationMessagePath", "terminationMessagePolicy",
	"schedulerName", "priority", "resources", "selfLink", "manualSelector", "podCIDR",
}

var field = regexp.MustCompile(`(?s)(map<[^>]*>|[A-Za-z0-9_.]+)\s+([a-z0-9_]+) =\s+\d+(?:\s*\[json_name = "(\w+)"\])?`)

func readMirrors(folder string) (*known, error) {
	k := &known{fields: map[string]bool{}, maps: map[string]bool{}}
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".proto") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, match := range field.FindAllStringSubmatch(string(text), -1) {
			name := match[3]
			if name == "" {
				name = camel(match[2])
			}
			k.fields[name] = true
			if strings.HasPrefix(match[1], "map<") {
				k.maps[name] = true
			}
		}
		return err
	})
	for _, name := range noise {
		delete(k.fields, name)
	}
	return k, err
}

func camel(name string) string {
	words := strings.Split(name, "_")
	for i := range words[1:] {
		words[i+1] = strings.ToUpper(words[i+1][:1]) + words[i+1][1:]
	}
	return strings.Join(words, "")
}

// object returns obj without what does not matter: of the status it keeps everything,
// except a Node's, and it drops annotations that repeat a label.
func (k *known) object(obj map[string]any) map[string]any {
	status := obj["status"]
	cut := k.cut(obj).(map[string]any)
	metadata := cut["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	labels, _ := metadata["labels"].(map[string]any)
	for name, value := range annotations {
		if labels[name] == value {
			delete(annotations, name)
		}
	}
	if obj["kind"] == "Job" {
		// The labels once more.
		template := cut["spec"].(map[string]any)["template"].(map[string]any)
		delete(template, "metadata")
	}
	cut["apiVersion"], cut["kind"] = obj["apiVersion"], obj["kind"]
	if status != nil && obj["kind"] != "Node" {
		cut["status"] = withoutNulls(status)
	}
	return cut
}

func (k *known) cut(value any) any {
	switch value := value.(type) {
	case map[string]any:
		kept := map[string]any{}
		for name, inner := range value {
			if !k.fields[name] || inner == nil {
				continue
			}
			if entries, ok := inner.(map[string]any); ok && k.maps[name] {
				kept[name] = k.entries(entries)
			} else {
				kept[name] = k.cut(inner)
			}
		}
		return kept
	case []any:
		kept := make([]any, 0, len(value))
		for _, inner := range value {
			kept = append(kept, k.cut(inner))
		}
		return kept
	}
	return value
}

func (k *known) entries(entries map[string]any) map[string]any {
	kept := map[string]any{}
	for name, inner := range entries {
		if !strings.Contains(name, "kubectl.kubernetes.io") {
			kept[name] = k.cut(inner)
		}
	}
	return kept
}

func withoutNulls(value any) any {
	if list, ok := value.([]any); ok {
		for i := range list {
			list[i] = withoutNulls(list[i])
		}
	}
	if fields, ok := value.(map[string]any); ok {
		for name, inner := range fields {
			if inner == nil {
				delete(fields, name)
			} else {
				fields[name] = withoutNulls(inner)
			}
		}
	}
	return value
}
