package kubectl

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/term"
)

// progress tells in one line of a terminal what has been listed so far; nil tells
// nothing.
type progress struct {
	out io.Writer
	all int
}

// progressOn is nil where out is no terminal: a file or a pipe gets no such line.
func progressOn(out io.Writer) *progress {
	if file, ok := out.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return &progress{out: out}
	}
	return nil
}

// listed is told of each page.
func (p *progress) listed(kind string, objects int) {
	if p == nil {
		return
	}
	p.all += objects
	fmt.Fprintf(p.out, "\r\x1b[K%d objects, listing %s", p.all, kind)
}

// done leaves the line as it was.
func (p *progress) done() {
	if p != nil {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}
