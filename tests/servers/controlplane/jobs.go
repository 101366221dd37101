package main

import (
	"fmt"
	"os"
	"time"

	"k8s.io/kubernetes/pkg/controller/job"
)

// hurryJobs sets what the Job controller has no flags for: how long it waits before it replaces a failed pod (10 s)
// and for how long it gathers changes of a job (1 s).
func hurryJobs() error {
	for name, variable := range map[string]*time.Duration{
		"JOB_POD_FAILURE_BACKOFF": &job.DefaultJobPodFailureBackOff,
		"JOB_SYNC_BATCH":          &job.SyncJobBatchPeriod,
	} {
		text, ok := os.LookupEnv(name)
		if !ok {
			continue
		}
		wanted, err := time.ParseDuration(text)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		*variable = wanted
	}
	return nil
}
