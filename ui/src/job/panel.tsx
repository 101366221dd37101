import { Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { StateChip } from "../jobs/chips";
import { JobsLink } from "../jobs/jobs-link";
import { shortened } from "../text/shortened";
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
    <Told query={query} what="this job" id={jobId}>
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
      <LatestVerdict job={job} />
      {job.state !== null && <Standing job={job} />}
      {job.state !== null && <Asking jobId={job.jobId} />}
      <JobFacts job={job} />
      <Requests requests={job.requests} />
      <CorrectionList corrections={job.corrections} />
      <Attempts job={job} answered={failed?.runId} />
      <Submitted job={job} />
    </Stack>
  );
}

/** Whether it runs again: what was decided on the latest attempt stands below the answer, not in the timeline. */
function LatestVerdict({ job }: { job: JobHistory }) {
  const [latest] = job.attempts;
  if (latest === undefined) return null;
  const title = job.attempts.length === 1 ? "Verdict" : `After attempt ${job.runCount}, the latest`;
  return <Verdicts decisions={latest.decisions} title={title} leased={latest.leasedAt !== null} />;
}

/** One attempt alone is no list of attempts: only what happened in it; its verdict stands below the answer. */
function Attempts({ job, answered }: { job: JobHistory; answered: string | undefined }) {
  const [only, ...others] = job.attempts;
  if (only === undefined) return <p className="said">No run of this job has started yet.</p>;
  if (others.length > 0) return <Timeline job={job} answered={answered} />;
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
      <Shared name="Queue" column="queue" value={job.queue} />
      <Shared name="Job set" column="jobSet" value={job.jobSet} />
      <Shared name="Owner" column="owner" value={job.owner} />
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

/** What other jobs have too, and the way to them. */
function Shared({ name, column, value }: { name: string; column: string; value: string }) {
  if (value === "") return null;
  const link = (
    <JobsLink className="anchor" search={{ [column]: [value] }}>
      {shortened(visibleLine(value))}
    </JobsLink>
  );
  return <Fact name={name} value={link} />;
}

/** What the record says of a submitted job; nothing of pods that nobody submitted to a scheduler. */
function stateOf(job: JobHistory): string {
  if (job.state === null) return "not submitted to a scheduler";
  const by = ["", "success", "cancel"].includes(job.endedBy ?? "") ? "" : `, by ${job.endedBy}`;
  return `${stateWord(job.state)}${by}`;
}
