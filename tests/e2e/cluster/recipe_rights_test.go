package cluster

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// asDeployed returns a kubeconfig with the rights of an operator with the recipe: its
// release's, and those that the recipe's markers add.
func (c *cluster) asDeployed(t *testing.T, operator string) string {
	t.Helper()
	path := filepath.Join(c.run, "kubeconfig-"+operator+"-recipe")
	config, err := clientcmd.LoadFromFile(filepath.Join(c.run, "kubeconfig"))
	must(t, err)
	account := rbacv1.Subject{Kind: "User", APIGroup: rbacv1.GroupName, Name: "system:serviceaccount:" + operator + "-system:recipe"}
	for _, user := range config.AuthInfos {
		user.Impersonate = account.Name
	}
	must(t, clientcmd.WriteToFile(*config, path))
	everywhere, atHome := c.rulesOf(t, operator)
	allowAsking(t, operator, everywhere)
	role := "recipe-" + operator
	c.grant(t, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: role}, Rules: everywhere})
	c.grant(t, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: role + "-home"}, Rules: atHome})
	c.grant(t, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: role}, Subjects: []rbacv1.Subject{account},
		RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
	})
	// For certificates and leases, which scripts/control-plane keeps there.
	for _, namespace := range []string{operator + "-system", metav1.NamespaceDefault} {
		c.grant(t, &rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: role}, Subjects: []rbacv1.Subject{account},
			RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role + "-home"},
		})
	}
	return path
}

// allowAsking checks that an operator's rules allow it to read what a question contains and
// to store the ledger.
func allowAsking(t *testing.T, name string, rules []rbacv1.PolicyRule) {
	t.Helper()
	of := slices.IndexFunc(operators, func(o *operator) bool { return o.name == name })
	for resource, verbs := range map[string][]string{
		"pods": {"get", "list"}, "nodes": {"get"}, "events": {"list"}, strings.ToLower(operators[of].kind.Kind) + "s": {"patch"},
	} {
		for _, verb := range verbs {
			if !slices.ContainsFunc(rules, func(rule rbacv1.PolicyRule) bool {
				return slices.Contains(rule.Resources, resource) && slices.Contains(rule.Verbs, verb)
			}) {
				t.Errorf("%s with its recipe may not %s %s", name, verb, resource)
			}
		}
	}
}

// rulesOf returns the rules of its ClusterRoles and of its Roles.
func (c *cluster) rulesOf(t *testing.T, operator string) (everywhere, atHome []rbacv1.PolicyRule) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(c.bin, operator+"-recipe.yaml"))
	must(t, err)
	for document := range strings.SplitSeq(string(text), "\n---\n") {
		var role rbacv1.ClusterRole
		must(t, yaml.Unmarshal([]byte(document), &role))
		for i, rule := range role.Rules {
			// The Spark operator's release omits the core group.
			if rule.APIGroups == nil && rule.NonResourceURLs == nil {
				role.Rules[i].APIGroups = []string{""}
			}
		}
		if role.Kind == "Role" {
			atHome = append(atHome, role.Rules...)
		} else {
			everywhere = append(everywhere, role.Rules...)
		}
	}
	return everywhere, atHome
}

// grant creates an object, and its namespace if the operator has none here.
func (c *cluster) grant(t *testing.T, part client.Object) {
	t.Helper()
	err := c.Create(t.Context(), part)
	if err != nil && !apierrors.IsAlreadyExists(err) && !apierrors.IsNotFound(err) {
		t.Fatal(err)
	}
}
