-- Which budgets run dry? What each paid, and whose work it ended.
WITH charged AS (
  SELECT charged_to AS budget, sum(units) AS charged,
         count(DISTINCT workload) AS workloads
  FROM failures
  WHERE units > 0
  GROUP BY budget
),
exhausted AS (
  SELECT exhausted AS budget, count(DISTINCT workload) AS workloads_ended,
         mode(cause) AS usual_cause
  FROM failures
  WHERE exhausted IS NOT NULL
  GROUP BY budget
)
SELECT
  budget,
  coalesce(charged, 0) AS charged,
  coalesce(workloads, 0) AS workloads,
  coalesce(workloads_ended, 0) AS workloads_ended,
  usual_cause
FROM charged FULL JOIN exhausted USING (budget)
ORDER BY workloads_ended DESC, charged DESC, budget;
