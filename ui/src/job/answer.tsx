import { Paper, Stack, Text, Title } from "@mantine/core";

import { FailureChip } from "../jobs/chips";
import { visible, visibleLine } from "../text/visible";
import { When } from "../text/when";
import type { Answer, Attempt } from "./queries";
import { capital, sentence } from "./words";

interface AnswerProps {
  readonly answer: Answer;
  readonly run: Attempt;
  readonly recovered?: boolean;
  readonly level: 2 | 3;
}

/** Why it failed, whose fault that is and what can be done, in sentences. */
export function AnswerCard({ answer, run, recovered = false, level }: AnswerProps) {
  return (
    <Paper component="section" withBorder p="md" aria-label="Why it failed">
      <Stack gap="xs">
        {recovered && <Text size="sm">A later attempt succeeded. This is why the last one that failed did:</Text>}
        <div className="heading">
          <Title order={level} size="h3">
            {capital(visibleLine(answer.categoryInWords))}
          </Title>
          <FailureChip run={run} />
        </div>
        <Text>
          {sentence(visibleLine(answer.deciding))} Whose fault: {visibleLine(answer.fault)}.
        </Text>
        {answer.step !== "" && (
          <Text fw={recovered ? 400 : 600}>What can be done: {visibleLine(answer.step).replace(/\.$/, "")}.</Text>
        )}
        <Details answer={answer} />
        <Text size="sm" c="dimmed">
          Failed <When at={run.failedAt} />
          {run.node === "" ? "" : ` on node ${visibleLine(run.node)}`}
          {run.cluster === "" ? "" : `, cluster ${visibleLine(run.cluster)}`}.
        </Text>
      </Stack>
    </Paper>
  );
}

function Details({ answer }: { answer: Answer }) {
  const said = [answer.others, answer.whose, answer.grade, ...answer.conditions].filter((text) => text !== "");
  return (
    <>
      {answer.lastWords !== "" && <Text size="sm">It wrote last: {visible(answer.lastWords)}</Text>}
      {said.length > 0 && <Text size="sm">{said.map((text) => sentence(visibleLine(text))).join(" ")}</Text>}
      {answer.trust === "user text" && (
        <Text size="sm" c="dimmed">
          This rests on text that something in the pod wrote, not the system.
        </Text>
      )}
      {answer.contradictions.map((text) => (
        <Text size="sm" key={text} className="doubt">
          Does not fit: {sentence(visibleLine(text))}
        </Text>
      ))}
    </>
  );
}
