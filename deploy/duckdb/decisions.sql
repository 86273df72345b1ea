-- The decision log as a table. First of all say where it is:
--
--   SET VARIABLE log = 'decisions.jsonl*';   -- a glob, also of .gz files
--   .read deploy/duckdb/decisions.sql
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
  -- Whose failure it is: as the report names it, else the most senior object.
  coalesce(
    report ->> '$.workload.kind',
    CASE
      WHEN (report -> 'rayJob') IS NOT NULL THEN 'RayJob'
      WHEN (report -> 'jobSet') IS NOT NULL THEN 'JobSet'
      WHEN (report -> 'trainJob') IS NOT NULL THEN 'TrainJob'
      WHEN (report -> 'sparkApplication') IS NOT NULL THEN 'SparkApplication'
      WHEN (report -> '$.jobs[0]') IS NOT NULL THEN 'Job'
    END,
    report ->> '$.pods[0].metadata.ownerReferences[0].kind',
    CASE WHEN (report -> '$.pods[0]') IS NOT NULL THEN 'Pod' END,
    'unknown'
  ) AS kind,
  coalesce(
    report ->> '$.workload.namespace',
    report ->> '$.rayJob.metadata.namespace',
    report ->> '$.jobSet.metadata.namespace',
    report ->> '$.trainJob.metadata.namespace',
    report ->> '$.sparkApplication.metadata.namespace',
    report ->> '$.jobs[0].metadata.namespace',
    report ->> '$.pods[0].metadata.namespace'
  ) AS namespace,
  coalesce(
    report ->> '$.workload.uid',
    report ->> '$.rayJob.metadata.uid',
    report ->> '$.jobSet.metadata.uid',
    report ->> '$.trainJob.metadata.uid',
    report ->> '$.sparkApplication.metadata.uid',
    report ->> '$.jobs[0].metadata.uid',
    report ->> '$.pods[0].metadata.ownerReferences[0].uid',
    report ->> '$.pods[0].metadata.uid',
    response ->> 'failureId'
  ) AS workload,
  diagnosis ->> 'situation' AS situation,
  diagnosis ->> 'cause' AS cause,
  diagnosis ->> 'derivedCause' AS derived_cause,
  diagnosis ->> 'faultDomain' AS fault_domain,
  diagnosis ->> 'confidence' AS confidence,
  diagnosis ->> 'outlook' AS outlook,
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
  redacted
FROM lines;
