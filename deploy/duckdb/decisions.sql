-- The decision log as a table. First of all say where it is:
--
--   SET VARIABLE log = 'decisions.jsonl*';   -- a glob, also of .gz files
--   .read deploy/duckdb/decisions.sql
--
-- Two views: `decisions`, a row a line, and `failures`, a row for each failure,
-- however often it was told, with the answer given last.
--
-- Lines that are no records (torn by a crash) are left out. What proto JSON
-- leaves out because it is the default is NULL here.
CREATE OR REPLACE VIEW decisions AS
WITH lines AS (
  SELECT
    *,
    request -> 'report' AS report,
    response -> 'decision' AS decision,
    response -> 'diagnosis' AS diagnosis,
    response -> 'accounting' AS accounting,
    response -> 'candidate' AS candidate
  FROM read_json(
    getvariable('log'),
    format = 'newline_delimited',
    columns = {
      decidedAt: 'TIMESTAMP',
      replica: 'VARCHAR',
      traceparent: 'VARCHAR',
      request: 'JSON',
      response: 'JSON',
      redacted: 'VARCHAR[]'
    },
    ignore_errors = true,
    maximum_object_size = 67108864
  )
  WHERE response IS NOT NULL
),
-- Whose failure it is: as the report names it, else the most senior object.
owned AS (
  SELECT
    *,
    report -> 'workload' AS stated,
    report -> '$.pods[0]' AS pod,
    report -> '$.pods[0].metadata.ownerReferences[0]' AS owner,
    report -> '$.events[0].involvedObject' AS about,
    coalesce(
      report -> 'trainJob',
      report -> 'rayJob',
      report -> 'sparkApplication',
      report -> 'jobSet',
      report -> 'kubeflowJob',
      report -> 'rayCluster',
      report -> '$.jobs[0]',
      CASE WHEN pod IS NULL THEN report -> 'kueueWorkload' END
    ) AS senior,
    CASE
      WHEN (report -> 'trainJob') IS NOT NULL THEN 'TrainJob'
      WHEN (report -> 'rayJob') IS NOT NULL THEN 'RayJob'
      WHEN (report -> 'sparkApplication') IS NOT NULL THEN 'SparkApplication'
      WHEN (report -> 'jobSet') IS NOT NULL THEN 'JobSet'
      WHEN (report -> 'kubeflowJob') IS NOT NULL
        THEN report ->> '$.kubeflowJob.kind'
      WHEN (report -> 'rayCluster') IS NOT NULL THEN 'RayCluster'
      WHEN (report -> '$.jobs[0]') IS NOT NULL THEN 'Job'
      WHEN pod IS NULL AND (report -> 'kueueWorkload') IS NOT NULL
        THEN 'Workload'
    END AS senior_kind
  FROM lines
)
SELECT
  decidedAt AS decided_at,
  -- The clock of the failures; months later it is the one to ask by.
  CAST(report ->> 'observedAt' AS TIMESTAMP) AS observed_at,
  replica,
  traceparent,
  response ->> 'decisionId' AS decision_id,
  response ->> 'failureId' AS failure_id,
  response ->> '$.policy.name' AS policy,
  response ->> '$.policy.revision' AS revision,
  coalesce(
    stated ->> 'kind',
    senior_kind,
    owner ->> 'kind',
    CASE WHEN pod IS NOT NULL THEN 'Pod' END,
    about ->> 'kind',
    'unknown'
  ) AS kind,
  coalesce(
    stated ->> 'namespace',
    senior ->> '$.metadata.namespace',
    pod ->> '$.metadata.namespace',
    about ->> 'namespace'
  ) AS namespace,
  coalesce(
    stated ->> 'name',
    senior ->> '$.metadata.name',
    owner ->> 'name',
    pod ->> '$.metadata.name',
    about ->> 'name'
  ) AS name,
  -- A retry may be a new object. The first is in what mulligan-controller called its
  -- failure, KIND/UID/GENERATION, else in the ledger.
  coalesce(
    CASE
      WHEN regexp_full_match(
        request ->> '$.ledger.history[0].failureId', kind || '/[^/]*/[0-9]+'
      ) THEN nullif(split_part(request ->> '$.ledger.history[0].failureId', '/', 2), '')
    END,
    request ->> '$.ledger.workloadUid',
    stated ->> 'uid',
    senior ->> '$.metadata.uid',
    owner ->> 'uid',
    pod ->> '$.metadata.uid',
    kind || ' ' || coalesce(namespace, '') || '/' || name,
    response ->> 'failureId'
  ) AS workload,
  diagnosis ->> 'situation' AS situation,
  diagnosis ->> 'cause' AS cause,
  diagnosis ->> 'derivedCause' AS derived_cause,
  diagnosis ->> 'faultDomain' AS fault_domain,
  diagnosis ->> 'confidence' AS confidence,
  diagnosis ->> 'outlook' AS outlook,
  coalesce(json_array_length(decision -> 'resources'), 0) > 0 AS grows,
  diagnosis ->> '$.culprit.node' AS node,
  decision ->> 'action' AS action,
  decision ->> 'scope' AS scope,
  CAST(rtrim(decision ->> 'retryAfter', 's') AS DOUBLE) AS retry_after_seconds,
  decision ->> 'sentence' AS sentence,
  accounting ->> 'chargedTo' AS charged_to,
  coalesce(CAST(accounting ->> 'units' AS INTEGER), 0) AS units,
  coalesce(CAST(accounting ->> 'duplicate' AS BOOLEAN), false) AS duplicate,
  CAST(accounting ->> 'attempts' AS INTEGER) AS attempts,
  CASE accounting ->> '$.exhaustion.limit'
    WHEN 'MAX_ATTEMPTS' THEN 'maxAttempts'
    WHEN 'BUDGET' THEN accounting ->> '$.exhaustion.budget'
  END AS exhausted,
  -- NULL: no policies were tried out.
  CASE WHEN candidate IS NOT NULL
    THEN coalesce(CAST(candidate -> 'differences' AS VARCHAR[]), [])
  END AS candidate_differences,
  candidate ->> '$.policy.revision' AS candidate_revision,
  candidate ->> 'action' AS candidate_action,
  candidate ->> 'cause' AS candidate_cause,
  candidate ->> 'error' AS candidate_error,
  response -> 'separate' AS separate,
  redacted
FROM owned;

CREATE OR REPLACE VIEW failures AS
WITH separate AS (
  SELECT decisions.*, unnest(CAST(separate AS JSON[])) AS part
  FROM decisions
  WHERE situation = 'BROKEN' AND NOT duplicate AND separate IS NOT NULL
),
told AS (
  SELECT * FROM decisions WHERE situation = 'BROKEN' AND NOT duplicate
  UNION ALL BY NAME
  -- Of pods that work for themselves each failure is decided on its own.
  SELECT
    * EXCLUDE (part) REPLACE (
      part ->> 'failureId' AS failure_id,
      part ->> '$.diagnosis.cause' AS cause,
      part ->> '$.diagnosis.derivedCause' AS derived_cause,
      part ->> '$.diagnosis.faultDomain' AS fault_domain,
      part ->> '$.diagnosis.confidence' AS confidence,
      part ->> '$.diagnosis.outlook' AS outlook,
      part ->> '$.diagnosis.culprit.node' AS node,
      part ->> '$.decision.action' AS action,
      part ->> '$.decision.scope' AS scope,
      part ->> '$.decision.sentence' AS sentence,
      coalesce(json_array_length(part -> '$.decision.resources'), 0) > 0
        AS grows,
      part ->> 'chargedTo' AS charged_to,
      CASE WHEN part ->> 'chargedTo' IS NULL THEN 0 ELSE 1 END AS units,
      NULL AS exhausted
    )
  FROM separate
  WHERE NOT coalesce(CAST(part ->> 'duplicate' AS BOOLEAN), false)
)
SELECT *
FROM told
QUALIFY row_number() OVER (
  PARTITION BY workload, failure_id ORDER BY observed_at DESC, decided_at DESC
) = 1;
