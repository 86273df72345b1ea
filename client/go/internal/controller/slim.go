package controller

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
)

// slim drops unused fields before an object is cached, because all pods, nodes and
// events are.
func slim(obj any) {
	if accessor, err := meta.Accessor(obj); err == nil {
		accessor.SetManagedFields(nil)
	}
	switch o := obj.(type) {
	case *corev1.Pod:
		// Only what shows trouble, owner and cause.
		o.Spec = corev1.PodSpec{
			NodeName:              o.Spec.NodeName,
			NodeSelector:          o.Spec.NodeSelector,
			RestartPolicy:         o.Spec.RestartPolicy,
			Priority:              o.Spec.Priority,
			ActiveDeadlineSeconds: o.Spec.ActiveDeadlineSeconds,
			Containers:            slimContainers(o.Spec.Containers),
			InitContainers:        slimContainers(o.Spec.InitContainers),
			Volumes:               slimVolumes(o.Spec.Volumes),
		}
	case *corev1.Node:
		o.Status.Images = nil
		o.Annotations = nil
	}
}

func slimContainers(containers []corev1.Container) []corev1.Container {
	var slimmed []corev1.Container
	for _, container := range containers {
		slimmed = append(slimmed, corev1.Container{
			Name: container.Name, Image: container.Image, Resources: container.Resources,
			RestartPolicy: container.RestartPolicy, VolumeMounts: container.VolumeMounts,
		})
	}
	return slimmed
}

// Keeps volumes whose space is not the node's.
func slimVolumes(volumes []corev1.Volume) []corev1.Volume {
	var slimmed []corev1.Volume
	for _, volume := range volumes {
		if volume.PersistentVolumeClaim != nil {
			slimmed = append(slimmed, volume)
		}
	}
	return slimmed
}
