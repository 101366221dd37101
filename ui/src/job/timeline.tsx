import { Button, Paper, Stack, Title } from "@mantine/core";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";

import { FailureChip } from "../jobs/chips";
import { visibleLine } from "../text/visible";
import { When } from "../text/when";
import type { Search } from "../url/search";
import { Correcting } from "./correcting";
import { openRuns, toggledRun } from "./opened";
import type { Attempt, JobHistory } from "./queries";
import { RunPanel } from "./run";
import { Verdicts } from "./verdict";
import { between, sentence } from "./words";

interface TimelineProps {
  readonly job: JobHistory;
  /** The run of which the answer stands above, with what corrects its category. */
  readonly answered: string | undefined;
}

/** The attempts, the latest first, with the verdict on each but the latest above it: what came later is higher. */
export function Timeline({ job, answered }: TimelineProps) {
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const opened = openRuns(search, job.attempts);
  const left = job.runCount - job.attempts.length;
  return (
    <section aria-labelledby="attempts">
      <Title order={2} size="h4" id="attempts" mb="xs">
        {job.runCount} attempts, {job.failedRunCount} failed; the latest first
      </Title>
      <Stack component="ol" gap="xs" className="attempts">
        {job.attempts.map((attempt, position) => (
          <li key={attempt.runId}>
            {position > 0 && (
              <Verdicts
                decisions={attempt.decisions}
                title={`After attempt ${job.runCount - position}`}
                leased={attempt.leasedAt !== null}
              />
            )}
            <AttemptCard
              attempt={attempt}
              number={job.runCount - position}
              isOpen={opened.includes(attempt.runId)}
              isAnswered={attempt.runId === answered}
              onToggle={() => navigate({ to: ".", search: toggledRun(search, job.attempts, attempt.runId) })}
            />
          </li>
        ))}
      </Stack>
      {left > 0 && (
        <p className="said">
          {left} earlier attempts are not shown here.{" "}
          <a className="anchor" href={`/api/v1/runs?jobId=${encodeURIComponent(job.jobId)}`}>
            The API lists all of them.
          </a>
        </p>
      )}
    </section>
  );
}

interface AttemptProps {
  readonly attempt: Attempt;
  readonly number: number;
  readonly isOpen: boolean;
  readonly isAnswered: boolean;
  readonly onToggle: () => void;
}

function AttemptCard({ attempt, number, isOpen, isAnswered, onToggle }: AttemptProps) {
  const { runId, failureId, answer } = attempt;
  return (
    <Paper withBorder p="sm">
      <div className="heading">
        <Title order={3} size="h4">
          <Link to="/runs/$id" params={{ id: runId }}>
            Attempt {number}
          </Link>{" "}
          {attempt.state}
        </Title>
        {attempt.failedAt !== null && <FailureChip run={attempt} />}
        {answer !== null && failureId !== null && !isAnswered && <Correcting runId={runId} failureId={failureId} />}
        <Button size="xs" variant="default" onClick={onToggle} aria-expanded={isOpen}>
          {isOpen ? "Hide" : "Show"} the {attempt.failedAt === null ? "details" : "evidence"} of attempt {number}
        </Button>
      </div>
      <Course attempt={attempt} />
      {answer !== null && !isOpen && <p className="said">{visibleLine(sentence(answer.deciding))}</p>}
      {isOpen && <RunPanel runId={runId} answered level={4} />}
    </Paper>
  );
}

/** Where it ran, and how long. */
function Course({ attempt }: { attempt: Attempt }) {
  const ended = attempt.failedAt ?? attempt.succeededAt;
  const ran = between(attempt.runningAt, ended);
  const place = [
    attempt.node === "" ? "no node yet" : `node ${attempt.node}`,
    attempt.cluster === "" ? "" : `cluster ${attempt.cluster}`,
    ran === "" ? "" : `ran ${ran}`,
  ].filter((part) => part !== "");
  return (
    <p className="course">
      {visibleLine(place.join(", "))}; {ended === null ? "started " : "ended "}
      <When at={ended ?? attempt.firstAt} />
      {attempt.rejection === "" ? "" : `; refused: ${visibleLine(attempt.rejection)}`}
    </p>
  );
}
