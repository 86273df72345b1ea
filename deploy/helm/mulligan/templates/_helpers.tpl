{{- define "mulligan.name" -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end }}

{{- define "mulligan.selector" -}}
app.kubernetes.io/name: mulligan
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "mulligan.labels" -}}
{{ include "mulligan.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "mulligan.image" -}}
{{ .Values.image.repository }}
{{- with .Values.image.digest }}@{{ . }}{{ else }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{- define "mulligan.tlsSecret" -}}
{{- if .Values.tls.certManager.enabled -}}
{{ include "mulligan.name" . }}-tls
{{- else -}}
{{ .Values.tls.existingSecret }}
{{- end -}}
{{- end }}

{{- define "mulligan.issuer" -}}
{{- $reference := .Values.tls.certManager.issuerRef -}}
group: {{ $reference.group | default "cert-manager.io" }}
kind: {{ $reference.kind | default "Issuer" }}
name: {{ $reference.name | default (printf "%s-ca" (include "mulligan.name" .)) }}
{{- end }}

{{- define "mulligan.controllerSelector" -}}
app.kubernetes.io/name: mulligan-controller
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "mulligan.controllerLabels" -}}
{{ include "mulligan.controllerSelector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "mulligan.controllerURI" -}}
spiffe://cluster.local/ns/{{ .Release.Namespace }}/sa/mulligan-controller
{{- end }}

{{- define "mulligan.controllerSecret" -}}
{{ .Values.controller.existingSecret | default "mulligan-controller-tls" }}
{{- end }}

{{- /* Allowed callers of RetryDecisionService, including the chart's controller. */ -}}
{{- define "mulligan.callers" -}}
{{- $callers := .Values.callers.decisions -}}
{{- if .Values.controller.enabled -}}
{{- $callers = append $callers (include "mulligan.controllerURI" .) | uniq -}}
{{- end -}}
{{ join "," $callers }}
{{- end }}

{{- /* Allowed callers of PolicyService, including a controller that publishes policies. */ -}}
{{- define "mulligan.policyCallers" -}}
{{- $callers := .Values.callers.policies -}}
{{- if .Values.controller.retryPolicies -}}
{{- $callers = append $callers (include "mulligan.controllerURI" .) | uniq -}}
{{- end -}}
{{ join "," $callers }}
{{- end }}

{{- define "mulligan.controllerImage" -}}
{{- with .Values.controller.image -}}
{{ .repository }}{{ with .digest }}@{{ . }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end -}}
{{- end }}

{{- define "mulligan.reportLabels" -}}
app.kubernetes.io/name: mulligan-report
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "mulligan.reportContainer" -}}
env:
  - name: TMPDIR
    value: /tmp
resources:
  requests:
    cpu: 100m
    memory: 128Mi
  limits:
    memory: 1Gi
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop:
      - ALL
volumeMounts:
  - name: decisions
    mountPath: /var/lib/mulligan
    readOnly: true
  - name: scratch
    mountPath: /tmp
{{- end }}
