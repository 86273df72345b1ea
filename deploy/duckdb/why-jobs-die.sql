-- Why are jobs dying? Failures by cause, and what was done about them.
SELECT
  cause,
  any_value(fault_domain) AS fault_domain,
  count(*) AS failures,
  count(DISTINCT workload) AS workloads,
  count(*) FILTER (action = 'RETRY') AS retried,
  count(*) FILTER (action = 'FAIL') AS given_up,
  count(*) FILTER (action = 'WAIT_FOR_SPEC_UPDATE') AS waiting_for_author,
  count(*) FILTER (confidence = 'LOW') AS unsure
FROM failures
GROUP BY cause
ORDER BY failures DESC, cause;
