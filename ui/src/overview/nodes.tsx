import { Button, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { Told } from "../job/told";
import { JobsLink } from "../jobs/jobs-link";
import { counted, percent } from "../text/numbers";
import { visibleLine } from "../text/visible";
import { type Search, withValues } from "../url/search";
import { LEAST_RUNS, type View } from "./address";
import { jobsBehind, type Window, withValue } from "./behind";
import { Card } from "./card";
import { More } from "./more";
import { FEW, type Top, type Tops, worstNodes } from "./queries";

interface Props {
  readonly view: View;
  readonly search: Search;
  readonly onSearch: (search: Search) => void;
  readonly windowOf: (window: Window, zone?: string) => string;
}

/** The nodes on which runs fail most often. */
export function Nodes({ view, search, onSearch, windowOf }: Props) {
  const [limit, setLimit] = useState(FEW);
  const query = useQuery(worstNodes(view, limit));
  const onLeastRuns = (leastRuns: number) =>
    onSearch(withValues(search, "leastRuns", leastRuns === LEAST_RUNS ? [] : [String(leastRuns)]));
  return (
    <Card
      title="Worst nodes"
      isBusy={query.isPlaceholderData}
      base={
        query.data && (
          <>
            Runs from {windowOf(query.data, "UTC")}, by whole days{view.filters.queue && ", of all queues"}. “At least”:
            the rate is no lower, with a confidence of 97.5 % (Wilson), so that a node is not the worst by one run that
            failed. {tooFewText(query.data)}
          </>
        )
      }
    >
      <Told query={query} what="nodes">
        {(tops) => (
          <>
            <NodeTable tops={tops} />
            <Group gap="xs">
              <More leftOut={tops.leftOut} limit={limit} what="nodes" onLimit={setLimit} />
              <Fewer tops={tops} onLeastRuns={onLeastRuns} />
            </Group>
          </>
        )}
      </Told>
    </Card>
  );
}

function tooFewText({ tooFew, leastRuns }: Tops): string {
  if (tooFew === 0) return "";
  return `${counted(tooFew)} ${tooFew === 1 ? "node is" : "nodes are"} left out, with fewer than ${leastRuns} runs.`;
}

/** A node with few runs is compared only if people ask for it. */
function Fewer({ tops, onLeastRuns }: { tops: Tops; onLeastRuns: (leastRuns: number) => void }) {
  const other = tops.leastRuns > 5 ? 5 : LEAST_RUNS;
  if (tops.tooFew === 0 && other === 5) return null;
  return (
    <Button size="compact-sm" variant="default" mt="xs" onClick={() => onLeastRuns(other)}>
      Compare nodes with {other} runs or more
    </Button>
  );
}

function NodeTable({ tops }: { tops: Tops }) {
  if (tops.items.length === 0) {
    return (
      <Text className="nothing">
        No node had {tops.leastRuns} runs. Choose a longer window, or compare by fewer runs.
      </Text>
    );
  }
  return (
    <table className="ranking">
      <thead>
        <tr>
          <th scope="col">Node</th>
          <th scope="col">Failed of runs</th>
          <th scope="col">Rate</th>
          <th scope="col">At least</th>
        </tr>
      </thead>
      <tbody>
        {tops.items.map((top) => (
          <Node key={`${top.cluster} ${top.value}`} top={top} window={tops} />
        ))}
      </tbody>
    </table>
  );
}

function Node({ top, window }: { top: Top; window: Window }) {
  const search = jobsBehind(window, withValue("node", top.value), withValue("cluster", top.cluster ?? ""));
  return (
    <tr>
      <th scope="row">
        <JobsLink search={search}>{visibleLine(top.value)}</JobsLink>
        <span className="below">{visibleLine(top.cluster || "no cluster")}</span>
      </th>
      <td>
        {counted(top.failures)} of {counted(top.runs)}
      </td>
      <td>{percent(top.failures, top.runs)}</td>
      <td>
        <strong>{percent(top.atLeast ?? 0, 1)}</strong>
      </td>
    </tr>
  );
}
