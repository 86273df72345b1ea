package main

import (
	"bytes"
	"errors"
	"io"
	"strings"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"mulligan.dev/mulligan/internal/controller"
)

const (
	// Differs from the binding in the controller's own namespace, which may be among
	// the watched ones.
	workloadBinding = controller.Name + "-workloads"
	// Where Events about nodes are written, and the role that reads them there.
	nodeEventNamespace = metav1.NamespaceDefault
	nodeEventRole      = controller.Name + "-node-events"
	// Names in deploy/controller/logs.yaml and act.yaml.
	logsRole = controller.Name + "-logs"
	actRole  = controller.Name + "-act"
)

// printRoleBindings writes, as YAML for kubectl apply, a replacement of
// deploy/controller/all-namespaces.yaml: bindings of the ClusterRole
// mulligan-controller in each of the namespaces and of mulligan-controller-act in those
// where the flags act, and access to Events about nodes.
func printRoleBindings(out io.Writer, f *flags) error {
	if f.namespaces == "" {
		return errors.New("--print-rolebindings: --watch-namespaces is empty, expected the namespaces to bind the role in; for all of them apply deploy/controller/all-namespaces.yaml")
	}
	var objects []any
	for _, namespace := range strings.Split(f.namespaces, ",") {
		objects = append(objects, bind(f, namespace, workloadBinding, "ClusterRole", controller.Name))
		if f.acts(namespace) {
			objects = append(objects, bind(f, namespace, actRole, "ClusterRole", actRole))
		}
		if f.logs == "kubernetes" {
			objects = append(objects, bind(f, namespace, logsRole, "ClusterRole", logsRole))
		}
	}
	objects = append(objects, &rbacv1.Role{
		TypeMeta:   typeOf("Role"),
		ObjectMeta: metav1.ObjectMeta{Namespace: nodeEventNamespace, Name: nodeEventRole},
		Rules: []rbacv1.PolicyRule{{
			APIGroups: []string{corev1.GroupName}, Resources: []string{"events"}, Verbs: []string{"get", "list", "watch"},
		}},
	}, bind(f, nodeEventNamespace, nodeEventRole, "Role", nodeEventRole))
	var text bytes.Buffer
	for _, object := range objects {
		document, err := yaml.Marshal(object)
		if err != nil {
			return err
		}
		text.WriteString("---\n")
		text.Write(document)
	}
	_, err := text.WriteTo(out)
	return err
}

func bind(f *flags, namespace, name, kind, role string) *rbacv1.RoleBinding {
	return &rbacv1.RoleBinding{
		TypeMeta:   typeOf("RoleBinding"),
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: kind, Name: role},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: f.Namespace, Name: controller.Name}},
	}
}

func typeOf(kind string) metav1.TypeMeta {
	return metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: kind}
}
