import { Alert, Text } from "@mantine/core";

import { Refused } from "../api/refused";
import { visibleLine } from "../text/visible";
import type { JobHistory } from "./queries";
import { useStanding } from "./scheduler";
import { sentence, stateWord } from "./words";

/** Why a job waits, as its scheduler says. Without a scheduler nothing waits. */
export function Standing({ job }: { job: JobHistory }) {
  const { data, error } = useStanding(job.jobId);
  if (error instanceof Refused && job.endedAt === null) {
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
