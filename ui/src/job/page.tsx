import "../jobs/jobs.css";
import "./job.css";

import { Group, Stack, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, Navigate, useParams } from "@tanstack/react-router";

import { Refused } from "../api/refused";
import { Live } from "../live/live";
import { visibleLine } from "../text/visible";
import { Clock } from "../text/when";
import { meantIn, onlyJob, onlyPlace } from "./meant";
import { JobPanel } from "./panel";
import { JOB, jobHistory, runHistory } from "./queries";
import { RunPanel } from "./run";
import { jobTab, runTab } from "./tab";
import { Told } from "./told";

/** The permalink of a job. */
export function JobPage() {
  const { id } = useParams({ from: "/jobs/$id" });
  const { data: job, error } = useQuery(jobHistory(id));
  const meant = onlyJob(meantIn(error));
  if (meant !== undefined) return <Navigate to={meant.to} params={{ id: meant.id }} search={meant.search} replace />;
  return (
    <Clock>
      <title>{jobTab(id, job)}</title>
      <Stack gap="md" maw={1200}>
        <Group justify="space-between">
          <Link className="anchor" to="/jobs">
            All jobs
          </Link>
          {isId(error) && <Live scope={JOB} of={`job/${id}`} />}
        </Group>
        <Title order={1} size="h3">
          Job {visibleLine(id)}
        </Title>
        <JobPanel key={id} jobId={id} />
      </Stack>
    </Clock>
  );
}

/** Whether an id may be that of a job: messages about one that is not known may still come. */
function isId(error: Error | null): boolean {
  return !(error instanceof Refused && error.problem.status === 400);
}

/** The permalink of a run. */
export function RunPage() {
  const { id } = useParams({ from: "/runs/$id" });
  const query = useQuery(runHistory(id));
  const meant = onlyPlace(meantIn(query.error));
  if (meant !== undefined) return <Navigate to={meant.to} params={{ id: meant.id }} search={meant.search} replace />;
  return (
    <Clock>
      <title>{runTab(id, query.data)}</title>
      <Stack gap="md" maw={1200}>
        <Group justify="flex-end">
          {query.data !== undefined && <Live scope={JOB} of={`job/${query.data.jobId}`} />}
        </Group>
        <Title order={1} size="h3">
          Run {visibleLine(id)}
        </Title>
        <Told query={query} what="this run" id={id}>
          {(run) => (
            <>
              <Link className="anchor" to="/jobs/$id" params={{ id: run.jobId }}>
                Its job {visibleLine(run.jobId)}, with all attempts
              </Link>
              <RunPanel key={id} runId={id} />
            </>
          )}
        </Told>
      </Stack>
    </Clock>
  );
}
