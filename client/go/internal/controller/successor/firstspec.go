package successor

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"io"

	// Reads whole numbers as int64, as unstructured objects demand.
	"k8s.io/apimachinery/pkg/util/json"
)

const (
	// An object has at most 256 KiB of annotations.
	maxFirstSpec = 128 << 10
	// What a small annotation can unfold to is bounded too.
	maxUnpacked = 4 << 20
)

// packSpec writes a spec for an annotation: JSON, gzip, base64.
func packSpec(spec map[string]any) (string, error) {
	text, err := json.Marshal(spec)
	if err != nil {
		return "", err
	}
	var packed bytes.Buffer
	writer := gzip.NewWriter(&packed)
	if _, err := writer.Write(text); err != nil {
		return "", err
	}
	if err := writer.Close(); err != nil {
		return "", err
	}
	value := base64.StdEncoding.EncodeToString(packed.Bytes())
	if len(value) > maxFirstSpec {
		return "", fmt.Errorf("the spec of the first attempt is %d bytes when packed, expected at most %d", len(value), maxFirstSpec)
	}
	return value, nil
}

func unpackSpec(value string) (map[string]any, error) {
	packed, err := base64.StdEncoding.DecodeString(value)
	if err != nil {
		return nil, err
	}
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(reader, maxUnpacked))
	if err != nil {
		return nil, err
	}
	spec := map[string]any{}
	if err := json.Unmarshal(text, &spec); err != nil {
		return nil, err
	}
	return spec, nil
}
