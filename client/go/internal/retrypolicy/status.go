package retrypolicy

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/json"
)

// A condition's message has at most so many bytes.
const maxMessage = 32 << 10

func setCondition(conditions *[]metav1.Condition, condition metav1.Condition) {
	if len(condition.Message) > maxMessage {
		condition.Message = condition.Message[:maxMessage]
	}
	meta.SetStatusCondition(conditions, condition)
}

func fromMap(from map[string]any, to any) error {
	text, err := json.Marshal(from)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, to)
}

func toMap(from any) (map[string]any, error) {
	text, err := json.Marshal(from)
	if err != nil {
		return nil, err
	}
	to := map[string]any{}
	err = json.Unmarshal(text, &to)
	return to, err
}
