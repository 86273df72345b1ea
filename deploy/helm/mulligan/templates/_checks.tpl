{{- /* Relations between values, which values.schema.json cannot express. */ -}}
{{- define "mulligan.checks" -}}
{{- $server := .Values.server -}}
{{- $least := add (mul 12 (int64 $server.maxMessageBytes)) 1048576 -}}
{{- if lt (int64 $server.maxMemoryBytes) (int64 $least) -}}
{{- fail (printf "server.maxMemoryBytes: %d is too little for requests of server.maxMessageBytes %d; expected at least %d" (int64 $server.maxMemoryBytes) (int64 $server.maxMessageBytes) $least) -}}
{{- end -}}
{{- if and .Values.autoscaling.enabled (gt (int .Values.autoscaling.minReplicas) (int .Values.autoscaling.maxReplicas)) -}}
{{- fail (printf "autoscaling.minReplicas: %d is above autoscaling.maxReplicas %d" (int .Values.autoscaling.minReplicas) (int .Values.autoscaling.maxReplicas)) -}}
{{- end -}}
{{- if and .Values.controller.enabled (not .Values.tls.certManager.enabled) (not .Values.controller.existingSecret) -}}
{{- fail "controller.existingSecret: empty without tls.certManager; expected the name of a Secret with the controller's tls.crt, tls.key and ca.crt" -}}
{{- end -}}
{{- if and .Values.controller.retryPolicies (not .Values.controller.enabled) -}}
{{- fail "controller.retryPolicies: true without controller.enabled; expected the controller that publishes them" -}}
{{- end -}}
{{- if and .Values.controller.retryPolicies (not .Values.policies) -}}
{{- fail "controller.retryPolicies: true without policies; expected at least one, which the servers start with before the first RetryPolicy" -}}
{{- end -}}
{{- if and .Values.controller.existingSecret .Values.tls.certManager.enabled -}}
{{- fail (printf "controller.existingSecret: %s beside tls.certManager, which makes the controller's certificate; expected one of the two" .Values.controller.existingSecret) -}}
{{- end -}}
{{- with .Values.controller -}}
{{- if and .peers (not .clusterName) -}}
{{- fail "controller.clusterName: empty with peers; expected a name that no peer has" -}}
{{- end -}}
{{- if and .readOnly (not .actNamespaces) (ne (int .replicas) 1) -}}
{{- fail (printf "controller.replicas: %d with readOnly, which elects no leader; expected 1" (int .replicas)) -}}
{{- end -}}
{{- range $namespace := and .namespaces .actNamespaces | default list -}}
{{- if not (has $namespace $.Values.controller.namespaces) -}}
{{- fail (printf "controller.actNamespaces: %s is not among controller.namespaces; expected namespaces that are looked after" $namespace) -}}
{{- end -}}
{{- end -}}
{{- if and .webhook.enabled (ne .mode "act") (not .actNamespaces) -}}
{{- fail "controller.webhook.enabled: true while nothing is acted on; expected controller.mode: act, or controller.actNamespaces" -}}
{{- end -}}
{{- if and .admissionCheck (ne .mode "act") (not .actNamespaces) -}}
{{- fail "controller.admissionCheck: true while nothing is acted on; expected controller.mode: act, or controller.actNamespaces" -}}
{{- end -}}
{{- if and (eq .mode "act") (or .readOnly .countObserved .actNamespaces) -}}
{{- fail "controller.mode: act beside readOnly, countObserved or actNamespaces; expected observe" -}}
{{- end -}}
{{- end -}}
{{- with .Values.decisionLog -}}
{{- if and .volume.enabled (or (ne (int $.Values.replicas) 1) $.Values.autoscaling.enabled) -}}
{{- fail "decisionLog.volume: one replica writes it; expected replicas: 1 without autoscaling" -}}
{{- end -}}
{{- if and $.Values.weeklyReport.enabled (not (and .enabled .volume.enabled)) -}}
{{- fail "weeklyReport.enabled: true without decisionLog.enabled and decisionLog.volume.enabled; expected the log that it reads" -}}
{{- end -}}
{{- end -}}
{{- end }}
