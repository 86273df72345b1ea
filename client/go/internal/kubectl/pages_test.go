package kubectl

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Continue tokens expire; then the kind is listed again.
func TestListsAgainAfterExpiredPages(t *testing.T) {
	work := append(batchWork(t), bigSet(t, 1200)...)
	// saved returns what the report saves if this many requests for further pages fail.
	saved := func(refused int) (string, string, error) {
		api := newAPIServer(t, work...)
		api.refuse = func(r *http.Request) *metav1.Status {
			if r.URL.Query().Get("continue") == "" || refused == 0 {
				return nil
			}
			refused--
			return &apierrors.NewResourceExpired("too old").ErrStatus
		}
		file := filepath.Join(t.TempDir(), "objects.json")
		_, errOut, err := plugin(t, context.Background(), api, "report", "-A", "--save", file, "--mulligan="+recorder(t))
		if info, err := os.Stat(file); err == nil && info.Mode().Perm() != 0o600 {
			t.Errorf("the file has mode %v: others can read it", info.Mode())
		}
		text, _ := os.ReadFile(file)
		return string(text), errOut, err
	}
	want, _, err := saved(0)
	if err != nil || want == "" {
		t.Fatal(err)
	}
	got, errOut, err := saved(1)
	if err != nil || !strings.Contains(errOut, "pages of Pod have expired: it was listed again") || got != want {
		t.Errorf("%v, %s; the same was kept: %v", err, errOut, got == want)
	}
	if _, _, err := saved(1000); err == nil || !strings.Contains(err.Error(), "listing Pod: too old, 3 times") {
		t.Errorf("pages that never last: %v", err)
	}
}
