package main

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"mulligan.dev/mulligan/internal/trial"
)

// printTrial reads the decision logs in a list.
func printTrial(out io.Writer, list string) error {
	result := &trial.Result{}
	for _, path := range strings.Split(list, ",") {
		files, err := logsIn(path)
		if err != nil {
			return fmt.Errorf("--print-trial: %w", err)
		}
		for _, file := range files {
			if err := readLog(result, file); err != nil {
				return fmt.Errorf("--print-trial: %s: %w", file, err)
			}
		}
	}
	result.Print(out)
	return nil
}

// logsIn returns the file, or a folder's files, oldest first: the earliest rotated one
// has the highest number.
func logsIn(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return []string{path}, err
	}
	found, err := filepath.Glob(filepath.Join(path, "*.jsonl*"))
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("%s has no decision log in it, expected files *.jsonl", path)
	}
	slices.SortFunc(found, func(a, b string) int { return rotation(b) - rotation(a) })
	return found, err
}

func readLog(result *trial.Result, file string) (err error) {
	log, err := os.Open(file)
	if err != nil {
		return err
	}
	defer log.Close()
	lines, records := result.Lines, result.Records
	defer func() {
		if read := result.Lines - lines; err == nil && read > 0 && result.Records == records {
			err = fmt.Errorf("is no decision log: none of its %d lines is a decision", read)
		}
	}()
	if !strings.HasSuffix(file, ".gz") {
		return result.Read(log)
	}
	packed, err := gzip.NewReader(log)
	if err != nil {
		return err
	}
	return result.Read(packed)
}

var rotated = regexp.MustCompile(`\.jsonl\.(\d+)(?:\.gz)?$`)

// rotation returns the file's rotation number; 0 for the current log.
func rotation(file string) int {
	number := rotated.FindStringSubmatch(file)
	if number == nil {
		return 0
	}
	n, _ := strconv.Atoi(number[1])
	return n
}
