// Package cases writes what an operator's own code did, one case per line, in
// the format of tests/oracle/README.md. A generator is a main package with one
// function:
//
//	func main() { cases.Main("job", 1, generate) }
//
// Every case has its own source of randomness, made from seed and number: case
// 4711 of seed 1 is the same whether one case is generated or ten thousand.
package cases

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"sort"
	"strings"
	"time"
)

// Now is the clock of every case: report.observedAt, and the operator's clock.
var Now = time.Date(2026, 8, 22, 12, 0, 0, 0, time.UTC)

// A Case is one request and what the operator did with the same objects.
type Case struct {
	// ID is filled by Main: "<operator>-<seed>-<number>".
	ID string `json:"id"`
	// Request is a DecideRequest in proto JSON.
	Request map[string]any `json:"request"`
	// Expect has the members listed in tests/oracle/README.md.
	Expect map[string]any `json:"expect"`
	// Point of docs/conformance.md that allows other answers, and those answers:
	// any of these in the place of Expect.
	Point   string           `json:"point,omitempty"`
	Instead []map[string]any `json:"instead,omitempty"`
}

// Generate makes case `number` from its own source of randomness. A case
// without Expect is dropped: its objects cannot exist, or nothing was decided.
type Generate func(random *rand.Rand, number int) Case

// Main reads the flags --cases, --seed and --only, writes the cases to standard
// output, and to standard error the number of times each answer occurred.
func Main(operator string, defaultSeed uint64, generate Generate) {
	count := flag.Int("cases", 1000, "cases to try; those that cannot exist are dropped")
	seed := flag.Uint64("seed", defaultSeed, "seed of the generator")
	only := flag.Int("only", -1, "write this case only")
	flag.Parse()
	if flag.NArg() != 0 || *count < 1 {
		fmt.Fprintln(os.Stderr, "usage: [--cases N] [--seed S] [--only NUMBER], N at least 1")
		os.Exit(2)
	}
	out := bufio.NewWriter(os.Stdout)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	answers := map[string]int{}
	for number := range *count {
		if *only >= 0 && number != *only {
			continue
		}
		made := generate(rand.New(rand.NewPCG(*seed, uint64(number))), number)
		if made.Expect == nil {
			continue
		}
		made.ID = fmt.Sprintf("%s-%d-%d", operator, *seed, number)
		if err := encoder.Encode(made); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", made.ID, err)
			os.Exit(1)
		}
		answers[answerOf(made.Expect)]++
	}
	if err := out.Flush(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for _, answer := range sortedKeys(answers) {
		fmt.Fprintf(os.Stderr, "%7d %s\n", answers[answer], answer)
	}
}

// Object returns a Kubernetes object as the JSON in a request.
func Object(object any) map[string]any {
	text, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	var decoded map[string]any
	if err := json.Unmarshal(text, &decoded); err != nil {
		panic(err)
	}
	return decoded
}

// Pick returns one of the choices at random.
func Pick[T any](random *rand.Rand, choices ...T) T {
	return choices[random.IntN(len(choices))]
}

// Chance returns true once in `times` on average.
func Chance(random *rand.Rand, times int) bool { return random.IntN(times) == 0 }

func answerOf(expect map[string]any) string {
	var parts []string
	for _, name := range []string{"refused", "verdict", "reason", "action"} {
		if value, ok := expect[name]; ok {
			parts = append(parts, fmt.Sprint(value))
		}
	}
	return strings.Join(parts, " ")
}

func sortedKeys(counts map[string]int) []string {
	keys := make([]string, 0, len(counts))
	for key := range counts {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}
