//go:build unix

package logs

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// tailWithin fails if Tail takes more than a minute.
func tailWithin(t *testing.T, reader *Files, ctx context.Context) (string, error) {
	t.Helper()
	type found struct {
		text []byte
		err  error
	}
	done := make(chan found, 1)
	go func() {
		text, err := reader.Tail(ctx, run(), 100)
		done <- found{text, err}
	}()
	select {
	case is := <-done:
		return string(is.text), is.err
	case <-time.After(time.Minute):
		t.Fatal("it hangs")
	}
	return "", nil
}

func put(t *testing.T, path, text string) string {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
	return path
}

// Pods may write to the folders: FIFOs, devices and links are errors and do not block.
func TestOnlyRegularFilesBelowTheFolderAreRead(t *testing.T) {
	const secret = "another pod's log"
	for _, test := range []struct {
		name string
		make func(root, outside string) error
		want string
	}{
		{"a FIFO without a writer", func(root, _ string) error { return syscall.Mkfifo(root+"/train-1/main.log", 0o600) }, `"main.log" is p`},
		{"a folder", func(root, _ string) error { return os.Mkdir(root+"/train-1/main.log", 0o755) }, `"main.log" is d`},
		{"a link to a file elsewhere", func(root, outside string) error { return os.Symlink(outside+"/main.log", root+"/train-1/main.log") }, `"main.log" is L`},
		{"a link to another pod's file", func(root, _ string) error { return os.Symlink("../other/main.log", root+"/train-1/main.log") }, `"main.log" is L`},
		{"a link to a device", func(root, _ string) error { return os.Symlink("/dev/zero", root+"/train-1/main.log") }, `"main.log" is L`},
		{"a folder that is a link elsewhere", func(root, outside string) error {
			return errors.Join(os.Remove(root+"/train-1"), os.Symlink(outside, root+"/train-1"))
		}, `"train-1" is L`},
		{"a folder that is a link to another pod's", func(root, _ string) error {
			return errors.Join(os.Remove(root+"/train-1"), os.Symlink("other", root+"/train-1"))
		}, `"train-1" is L`},
		{"a folder that is a FIFO", func(root, _ string) error {
			return errors.Join(os.Remove(root+"/train-1"), syscall.Mkfifo(root+"/train-1", 0o600))
		}, `"train-1" is p`},
	} {
		t.Run(test.name, func(t *testing.T) {
			root, outside := t.TempDir(), t.TempDir()
			put(t, outside+"/main.log", secret)
			put(t, root+"/other/main.log", secret)
			if err := errors.Join(os.Mkdir(root+"/train-1", 0o755), test.make(root, outside)); err != nil {
				t.Fatal(err)
			}
			reader, err := NewFiles(root + "/{pod}/{container}.log")
			if err != nil {
				t.Fatal(err)
			}
			text, err := tailWithin(t, reader, t.Context())
			if text != "" || err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "expected a ") {
				t.Errorf("read %q, %v, want %s in an error", text, err, test.want)
			}
		})
	}
}

// The folder in the pattern may be a link.
func TestTheNamedFolderMayBeALink(t *testing.T) {
	folder := t.TempDir()
	put(t, folder+"/real/train-1/main.log", "the end")
	if err := os.Symlink("real", folder+"/logs"); err != nil {
		t.Fatal(err)
	}
	reader, err := NewFiles(folder + "/logs/{pod}/{container}.log")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := tailWithin(t, reader, t.Context()); text != "the end" || err != nil {
		t.Errorf("read %q, %v", text, err)
	}
}

// A link or a FIFO that replaces a file during a read is not followed.
func TestWhatIsChangedMeanwhileIsNotRead(t *testing.T) {
	const secret = "another pod's log"
	root, outside := t.TempDir(), t.TempDir()
	put(t, outside+"/main.log", secret)
	put(t, root+"/other/main.log", secret)
	put(t, root+"/train-1/main.log", "own")
	ended, stop := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		path := root + "/train-1/main.log"
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			os.Remove(path)
			switch i % 4 {
			case 0:
				os.Symlink("../other/main.log", path)
			case 1:
				syscall.Mkfifo(path, 0o600)
			default:
				os.WriteFile(path, []byte("own"), 0o600)
			}
		}
	}()
	defer func() { close(stop); <-ended }()
	reader, err := NewFiles(root + "/{pod}/{container}.log")
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for range 3000 {
		text, _ := tailWithin(t, reader, t.Context())
		if text == secret {
			t.Fatal("another's file was read")
		}
		if text == "own" {
			read++
		}
	}
	if read == 0 {
		t.Error("its own was never read")
	}
}

// A disk that does not answer delays Tail until its context ends, and blocks a bounded
// number of reads.
func TestTailEndsWithItsContext(t *testing.T) {
	reader, err := NewFiles(t.TempDir() + "/{pod}")
	if err != nil {
		t.Fatal(err)
	}
	answers, began := make(chan struct{}), make(chan struct{}, 2*maxReading)
	reader.read = func(context.Context, string, []string, int) ([]byte, error) {
		began <- struct{}{}
		<-answers
		return []byte("late"), nil
	}
	for range 2 * maxReading {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		if _, err := tailWithin(t, reader, ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("error %v, want that the time is over", err)
		}
		cancel()
	}
	for range maxReading {
		<-began
	}
	if len(began) > 0 {
		t.Errorf("%d more than %d read at once", len(began), maxReading)
	}
	close(answers)
	if text, err := tailWithin(t, reader, t.Context()); text != "late" || err != nil {
		t.Errorf("once it answers: %q, %v", text, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	path := put(t, t.TempDir()+"/train-1", "text")
	if _, err := endOfFile(ended, filepath.Dir(path), []string{"train-1"}, 10); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v of a file, want that the context has ended", err)
	}
}
