-- Which nodes? Failures on each node, and how many of them the node is to
-- blame for. One node far above the others wants a look at its hardware.
SELECT
  node,
  count(*) AS failures,
  count(DISTINCT workload) AS workloads,
  count(*) FILTER (fault_domain = 'INFRASTRUCTURE') AS infrastructure,
  mode(cause) AS usual_cause,
  min(observed_at) AS first_seen,
  max(observed_at) AS last_seen
FROM failures
WHERE node IS NOT NULL
GROUP BY node
ORDER BY infrastructure DESC, failures DESC, node
LIMIT 50;
