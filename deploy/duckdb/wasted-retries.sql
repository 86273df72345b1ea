-- Which retries were for nothing? Those after which the work was given up for
-- the same cause, and those of what comes again unless something is changed,
-- where the retry changed nothing (more memory is a change).
WITH ends AS (
  SELECT
    workload,
    arg_max(action, observed_at) AS last_action,
    arg_max(cause, observed_at) AS last_cause,
    max(observed_at) AS last_at
  FROM failures
  GROUP BY workload
),
completed AS (
  SELECT workload, max(observed_at) AS completed_at
  FROM decisions
  WHERE situation = 'FINISHED' AND cause = 'SUCCEEDED'
  GROUP BY workload
),
retries AS (
  SELECT
    cause,
    policy,
    -- A retry that nothing came after is not known to be in vain.
    observed_at < last_at AS failed_again,
    last_action IN ('FAIL', 'WAIT_FOR_SPEC_UPDATE') AND cause = last_cause
      AND coalesce(completed_at < last_at, true) AS given_up_later,
    outlook = 'CANNOT_RECOVER' AND NOT grows AS could_not_recover
  FROM failures
  JOIN ends USING (workload)
  LEFT JOIN completed USING (workload)
  WHERE action = 'RETRY'
)
SELECT
  cause,
  policy,
  count(*) AS retries,
  count(*) FILTER (failed_again AND given_up_later) AS given_up_later,
  count(*) FILTER (failed_again AND could_not_recover) AS could_not_recover,
  count(*) FILTER (failed_again AND (given_up_later OR could_not_recover))
    AS in_vain
FROM retries
GROUP BY cause, policy
ORDER BY in_vain DESC, retries DESC, cause;
