-- What did the candidate differ in? Each change of the answer, the most
-- frequent first; NULL is what both agree on.
WITH compared AS (
  SELECT
    *,
    nullif(array_to_string(candidate_differences, ', '), '') AS differences
  FROM decisions
  WHERE candidate_differences IS NOT NULL
)
SELECT
  candidate_revision,
  differences,
  action,
  candidate_action,
  count(*) AS decisions,
  count(DISTINCT workload) AS workloads,
  mode(cause) AS usual_cause,
  any_value(decision_id) AS example
FROM compared
GROUP BY candidate_revision, differences, action, candidate_action
ORDER BY (differences IS NULL), decisions DESC, candidate_revision;
