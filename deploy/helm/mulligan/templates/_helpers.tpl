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
