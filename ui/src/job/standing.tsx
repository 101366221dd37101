import { Alert, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { Refused } from "../api/refused";
import { visibleLine } from "../text/visible";
import { isWithoutScheduler, type JobHistory, jobStanding } from "./queries";
import { sentence, stateWord } from "./words";

/** Why a job waits, as its scheduler says. Without a scheduler nothing waits. */
export function Standing({ job }: { job: JobHistory }) {
  const { data, error } = useQuery(jobStanding(job.jobId));
  if (error instanceof Refused && !isWithoutScheduler(error) && job.endedAt === null) {
    return (
      <Text size="sm" c="dimmed">
        Why it waits is not known now: {visibleLine(error.problem.detail)}
      </Text>
    );
  }
  if (!data?.wait) return null;
  return (
    <Alert color="ours" variant="outline" title={`Now ${stateWord(data.state)}: why`}>
      {sentence(visibleLine(data.wait))}
    </Alert>
  );
}
