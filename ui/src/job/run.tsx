import { Button, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { absolute } from "../text/times";
import { AnswerCard } from "./answer";
import { CorrectionList } from "./corrections";
import { Evidence, type Level } from "./evidence";
import { Fact, Facts, Id } from "./facts";
import { type Report, type RunHistory, runHistory } from "./queries";
import { isOf, reportsOf, titleOf } from "./reports";
import { Told } from "./told";
import { Verdicts } from "./verdict";

interface RunProps {
  readonly runId: string;
  /** Whether the answer and the verdict stand beside this panel already. */
  readonly answered?: boolean;
  readonly level?: Level;
}

/** Everything about a run: on its own page, below an attempt, or beside a table. */
export function RunPanel({ runId, answered = false, level = 2 }: RunProps) {
  const query = useQuery(runHistory(runId));
  return (
    <Told query={query} what="this run">
      {(run) => (
        <Stack gap="md" className="panel">
          {!answered && run.answer !== null && <AnswerCard answer={run.answer} run={run} level={2} />}
          {!answered && <Verdicts decisions={run.decisions} leased={run.leasedAt !== null} />}
          <Place run={run} />
          <Reports run={run} level={level} />
          {!answered && <CorrectionList corrections={run.corrections} />}
        </Stack>
      )}
    </Told>
  );
}

function Place({ run }: { run: RunHistory }) {
  return (
    <Facts>
      <Id name="Run" value={run.runId} />
      <Id name="Pod" value={run.podName} />
      <Id name="Node" value={run.node} />
      <Fact name="Cluster" value={run.cluster} />
      <Fact name="Namespace" value={run.namespace} />
      <Fact name="Leased" value={run.leasedAt === null ? "" : absolute(run.leasedAt)} />
      <Fact name="Running from" value={run.runningAt === null ? "" : absolute(run.runningAt)} />
      <Fact name="Succeeded" value={run.succeededAt === null ? "" : absolute(run.succeededAt)} />
      <Fact name="Failed" value={run.failedAt === null ? "" : absolute(run.failedAt)} />
      <Fact name="Refused" value={run.rejection} />
    </Facts>
  );
}

/** The report with the evidence that came last; people can look at the others. */
function Reports({ run, level }: { run: RunHistory; level: Level }) {
  const reports = reportsOf(run.failures, run.failureId);
  const [chosen, setChosen] = useState<string>();
  const shown = reports.find((report) => report.eventId === chosen) ?? reports[0];
  if (shown === undefined) return <p className="said">{quietOf(run.state)}</p>;
  const isNamed = run.answer !== null && isOf(shown, run.failureId);
  return (
    <>
      {reports.length > 1 && <Chooser reports={reports} shown={shown} onChoose={setChosen} />}
      <Evidence key={shown.eventId} report={shown} level={level} isNamed={isNamed} />
    </>
  );
}

/** What is said of a run that has not failed. */
function quietOf(state: string): string {
  if (state === "succeeded") return "This run succeeded, and no failure of it was reported.";
  return state === "running" ? "This run goes on; nothing of it has failed so far." : "No failure of it was reported.";
}

interface ChooserProps {
  readonly reports: readonly Report[];
  readonly shown: Report;
  readonly onChoose: (eventId: string) => void;
}

function Chooser({ reports, shown, onChoose }: ChooserProps) {
  return (
    <fieldset className="reports">
      <legend>{reports.length} reports of this run; the evidence below is of the one that is pressed</legend>
      {reports.map((report) => (
        <Button
          key={report.eventId}
          size="xs"
          variant={report === shown ? "outline" : "default"}
          aria-pressed={report === shown}
          onClick={() => onChoose(report.eventId)}
        >
          {titleOf(report)}
        </Button>
      ))}
    </fieldset>
  );
}
