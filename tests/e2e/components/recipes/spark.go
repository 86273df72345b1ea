package main

// sparkOperator's two decision points differ only in their function.
var sparkOperator = Recipe{
	Operator:  "spark",
	Module:    "github.com/kubeflow/spark-operator/v2",
	PackageTo: "pkg/mulligan",
	GlueTo:    "internal/controller/sparkapplication/mulligan.go",
	Main:      "./cmd/operator",
	Unpin:     "k8s.io/",
	Rights:    []string{"config/rbac/role.yaml"},
	// templates/controller/rbac.yaml, for who leads.
	RightsAtHome: []rule{{
		APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"}, Verbs: []string{"create", "get", "update"},
	}},
	Insertions: []Insertion{
		{
			File:     sparkController,
			Function: "func (r *Reconciler) SetupWithManager(mgr ctrl.Manager, options controller.Options) error",
			Text: `
	if err := openMulligan(mgr); err != nil {
		return err
	}
`,
		},
		insteadOfShouldRetry("reconcileFailingSparkApplication"),
		insteadOfShouldRetry("reconcileFailedSubmissionSparkApplication"),
		{
			File:     sparkController,
			Function: "func (r *Reconciler) reconcilePendingRerunSparkApplication(ctx context.Context, req ctrl.Request) (ctrl.Result, error)",
			Text: `
	if hold, err := r.holdForMulligan(ctx, req); hold > 0 || err != nil {
		return ctrl.Result{RequeueAfter: hold}, err
	}
`,
		},
		{
			File:     sparkController,
			Function: "func (r *Reconciler) submitSparkApplication(ctx context.Context, app *v1beta2.SparkApplication)",
			Earlier:  "func (r *Reconciler) submitSparkApplication(ctx context.Context, app *v1beta2.SparkApplication) (submitErr error)",
			Text: `
	defer r.followMulligan(ctx, app)()
`,
		},
	},
}

const sparkController = "internal/controller/sparkapplication/controller.go"

func insteadOfShouldRetry(function string) Insertion {
	return Insertion{
		File:     sparkController,
		Function: "func (r *Reconciler) " + function + "(ctx context.Context, req ctrl.Request) (ctrl.Result, error)",
		At:       Place{Call: "util.ShouldRetry"},
		Text: `
			if decided, hold, err := r.askMulligan(ctx, app); decided || err != nil {
				result.RequeueAfter = hold
				return err
			}
`,
	}
}
