package trial

import (
	"encoding/json"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// Fields of a report by the kinds that the controller looks after.
var fieldOf = map[string]protoreflect.Name{
	"Job": "jobs", "JobSet": "job_set", "RayJob": "ray_job", "TrainJob": "train_job",
	"PyTorchJob": "kubeflow_job", "SparkApplication": "spark_application",
}

// withType adds what typed messages do not say.
func withType(text []byte, apiVersion, kind string) []byte {
	var object map[string]json.RawMessage
	if json.Unmarshal(text, &object) != nil {
		return nil
	}
	object["apiVersion"], _ = json.Marshal(apiVersion)
	object["kind"], _ = json.Marshal(kind)
	typed, _ := json.Marshal(object)
	return typed
}
