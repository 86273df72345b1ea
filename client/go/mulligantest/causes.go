package mulligantest

import (
	"time"

	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
)

// The default policy's first decision on a cause. A test compares the table with
// policy/default_policy.yaml.
type verdict struct {
	action mulliganv1.Decision_Action
	// Pays for a RETRY or WAIT; empty if none does.
	budget string
	after  time.Duration
}

const (
	retry  = mulliganv1.Decision_RETRY
	fail   = mulliganv1.Decision_FAIL
	ignore = mulliganv1.Decision_IGNORE
	wait   = mulliganv1.Decision_WAIT
)

// The failures that each budget tolerates.
var limits = map[string]int32{
	"application": 3, "disruption": 50, "infrastructure": 10, "start": 5, "memory": 3,
	"storage": 1, "time": 2, "control": 10, "unexplained": 2, "crash-loop": 1, "heap": 1,
}

const maxAttempts = 200

var verdicts = map[mulliganv1.Cause]verdict{
	mulliganv1.Cause_STALE_REPORT:           {action: ignore},
	mulliganv1.Cause_SUCCEEDED:              {action: ignore},
	mulliganv1.Cause_CANCELLED:              {action: ignore},
	mulliganv1.Cause_SUSPENDED:              {action: wait},
	mulliganv1.Cause_PREEMPTED_QUEUE:        {action: wait, budget: "disruption"},
	mulliganv1.Cause_PREEMPTED_SCHEDULER:    {retry, "disruption", 10 * time.Second},
	mulliganv1.Cause_SPOT_RECLAIMED:         {retry, "disruption", 5 * time.Second},
	mulliganv1.Cause_DRAINED:                {retry, "disruption", 5 * time.Second},
	mulliganv1.Cause_TAINT_EVICTED:          {retry, "disruption", 5 * time.Second},
	mulliganv1.Cause_NODE_SHUTDOWN:          {retry, "disruption", 5 * time.Second},
	mulliganv1.Cause_NODE_LOST:              {retry, "infrastructure", 15 * time.Second},
	mulliganv1.Cause_NODE_PRESSURE_EVICTED:  {retry, "infrastructure", 15 * time.Second},
	mulliganv1.Cause_GPU_FAULT:              {retry, "infrastructure", 30 * time.Second},
	mulliganv1.Cause_FABRIC_FAULT:           {retry, "infrastructure", 30 * time.Second},
	mulliganv1.Cause_DEVICE_ADMISSION:       {retry, "infrastructure", 5 * time.Second},
	mulliganv1.Cause_CREATE_REJECTED:        {action: mulliganv1.Decision_WAIT_FOR_SPEC_UPDATE},
	mulliganv1.Cause_CREATE_CONFLICT:        {wait, "", 15 * time.Second},
	mulliganv1.Cause_QUOTA_EXCEEDED:         {wait, "", time.Minute},
	mulliganv1.Cause_API_TRANSIENT:          {retry, "control", time.Second},
	mulliganv1.Cause_UNSCHEDULABLE:          {wait, "", time.Minute},
	mulliganv1.Cause_IMAGE_INVALID:          {action: fail},
	mulliganv1.Cause_IMAGE_DENIED:           {wait, "", time.Minute},
	mulliganv1.Cause_IMAGE_PULL_TRANSIENT:   {wait, "", 30 * time.Second},
	mulliganv1.Cause_CONFIG_MISSING:         {wait, "", 30 * time.Second},
	mulliganv1.Cause_SANDBOX_OR_MOUNT:       {wait, "", 30 * time.Second},
	mulliganv1.Cause_START_TIMEOUT:          {retry, "start", 30 * time.Second},
	mulliganv1.Cause_CONTAINER_OOM:          {retry, "memory", 10 * time.Second},
	mulliganv1.Cause_HOST_OOM:               {retry, "infrastructure", 15 * time.Second},
	mulliganv1.Cause_GPU_OOM:                {action: fail},
	mulliganv1.Cause_STORAGE_EXHAUSTED:      {retry, "storage", 10 * time.Second},
	mulliganv1.Cause_DEADLINE_POD:           {action: fail},
	mulliganv1.Cause_DEADLINE_JOB:           {action: fail},
	mulliganv1.Cause_HANG:                   {retry, "time", time.Minute},
	mulliganv1.Cause_PROBE_KILLED:           {retry, "application", 10 * time.Second},
	mulliganv1.Cause_CONFIG_USER_ERROR:      {action: fail},
	mulliganv1.Cause_DECLARED_FATAL:         {action: fail},
	mulliganv1.Cause_DECLARED_RETRYABLE:     {retry, "application", 10 * time.Second},
	mulliganv1.Cause_CRASH_SIGNAL:           {retry, "application", 10 * time.Second},
	mulliganv1.Cause_DEPENDENCY_UNAVAILABLE: {retry, "application", 30 * time.Second},
	mulliganv1.Cause_DATA_OR_NUMERIC:        {action: fail},
	mulliganv1.Cause_COLLECTIVE_CASCADE:     {retry, "unexplained", 30 * time.Second},
	mulliganv1.Cause_RENDEZVOUS_FAILED:      {retry, "infrastructure", 30 * time.Second},
	mulliganv1.Cause_LAUNCHER_FAILED:        {retry, "control", 10 * time.Second},
	mulliganv1.Cause_CONTROLLER_ERROR:       {retry, "control", 10 * time.Second},
	mulliganv1.Cause_SIGTERM_UNEXPLAINED:    {retry, "unexplained", 10 * time.Second},
	mulliganv1.Cause_SIGKILL_UNEXPLAINED:    {retry, "unexplained", 30 * time.Second},
	mulliganv1.Cause_APP_ERROR:              {retry, "application", 10 * time.Second},
	mulliganv1.Cause_UNKNOWN:                {retry, "unexplained", 30 * time.Second},
	mulliganv1.Cause_NOT_FAILED:             {action: ignore},
}
