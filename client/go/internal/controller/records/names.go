package records

import (
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/types"
)

const (
	// Characters of a digest that distinguish objects of one origin.
	shortDigest = 5
	// The same for objects that share only the beginning of a name, or nothing.
	longDigest = 10
	// With fewer, two workloads could soon share a name.
	leastDigest = 6
	// The limit of a record's name, as a label's value.
	maxRecordName = 63
)

// Name returns the name of the record of the lineage that begins with this object.
func Name(kind, name string, uid types.UID) string {
	suffix := "-" + digestOf(uid)[:longDigest]
	return cut(strings.ToLower(kind)+"-"+name, maxRecordName-len(suffix)) + suffix
}

// RetryName returns the name of the attempt after the one with that UID, of at most
// room characters. It is the same for the same object, so that its successor cannot be
// created twice, and differs for other objects of the same name.
func RetryName(origin string, uid types.UID, attempt int32, room int) (string, error) {
	suffix := fmt.Sprintf("-r%d-%s", attempt, digestOf(uid)[:shortDigest])
	if len(origin)+len(suffix) <= room {
		return origin + suffix, nil
	}
	suffix = fmt.Sprintf("-r%d-%s", attempt, digestOf(uid)[:longDigest])
	if len(suffix)+leastDigest <= room {
		return cut(origin, room-len(suffix)) + suffix, nil
	}
	if room <= leastDigest {
		return "", fmt.Errorf("there is room for a name of %d characters, expected at least %d", max(room, 0), leastDigest+1)
	}
	// A name may have to begin with a letter.
	return "r" + digestOf(uid)[:min(room-1, longDigest)], nil
}

func digestOf(uid types.UID) string {
	digest := sha256.Sum256([]byte(uid))
	return strings.ToLower(base32.StdEncoding.EncodeToString(digest[:]))
}

func cut(name string, room int) string {
	if len(name) <= room {
		return name
	}
	return strings.TrimRight(name[:room], "-._")
}

// LabelValue shortens a name to the limit of a label.
func LabelValue(name string) string { return cut(name, 63) }
