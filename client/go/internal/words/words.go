// Package words has what people are told about the names that a flag or a file takes.
package words

import (
	"slices"
	"strings"
)

// Names of an enum, sorted, without its zero value, which stands for none.
func Names(values map[int32]string) []string {
	var known []string
	for number, name := range values {
		if number != 0 {
			known = append(known, name)
		}
	}
	slices.Sort(known)
	return known
}

// Longer words are no typing mistakes, and the distance is quadratic.
const longestWord = 64

var folding = strings.NewReplacer("_", "", "-", "")

func fold(word string) string { return strings.ToLower(folding.Replace(word)) }

// Nearest is the candidate that a word was most likely meant to be, by the rule of the
// command line: equal but for case, "_" and "-", or at most a third of its letters away.
// Empty when nothing is near or two are equally near.
func Nearest(word string, candidates []string) string {
	if len(word) > longestWord {
		return ""
	}
	folded := fold(word)
	best, nearest := max(len(folded)/3, 1)+1, ""
	for _, candidate := range candidates {
		switch away := distance(folded, fold(candidate)); {
		case away == 0:
			return candidate
		case away < best:
			best, nearest = away, candidate
		case away == best:
			nearest = ""
		}
	}
	return nearest
}

// distance counts insertions, deletions, substitutions and swaps of neighbours.
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		for j := range rows[i] {
			if i == 0 || j == 0 {
				rows[i][j] = i + j
				continue
			}
			substituted := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				substituted++
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, substituted)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
