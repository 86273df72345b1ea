package controller

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// A full claim is recognized by its volume and the path of its mount.
func TestSlimKeepsClaimsAndMounts(t *testing.T) {
	claim := corev1.Volume{Name: "out", VolumeSource: corev1.VolumeSource{
		PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "results"},
	}}
	token := corev1.Volume{Name: "token"}
	mounts := []corev1.VolumeMount{{Name: "out", MountPath: "/out"}}
	pod := &corev1.Pod{Spec: corev1.PodSpec{
		Volumes:    []corev1.Volume{token, claim},
		Containers: []corev1.Container{{Name: "main", VolumeMounts: mounts}},
	}}
	slim(pod)
	spec := pod.Spec
	if len(spec.Volumes) != 1 || spec.Volumes[0].PersistentVolumeClaim.ClaimName != "results" {
		t.Errorf("volumes are %v, want the claim alone", spec.Volumes)
	}
	if got := spec.Containers[0].VolumeMounts; len(got) != 1 || got[0].MountPath != "/out" {
		t.Errorf("mounts are %v, want %v", got, mounts)
	}
}
