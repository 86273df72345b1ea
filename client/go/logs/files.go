package logs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"

	"mulligan.dev/mulligan"
)

// Files reads logs from a disk, with or without the line prefixes of container
// runtimes. Pods may write to these folders, so only regular files are read, and
// symbolic links are followed only before the pattern's first placeholder.
type Files struct {
	// root is the folder before the first placeholder, below the names under it.
	root  string
	below []string
	// A token per read in progress: a disk that does not answer blocks at most
	// maxReading goroutines.
	reading chan struct{}
	read    func(ctx context.Context, root string, below []string, most int) ([]byte, error)
}

// The most concurrent reads.
const maxReading = 8

var placeholders = []string{"{namespace}", "{pod}", "{uid}", "{container}", "{restarts}"}

// NewFiles returns a reader for a path with the placeholders {namespace} {pod} {uid}
// {container} {restarts}, such as
// /var/log/pods/{namespace}_{pod}_{uid}/{container}/{restarts}.log.
func NewFiles(pattern string) (*Files, error) {
	rest := pattern
	for _, placeholder := range placeholders {
		rest = strings.ReplaceAll(rest, placeholder, "")
	}
	if !filepath.IsAbs(pattern) || strings.ContainsAny(rest, "{}") || !strings.Contains(pattern, "{pod}") && !strings.Contains(pattern, "{uid}") {
		return nil, fmt.Errorf("file=%q, expected an absolute path with {pod} or {uid} in it, and no placeholder but %s", pattern, strings.Join(placeholders, " "))
	}
	root, below, _ := strings.Cut(filepath.Clean(pattern), "{")
	slash := strings.LastIndexByte(root, filepath.Separator) + 1
	below = root[slash:] + "{" + below
	return &Files{
		root: root[:slash], below: strings.Split(below, string(filepath.Separator)),
		reading: make(chan struct{}, maxReading), read: endOfFile,
	}, nil
}

// Tail reads the end of the file. It returns when the context ends, even if the disk
// does not answer.
func (f *Files) Tail(ctx context.Context, of mulligan.LogsOf, most int) ([]byte, error) {
	below, err := f.pathOf(of)
	if err != nil {
		return nil, err
	}
	select {
	case f.reading <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	type found struct {
		text []byte
		err  error
	}
	done := make(chan found, 1)
	go func() {
		defer func() { <-f.reading }()
		text, err := f.read(ctx, f.root, below, most)
		done <- found{text, err}
	}()
	select {
	case is := <-done:
		return is.text, is.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (f *Files) pathOf(of mulligan.LogsOf) ([]string, error) {
	values := []string{of.Pod.Namespace, of.Pod.Name, string(of.Pod.UID), of.Container, strconv.Itoa(int(of.Restarts))}
	var pairs []string
	for i, placeholder := range placeholders {
		if strings.ContainsAny(values[i], `/\`) || values[i] == ".." || values[i] == "." {
			return nil, fmt.Errorf("%s %q would be another path", placeholder, values[i])
		}
		pairs = append(pairs, placeholder, values[i])
	}
	names := strings.NewReplacer(pairs...)
	below := make([]string, len(f.below))
	for i, part := range f.below {
		below[i] = names.Replace(part)
	}
	return below, nil
}

// endOfFile returns nothing if the file does not exist.
func endOfFile(ctx context.Context, root string, below []string, most int) ([]byte, error) {
	file, err := openBelow(root, below)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	// Reads more, because runtimes' prefixes are removed below.
	window := int64(4*most + 4096)
	text, err := endOf(io.NewSectionReader(stopping{ctx, file}, max(0, info.Size()-window), window), int(window))
	if err != nil {
		return nil, err
	}
	text = runtimePrefix.ReplaceAll(text, nil)
	return text[max(0, len(text)-most):], nil
}

// stopping fails reads after the context has ended.
type stopping struct {
	ctx  context.Context
	from io.ReaderAt
}

func (s stopping) ReadAt(into []byte, at int64) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.from.ReadAt(into, at)
}

// openBelow opens a regular file without following symbolic links below path. Each
// element is examined and then opened; if both are not the same object, it was changed
// concurrently, which is an error.
func openBelow(path string, below []string) (*os.File, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	defer func() { root.Close() }()
	last := len(below) - 1
	for _, name := range below[:last] {
		looked, err := root.Lstat(name)
		if err != nil {
			return nil, err
		}
		if !looked.IsDir() {
			return nil, notA("folder", name, looked)
		}
		next, err := root.OpenRoot(name)
		if err != nil {
			return nil, err
		}
		root.Close()
		root = next
		if opened, err := root.Stat("."); err != nil || !os.SameFile(looked, opened) {
			return nil, errors.Join(err, fmt.Errorf("%q was changed meanwhile", name))
		}
	}
	name := below[last]
	looked, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !looked.Mode().IsRegular() {
		return nil, notA("regular file", name, looked)
	}
	// If a FIFO has replaced the file, this does not block.
	file, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if opened, err := file.Stat(); err != nil || !opened.Mode().IsRegular() || !os.SameFile(looked, opened) {
		file.Close()
		return nil, errors.Join(err, fmt.Errorf("%q was changed meanwhile", name))
	}
	return file, nil
}

func notA(kind, name string, found os.FileInfo) error {
	return fmt.Errorf("%q is %s, expected a %s", name, found.Mode(), kind)
}

// Container runtimes write time, stream and whether the line is whole.
var runtimePrefix = regexp.MustCompile(`(?m)^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d) std(?:out|err) [FP] `)
