-- Which retries were wasted? Those of workloads that were given up in the end,
-- and those of failures that cannot recover unchanged.
WITH ends AS (
  SELECT workload, arg_max(action, observed_at) AS last_action
  FROM decisions
  WHERE situation = 'BROKEN'
  GROUP BY workload
)
SELECT
  cause,
  policy,
  count(*) AS retries,
  count(*) FILTER (last_action IN ('FAIL', 'WAIT_FOR_SPEC_UPDATE'))
    AS given_up_later,
  count(*) FILTER (outlook = 'CANNOT_RECOVER') AS could_not_recover,
  round(100.0 * count(*) FILTER (
    last_action IN ('FAIL', 'WAIT_FOR_SPEC_UPDATE')
    OR outlook = 'CANNOT_RECOVER') / count(*), 1) AS wasted_percent
FROM decisions JOIN ends USING (workload)
WHERE action = 'RETRY' AND NOT duplicate
GROUP BY cause, policy
ORDER BY given_up_later + could_not_recover DESC, retries DESC, cause;
