package kubectl

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A journal keeps what was listed, page by page, so that who was interrupted goes on. In
// its file a line says of what, and each page is another. Nil keeps nothing.
type journal struct {
	file *os.File
	// Of what was there at the start.
	begun   time.Time
	objects int
	kinds   map[schema.GroupVersionKind]*keptKind
}

// journalHead is the first line. What is gathered depends on nothing else.
type journalHead struct {
	// The form of the file and the kinds that are asked for.
	Journal int       `json:"mulliganJournal"`
	Begun   time.Time `json:"begun"`
	Server  string    `json:"server"`
	// UID of the namespace kube-system, which tells apart clusters that were reached at one
	// address. Empty: it may not be read.
	Cluster string `json:"cluster"`
	// Empty: all of them.
	Namespace string `json:"namespace"`
}

const journalForm = 1

func (h journalHead) String() string {
	where := "all namespaces"
	if h.Namespace != "" {
		where = "namespace " + h.Namespace
	}
	return fmt.Sprintf("%s of the cluster %q at %s (form %d)", where, h.Cluster, h.Server, h.Journal)
}

// keptPage is any other line.
type keptPage struct {
	schema.GroupVersionKind
	// The token it was asked with, empty for the first, and that of the next one.
	From, Next string
	Items      []json.RawMessage
}

// keptKind is where the pages of a kind are that follow one another.
type keptKind struct {
	at   []span
	next string
}

type span struct{ begin, length int64 }

// openJournal goes on with a file, or begins one. Of a file about something else it says so.
func openJournal(path string, head journalHead) (*journal, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	j := &journal{file: file, kinds: map[schema.GroupVersionKind]*keptKind{}}
	if err = isFile(file); err == nil {
		err = j.read(head)
	}
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("%s %w; delete it, or name another file", path, err)
	}
	return j, nil
}

// isFile refuses what may have no end, or never begin.
func isFile(file *os.File) error {
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("is %v, expected a regular file", info.Mode())
	}
	return err
}

// read finds the pages. Who was killed while writing leaves a line without an end, which
// goes.
func (j *journal) read(want journalHead) error {
	lines := bufio.NewReaderSize(j.file, 1<<20)
	end := int64(0)
	for number := 1; ; number++ {
		line, err := readLine(lines)
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil && number == 1 {
			err = j.readHead(line, want)
		} else if err == nil {
			err = j.readPage(line, end)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
		end += int64(len(line))
	}
	if err := j.file.Truncate(end); err != nil || end > 0 {
		return err
	}
	want.Begun = time.Now().UTC().Truncate(time.Second)
	return j.write(want)
}

// readLine is ReadBytes with a bound.
func readLine(lines *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := lines.ReadSlice('\n')
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
		if len(line) > maxTableBytes {
			return nil, fmt.Errorf("has more than %d MiB, expected a page of a report", maxTableBytes>>20)
		}
	}
}

func (j *journal) readHead(line []byte, want journalHead) error {
	head := journalHead{}
	if err := json.Unmarshal(line, &head); err != nil || head.Journal == 0 {
		return fmt.Errorf("is no journal of a report")
	}
	j.begun, head.Begun = head.Begun, want.Begun
	if head != want {
		return fmt.Errorf("is of %v, expected %v", head, want)
	}
	return nil
}

func (j *journal) readPage(line []byte, at int64) error {
	page := keptPage{}
	if err := json.Unmarshal(line, &page); err != nil {
		return err
	}
	for i, item := range page.Items {
		if err := checkItem(item, page.GroupVersionKind); err != nil {
			return fmt.Errorf("Items[%d]: %w", i, err)
		}
	}
	kind := j.kinds[page.GroupVersionKind]
	switch {
	case page.From == "":
		kind = &keptKind{}
		j.kinds[page.GroupVersionKind] = kind
	case kind == nil || kind.next != page.From:
		return fmt.Errorf("is a page of %s that follows none: has somebody else written to it?", page.Kind)
	}
	kind.at, kind.next = append(kind.at, span{at, int64(len(line))}), page.Next
	j.objects += len(page.Items)
	return nil
}

// checkItem refuses what is no object of a kind. As unstructured objects they may have
// anything for a name, an owner or a label, and are then taken to have none.
func checkItem(text []byte, gvk schema.GroupVersionKind) error {
	object := metav1.PartialObjectMetadata{}
	if err := json.Unmarshal(text, &object); err != nil {
		return err
	}
	if object.GroupVersionKind() != gvk {
		return fmt.Errorf("is %v, expected %v", object.GroupVersionKind(), gvk)
	}
	if object.Name == "" {
		return fmt.Errorf("has no metadata.name, expected that of a %s", gvk.Kind)
	}
	return nil
}

// of calls use with the pages that are kept of a kind, and says whether there are any, and
// the token of the next one, empty after the last.
func (j *journal) of(gvk schema.GroupVersionKind, use func(client.ObjectList) error) (next string, found bool, err error) {
	if j == nil || j.kinds[gvk] == nil {
		return "", false, nil
	}
	kept := j.kinds[gvk]
	for _, at := range kept.at {
		page := keptPage{}
		if err := json.NewDecoder(io.NewSectionReader(j.file, at.begin, at.length)).Decode(&page); err != nil {
			return "", false, err
		}
		list := &unstructured.UnstructuredList{Items: make([]unstructured.Unstructured, len(page.Items))}
		for i, text := range page.Items {
			if err := list.Items[i].UnmarshalJSON(text); err != nil {
				return "", false, err
			}
		}
		if err := use(list); err != nil {
			return "", false, err
		}
	}
	return kept.next, true, nil
}

// keep adds a page that was asked for with a token.
func (j *journal) keep(gvk schema.GroupVersionKind, from string, list client.ObjectList) error {
	if j == nil {
		return nil
	}
	page := keptPage{GroupVersionKind: gvk, From: from, Next: list.GetContinue(), Items: []json.RawMessage{}}
	err := meta.EachListItem(list, func(item runtime.Object) error {
		text, err := asJSON(item)
		page.Items = append(page.Items, text)
		return err
	})
	if err != nil {
		return err
	}
	return j.write(page)
}

// write adds a line at once.
func (j *journal) write(line any) error {
	var text bytes.Buffer
	if err := json.NewEncoder(&text).Encode(line); err != nil {
		return err
	}
	_, err := j.file.Write(text.Bytes())
	return err
}

// remove is for what is not needed any more.
func (j *journal) remove() error {
	if j == nil {
		return nil
	}
	return errors.Join(j.file.Close(), os.Remove(j.file.Name()))
}
