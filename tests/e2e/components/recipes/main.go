// Command recipes inserts the recipes of client/go/recipes into copies of their operators'
// modules, for scripts/e2e and scripts/recipe-diff.
//
//	recipes list               operators
//	recipes module OPERATOR    the operator's module
//	recipes main OPERATOR      the package of its binary
//	recipes apply OPERATOR SOURCE TO ROOT
//	recipes rights OPERATOR TO the roles it is deployed with
//
// apply copies SOURCE, a folder with the operator's module, to TO and changes the copy;
// ROOT is the folder of this repository.
package main

import (
	"fmt"
	"os"
	"strings"
)

const usage = "expected recipes list, recipes module|main OPERATOR, recipes rights OPERATOR TO or recipes apply OPERATOR SOURCE TO ROOT"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "recipes:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 1 && args[0] == "list":
		fmt.Println(strings.Join(names(), "\n"))
		return nil
	case len(args) < 2:
		return fmt.Errorf("%s", usage)
	}
	recipe, err := named(args[1])
	if err != nil {
		return err
	}
	switch {
	case len(args) == 2 && args[0] == "module":
		fmt.Println(recipe.Module)
	case len(args) == 2 && args[0] == "main":
		fmt.Println(recipe.Main)
	case len(args) == 3 && args[0] == "rights":
		rights, err := recipe.rights(args[2])
		fmt.Print(rights)
		return err
	case len(args) == 5 && args[0] == "apply":
		return recipe.apply(args[2], args[3], args[4])
	default:
		return fmt.Errorf("%s", usage)
	}
	return nil
}

func names() []string {
	var all []string
	for _, recipe := range recipes {
		all = append(all, recipe.Operator)
	}
	return all
}

func named(operator string) (Recipe, error) {
	for _, recipe := range recipes {
		if recipe.Operator == operator {
			return recipe, nil
		}
	}
	return Recipe{}, fmt.Errorf("no recipe for %q, expected one of %s", operator, strings.Join(names(), ", "))
}
