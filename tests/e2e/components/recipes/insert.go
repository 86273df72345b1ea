package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/printer"
	"go/token"
	"slices"
	"strings"
)

// An Insertion puts lines of ours into a function of an operator.
type Insertion struct {
	// File of the function, in the operator's module.
	File string
	// Function as it is declared, without its body. Receiver, names and types of
	// parameters and results have to be these, since Text uses them.
	Function string
	// Earlier is Function in the set of versions before; empty: it was the same.
	Earlier string
	// At is where in the function.
	At Place
	// Text is put there, whole lines. Where it has a line "…", the statement found
	// takes the place of that line; otherwise it comes after Text.
	Text string
}

// A Place is one statement of a function, identified by its content.
type Place struct {
	// Call is the function whose only call the statement has: "r.Create".
	Call string
	// Statement is the whole of a simple statement. Of Call and Statement one is set;
	// without both it is the first of the function.
	Statement string
}

func (p Place) String() string {
	switch {
	case p.Call != "":
		return "a call of " + p.Call
	case p.Statement != "":
		return "the statement " + p.Statement
	}
	return "a first statement"
}

// statementItself is the placeholder for the found statement.
const statementItself = "…"

// Insert returns the source of a Go file with the insertion, or an error that says what is
// not as expected.
func (i Insertion) Insert(source []byte) ([]byte, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, i.File, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	function, err := i.find(file)
	if err != nil {
		return nil, err
	}
	statement, err := i.At.in(function)
	if err != nil {
		return nil, fmt.Errorf("%s: func %s: %w", i.File, function.Name.Name, err)
	}
	from, to := files.Position(withComment(files, file, statement)).Offset, files.Position(statement.End()).Offset
	made, err := format.Source(slices.Concat(source[:from], i.around(source[from:to]), source[to:]))
	if err != nil {
		return nil, fmt.Errorf("%s: what is inserted is no Go: %w", i.File, err)
	}
	return made, nil
}

// withComment returns the position of the statement, or of the comment right above it.
func withComment(files *token.FileSet, file *ast.File, statement ast.Stmt) token.Pos {
	line := files.Position(statement.Pos()).Line
	for _, comment := range file.Comments {
		if files.Position(comment.End()).Line == line-1 {
			return comment.Pos()
		}
	}
	return statement.Pos()
}

func (i Insertion) around(statement []byte) []byte {
	before, after, found := strings.Cut(i.Text, statementItself)
	if !found {
		before, after = strings.TrimSpace(i.Text)+"\n", ""
	}
	return slices.Concat([]byte(strings.TrimLeft(before, "\n\t ")), statement, []byte(strings.TrimRight(after, "\n\t ")))
}

// find returns the function if it has the expected shape.
func (i Insertion) find(file *ast.File) (*ast.FuncDecl, error) {
	want, err := parser.ParseFile(token.NewFileSet(), "expected", "package p\n"+i.Function, parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("the function of the table %q is no declaration: %w", i.Function, err)
	}
	expected := want.Decls[0].(*ast.FuncDecl)
	function := functionNamed(file, expected.Name.Name, receiverOf(expected))
	if function == nil {
		return nil, &Moved{Insertion: i, Name: expected.Name.Name}
	}
	if now := shape(function); now != shape(expected) && now != i.Earlier {
		return nil, &Moved{Insertion: i, Name: expected.Name.Name, Now: []string{i.File + ": " + shape(function)}}
	}
	return function, nil
}

// Moved is the error for a function that was changed or moved.
type Moved struct {
	Insertion Insertion
	Name      string
	// Now are the current functions of that name, with their files.
	Now []string
}

func (m *Moved) Error() string {
	now := "no function of that name is left"
	if len(m.Now) > 0 {
		now = "it is now\n\t" + strings.Join(m.Now, "\n\t")
	}
	return fmt.Sprintf("func %s was expected as\n\t%s: %s\n%s", m.Name, m.Insertion.File, m.Insertion.Function, now)
}

func functionNamed(file *ast.File, name, receiver string) *ast.FuncDecl {
	for _, declaration := range file.Decls {
		function, ok := declaration.(*ast.FuncDecl)
		if ok && function.Name.Name == name && receiverOf(function) == receiver {
			return function
		}
	}
	return nil
}

// receiverOf returns the receiver's type without the star; empty for a plain function.
func receiverOf(function *ast.FuncDecl) string {
	if function.Recv == nil {
		return ""
	}
	return strings.TrimPrefix(text(function.Recv.List[0].Type), "*")
}

// shape returns the declaration without body and comments.
func shape(function *ast.FuncDecl) string {
	return text(&ast.FuncDecl{Recv: function.Recv, Name: function.Name, Type: function.Type})
}

func text(node ast.Node) string {
	var out bytes.Buffer
	// It prints what was parsed.
	_ = (&printer.Config{Mode: printer.RawFormat}).Fprint(&out, token.NewFileSet(), node)
	return strings.Join(strings.Fields(out.String()), " ")
}

// in returns the innermost statement that is the place.
func (p Place) in(function *ast.FuncDecl) (ast.Stmt, error) {
	if p == (Place{}) && len(function.Body.List) > 0 {
		return function.Body.List[0], nil
	}
	var found []ast.Stmt
	ast.PreorderStack(function.Body, nil, func(node ast.Node, above []ast.Node) bool {
		if p.is(node) {
			found = append(found, listed(append(above, node)))
		}
		return true
	})
	if len(found) != 1 {
		return nil, fmt.Errorf("it has %s %d times, expected once", p, len(found))
	}
	return found[0], nil
}

func (p Place) is(node ast.Node) bool {
	if call, ok := node.(*ast.CallExpr); ok && p.Call != "" {
		return text(call.Fun) == p.Call
	}
	statement, ok := node.(ast.Stmt)
	return ok && p.Statement != "" && text(statement) == p.Statement
}

// listed returns the last node that is a statement in the list of a block or case, so that
// another can be inserted before it.
func listed(nodes []ast.Node) ast.Stmt {
	for i := len(nodes) - 1; i > 0; i-- {
		switch nodes[i].(type) {
		case *ast.CaseClause, *ast.CommClause:
			continue
		}
		switch nodes[i-1].(type) {
		case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
			return nodes[i].(ast.Stmt)
		}
	}
	return nil
}
