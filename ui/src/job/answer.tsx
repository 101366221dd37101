import { Group, Paper, Stack, Text, Title } from "@mantine/core";

import { FailureChip } from "../jobs/chips";
import { JobsLink } from "../jobs/jobs-link";
import { Linked } from "../text/linked";
import { Long } from "../text/long";
import { visible, visibleLine } from "../text/visible";
import { When } from "../text/when";
import type { Search } from "../url/search";
import { Alike } from "./alike";
import { Correcting } from "./correcting";
import { Copy } from "./facts";
import type { Answer, Attempt } from "./queries";
import { sentenceOf, summaryOf, titleOf } from "./summary";
import { sentence } from "./words";

interface AnswerProps {
  readonly answer: Answer;
  readonly run: Attempt;
  readonly recovered?: boolean;
  readonly level: 2 | 3;
}

/** Why it failed, whose fault that is and what can be done, in sentences. */
export function AnswerCard({ answer, run, recovered = false, level }: AnswerProps) {
  return (
    <Paper component="section" withBorder p="md" aria-label="Why it failed" className="answer" data-fault={run.origin}>
      <Stack gap="xs">
        {recovered && <Text size="sm">A later attempt succeeded. This is why the last one that failed did:</Text>}
        <Title order={level} size="h3">
          {visibleLine(titleOf(answer.categoryInWords, run))}
        </Title>
        <div className="heading">
          <FailureChip run={run} />
          {run.failureId !== null && <Correcting runId={run.runId} failureId={run.failureId} />}
        </div>
        <Text>
          <Long text={visibleLine(sentenceOf(answer, run))} />
        </Text>
        {answer.step !== "" && (
          <Text fw={recovered ? 400 : 600}>
            What can be done: <Linked text={sentence(answer.step)} />
          </Text>
        )}
        {!recovered && answer.follows !== "" && (
          <Text size="sm">What happens by itself: {sentence(visibleLine(answer.follows))}</Text>
        )}
        <Details answer={answer} />
        <Alike fingerprint={run.fingerprint} />
        <Group gap="xs" justify="space-between">
          <Text size="sm" c="dimmed">
            Failed <When at={run.failedAt} />
            {run.node !== "" && (
              <>
                {" "}
                on node{" "}
                <JobsLink className="anchor" search={failedOn(run)}>
                  {visibleLine(run.node)}
                </JobsLink>
              </>
            )}
            {run.cluster === "" ? "" : `, cluster ${visibleLine(run.cluster)}`}.
          </Text>
          <Copy
            what="answer, with a link"
            word="copy the answer"
            text={summaryOf(answer, run, window.location.origin)}
          />
        </Group>
      </Stack>
    </Paper>
  );
}

/** The jobs of which a run failed on the node of this one. */
function failedOn({ node, cluster }: Attempt): Search {
  return { node: [node], ...(cluster !== "" && { cluster: [cluster] }), state: ["any-failure"] };
}

function Details({ answer }: { answer: Answer }) {
  // What is said of the container begins with its name.
  const whose = answer.whose === "" ? "" : `container ${answer.whose}`;
  const limit = answer.limit === "" ? "" : `limit: ${answer.limit}`;
  const said = [limit, answer.others, whose, answer.grade, ...answer.conditions].filter((text) => text !== "");
  return (
    <>
      {answer.lastWords !== "" && (
        <Text size="sm">
          It wrote last: <Long text={visible(answer.lastWords)} />
        </Text>
      )}
      {said.length > 0 && (
        <Text size="sm">
          <Long text={said.map((text) => visibleLine(sentence(text))).join(" ")} />
        </Text>
      )}
      {answer.trust === "user text" && (
        <Text size="sm" c="dimmed">
          This rests on text that something in the pod wrote, not the system.
        </Text>
      )}
      {answer.contradictions.map((text) => (
        <Text size="sm" key={text} className="doubt">
          Does not fit: {visibleLine(sentence(text))}
        </Text>
      ))}
    </>
  );
}
