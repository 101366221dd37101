import { Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { StateChip } from "../jobs/chips";
import { visibleLine } from "../text/visible";
import { When } from "../text/when";
import { AnswerCard } from "./answer";
import { Asking } from "./asking";
import { CorrectionList } from "./corrections";
import { Fact, Facts, Id } from "./facts";
import { type JobHistory, jobHistory } from "./queries";
import { Requests } from "./requests";
import { RunPanel } from "./run";
import { Standing } from "./standing";
import { Submitted } from "./submitted";
import { Timeline } from "./timeline";
import { Told } from "./told";
import { Verdicts } from "./verdict";
import { calledBy, stateWord } from "./words";

/** Everything about a job: on its own page, or beside the table. */
export function JobPanel({ jobId }: { jobId: string }) {
  const query = useQuery(jobHistory(jobId));
  return (
    <Told query={query} what="this job">
      {(job) => <JobContent job={job} />}
    </Told>
  );
}

function JobContent({ job }: { job: JobHistory }) {
  const failed = job.attempts.find((attempt) => attempt.answer !== null);
  return (
    <Stack gap="md" className="panel">
      <StateLine job={job} />
      {failed?.answer && (
        <AnswerCard answer={failed.answer} run={failed} recovered={job.observed === "recovered"} level={2} />
      )}
      {job.attempts.length === 1 && (
        <Verdicts decisions={job.attempts[0]?.decisions ?? []} leased={job.attempts[0]?.leasedAt !== null} />
      )}
      {job.state !== null && <Standing job={job} />}
      {job.state !== null && <Asking jobId={job.jobId} />}
      <JobFacts job={job} />
      <Requests requests={job.requests} />
      <CorrectionList corrections={job.corrections} />
      <Attempts job={job} />
      <Submitted job={job} />
    </Stack>
  );
}

/** One attempt alone is no list of attempts: only what happened in it; its verdict stands below the answer. */
function Attempts({ job }: { job: JobHistory }) {
  const [only, ...others] = job.attempts;
  if (only === undefined) return <p className="said">No run of this job has started yet.</p>;
  if (others.length > 0) return <Timeline job={job} />;
  return <RunPanel runId={only.runId} answered />;
}

function StateLine({ job }: { job: JobHistory }) {
  return (
    <div className="heading">
      {/* Before its first run nothing was observed of it. */}
      {job.observed === "" ? <span>{stateWord(job.state ?? "")}</span> : <StateChip observed={job.observed} />}
      {calledBy(job) !== "" && <strong>{visibleLine(calledBy(job))}</strong>}
    </div>
  );
}

function JobFacts({ job }: { job: JobHistory }) {
  return (
    <Facts>
      <Id name="Job" value={job.jobId} />
      <Fact name="Queue" value={job.queue} />
      <Fact name="Job set" value={job.jobSet} />
      <Fact name="Owner" value={job.owner} />
      <Fact name="Namespace" value={job.namespace} />
      <Fact name="Submitted" value={job.submittedAt === null ? "" : <When at={job.submittedAt} />} />
      <Fact name="State" value={stateOf(job)} />
      <Fact name="Ended" value={job.endedAt === null ? "" : <When at={job.endedAt} />} />
      <Id name="Client's id" value={job.clientId} />
      <Id name="Gang" value={job.gangId} />
      <Fact name="Retry policies" value={job.retryPolicies} />
    </Facts>
  );
}

/** What the record says of a submitted job; nothing of pods that nobody submitted to a scheduler. */
function stateOf(job: JobHistory): string {
  if (job.state === null) return "not submitted to a scheduler";
  const by = ["", "success", "cancel"].includes(job.endedBy ?? "") ? "" : `, by ${job.endedBy}`;
  return `${stateWord(job.state)}${by}`;
}
