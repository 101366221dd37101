import { Button, Group, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { type MouseEvent, useMemo, useState } from "react";

import { counted } from "../text/numbers";
import type { Search } from "../url/search";
import { type Neighbours, neighboursOf } from "./neighbours";
import { jobPages } from "./queries";

interface Props {
  readonly query: Search;
  readonly jobId: string;
  readonly onStep: (jobId: string) => void;
}

/** Lead from the job that is open to those of the rows before and after it. */
export function Steps({ query, jobId, onStep }: Props) {
  const rows = useInfiniteQuery(jobPages(query));
  const jobIds = useMemo(
    () => rows.data?.pages.flatMap((page) => page.items.map((job) => job.jobId)) ?? [],
    [rows.data],
  );
  const neighbours = useNeighbours(jobIds, jobId);
  const { at, before, after } = neighbours;
  const stepOn = async () => {
    if (after !== undefined) return onStep(after);
    const { data } = await rows.fetchNextPage();
    const next = data?.pages.at(-1)?.items[0];
    if (next !== undefined) onStep(next.jobId);
  };
  const isLast = after === undefined && !(at >= 0 && rows.hasNextPage);
  return (
    <Group gap="xs" role="group" aria-label="Rows of the list">
      <Step
        name="Previous"
        shortcut="k"
        isEnd={before === undefined}
        onStep={() => before !== undefined && onStep(before)}
      />
      <Step name="Next" shortcut="j" isEnd={isLast} isBusy={rows.isFetchingNextPage} onStep={stepOn} />
      <Text size="sm" c="dimmed" role="status">
        {at >= 0 && `Row ${counted(at + 1)} of ${counted(jobIds.length)}${rows.hasNextPage ? " loaded" : ""}`}
      </Text>
    </Group>
  );
}

/** The rows around a job; of one that leaves the list, those around the place that it had. */
function useNeighbours(jobIds: readonly string[], jobId: string): Neighbours {
  const [last, setLast] = useState({ jobId: "", at: -1 });
  const found = neighboursOf(jobIds, jobId, last.jobId === jobId ? last.at : -1);
  if (found.at >= 0 && (last.jobId !== jobId || last.at !== found.at)) setLast({ jobId, at: found.at });
  return found;
}

interface StepProps {
  readonly name: string;
  readonly shortcut: string;
  readonly isEnd: boolean;
  readonly isBusy?: boolean;
  readonly onStep: () => void;
}

function Step({ name, shortcut, isEnd, isBusy = false, onStep }: StepProps) {
  const step = (event: MouseEvent<HTMLButtonElement>) => {
    // What had the focus may go with the job that was open.
    event.currentTarget.focus();
    if (!isEnd && !isBusy) onStep();
  };
  // One that is disabled would lose the focus, and with it the keys.
  return (
    <Button
      size="compact-xs"
      variant="default"
      aria-keyshortcuts={shortcut}
      aria-disabled={isEnd}
      data-disabled={isEnd}
      onClick={step}
    >
      {name}
    </Button>
  );
}
