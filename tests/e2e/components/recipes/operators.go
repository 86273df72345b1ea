package main

// recipes is the table of operators. If a release moves a function, change its row;
// `recipes apply` prints the current function.
var recipes = []Recipe{
	{
		Operator:  "jobset",
		Module:    "sigs.k8s.io/jobset",
		PackageTo: "pkg/mulligan",
		GlueTo:    "pkg/controllers/mulligan.go",
		Main:      ".",
		Rights:    []string{"config/components/rbac/role.yaml", "config/components/rbac/leader_election_role.yaml", "config/components/rbac/manager_secrets_role.yaml", "config/components/rbac/auth_proxy_role.yaml"},
		Insertions: []Insertion{
			{
				File:     "pkg/controllers/jobset_controller.go",
				Function: "func (r *JobSetReconciler) SetupWithManager(mgr ctrl.Manager) error",
				Text: `
	if err := openMulligan(mgr); err != nil {
		return err
	}
`,
			},
			{
				File:     "pkg/controllers/jobset_controller.go",
				Function: "func (r *JobSetReconciler) reconcile(ctx context.Context, js *jobset.JobSet, updateStatusOpts *statusUpdateOpts) (ctrl.Result, error)",
				At:       Place{Call: "executeFailurePolicy"},
				Text: `
		if decided, hold, err := r.askMulligan(ctx, js, updateStatusOpts); decided || err != nil {
			return ctrl.Result{RequeueAfter: hold}, err
		}
`,
			},
			{
				File:     "pkg/controllers/jobset_controller.go",
				Function: "func (r *JobSetReconciler) reconcile(ctx context.Context, js *jobset.JobSet, updateStatusOpts *statusUpdateOpts) (ctrl.Result, error)",
				At:       Place{Call: "r.reconcileReplicatedJobs"},
				Text: `
	if hold := holdForMulligan(js); hold > 0 {
		return ctrl.Result{RequeueAfter: hold}, nil
	}
`,
			},
			{
				File:     "pkg/controllers/jobset_controller.go",
				Function: "func (r *JobSetReconciler) createJobs(ctx context.Context, js *jobset.JobSet, jobs []*batchv1.Job) error",
				Text: `
	if err := r.followMulligan(js, jobs); err != nil {
		return err
	}
`,
			},
		},
	},
	{
		Operator:  "kuberay",
		Module:    "github.com/ray-project/kuberay/ray-operator",
		PackageTo: "pkg/mulligan",
		GlueTo:    "controllers/ray/mulligan.go",
		Main:      ".",
		Rights:    []string{"config/rbac/role.yaml", "config/rbac/leader_election_role.yaml"},
		Insertions: []Insertion{
			{
				File:     "controllers/ray/rayjob_controller.go",
				Function: "func (r *RayJobReconciler) SetupWithManager(mgr ctrl.Manager, reconcileConcurrency int) error",
				Text: `
	if err := openMulligan(mgr); err != nil {
		return err
	}
`,
			},
			{
				File:     "controllers/ray/rayjob_controller.go",
				Function: "func (r *RayJobReconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error)",
				At:       Place{Call: "checkBackoffLimitAndUpdateStatusIfNeeded"},
				Text: `
	decided, hold, err := r.askMulligan(ctx, originalRayJobInstance, rayJobInstance)
	if err != nil || hold > 0 {
		return ctrl.Result{RequeueAfter: hold}, err
	}
	if !decided {
		…
	}
`,
			},
			{
				File:     "controllers/ray/rayjob_controller.go",
				Function: "func (r *RayJobReconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error)",
				At:       Place{Call: "errors.IsBadRequest"},
				Text: `
			if standsForMulligan(rayJobInstance, finishedAt != nil) {
				break
			}
`,
			},
			{
				File:     "controllers/ray/rayjob_controller.go",
				Function: "func (r *RayJobReconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error)",
				At:       Place{Statement: "rayJobInstance.Status.RayClusterStatus = rayv1.RayClusterStatus{}"},
				Text: `
		if hold := holdForMulligan(rayJobInstance); hold > 0 {
			return ctrl.Result{RequeueAfter: hold}, nil
		}
`,
			},
			{
				File:     "controllers/ray/rayjob_controller.go",
				Function: "func (r *RayJobReconciler) getOrCreateRayClusterInstance(ctx context.Context, rayJobInstance *rayv1.RayJob) (*rayv1.RayCluster, error)",
				At:       Place{Call: "r.Create"},
				Text: `
			if err := r.followMulligan(rayJobInstance, rayClusterInstance); err != nil {
				return nil, err
			}
`,
			},
			{
				File:     "controllers/ray/raycluster_controller.go",
				Function: "func (r *RayClusterReconciler) reconcilePods(ctx context.Context, instance *rayv1.RayCluster) error",
				At:       Place{Statement: "shouldDelete, reason := shouldDeletePod(headPod, rayv1.HeadNode)"},
				Text: `
		…
		if shouldDelete {
			keepForMulligan(ctx, instance, &headPod)
		}
`,
			},
		},
	},
	{
		Operator:  "kueue",
		Module:    "sigs.k8s.io/kueue",
		PackageTo: "pkg/mulligan",
		GlueTo:    "pkg/controller/core/mulligan.go",
		Main:      "./cmd/kueue",
		Rights:    []string{"config/components/rbac/role.yaml", "config/components/rbac/leader_election_role.yaml", "config/components/rbac/manager_secrets_role.yaml", "config/components/rbac/manager_clusterprofiles_role.yaml", "config/components/rbac/metrics_auth_role.yaml"},
		Insertions: []Insertion{
			{
				File:     "pkg/controller/core/workload_controller.go",
				Function: "func (r *WorkloadReconciler) SetupWithManager(mgr ctrl.Manager, cfg *config.Configuration) error",
				Text: `
	if err := openMulligan(mgr); err != nil {
		return err
	}
`,
			},
			{
				File:     "pkg/controller/core/workload_controller.go",
				Function: "func (r *WorkloadReconciler) reconcileNotReadyTimeout(ctx context.Context, req ctrl.Request, wl *kueue.Workload) (time.Duration, error)",
				At:       Place{Call: "r.triggerDeactivation"},
				Text: `
	if decided, err := r.askMulligan(ctx, wl, underlyingCause); decided || err != nil {
		return 0, err
	}
`,
			},
		},
	},
	{
		Operator:  "trainer",
		Module:    "github.com/kubeflow/trainer/v2",
		PackageTo: "pkg/mulligan",
		GlueTo:    "pkg/controller/mulligan.go",
		Main:      "./cmd/trainer-controller-manager",
		Rights:    []string{"manifests/base/rbac/role.yaml"},
		Insertions: []Insertion{
			{
				File:     "pkg/controller/trainjob_controller.go",
				Function: "func (r *TrainJobReconciler) SetupWithManager(mgr ctrl.Manager, options controller.Options) error",
				Text: `
	if err := openMulligan(mgr); err != nil {
		return err
	}
`,
			},
			{
				File:     "pkg/controller/trainjob_controller.go",
				Function: "func (r *TrainJobReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error)",
				At:       Place{Call: "equality.Semantic.DeepEqual"},
				Text: `
	if hold, askErr := r.askMulligan(ctx, &trainJob, &prevTrainJob.Status, err); hold > 0 || askErr != nil {
		return ctrl.Result{RequeueAfter: hold}, askErr
	}
`,
			},
			{
				File:     "pkg/controller/trainjob_controller.go",
				Function: "func (r *TrainJobReconciler) reconcileObjects(ctx context.Context, runtime jobruntimes.Runtime, trainJob *trainer.TrainJob) error",
				Text: `
	trainJob, err := r.followMulligan(ctx, trainJob)
	if err != nil {
		return err
	}
`,
			},
		},
	},
	sparkOperator,
}
