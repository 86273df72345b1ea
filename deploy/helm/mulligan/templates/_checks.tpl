{{- /* What values.schema.json cannot say: how values relate to each other. */ -}}
{{- define "mulligan.checks" -}}
{{- $server := .Values.server -}}
{{- $least := add (mul 12 (int64 $server.maxMessageBytes)) 1048576 -}}
{{- if lt (int64 $server.maxMemoryBytes) (int64 $least) -}}
{{- fail (printf "server.maxMemoryBytes: %d is too little for requests of server.maxMessageBytes %d; expected at least %d" (int64 $server.maxMemoryBytes) (int64 $server.maxMessageBytes) $least) -}}
{{- end -}}
{{- if and .Values.autoscaling.enabled (gt (int .Values.autoscaling.minReplicas) (int .Values.autoscaling.maxReplicas)) -}}
{{- fail (printf "autoscaling.minReplicas: %d is above autoscaling.maxReplicas %d" (int .Values.autoscaling.minReplicas) (int .Values.autoscaling.maxReplicas)) -}}
{{- end -}}
{{- end }}
