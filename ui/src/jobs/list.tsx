import { Button, Group, Text } from "@mantine/core";
import { useDebouncedValue, useElementSize } from "@mantine/hooks";
import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useMemo, useRef, useState } from "react";

import { counted } from "../text/numbers";
import { firstOf, printSearch, type Search, withValues } from "../url/search";
import { columnsOf, layoutOf, widthOf, withLayout } from "./columns";
import { CopyButton } from "./copy-button";
import type { Job } from "./failure";
import { flexibleOf, resized } from "./layout";
import { viewOf } from "./link";
import { Failed, Loading, Nothing } from "./outcomes";
import { filterNames, lastDay, without, zoneOf } from "./parameters";
import { jobCount, jobPages } from "./queries";
import { Sideways } from "./sideways";
import { JobsTable } from "./table";
import type { View } from "./view";
import { windowText } from "./words";

/** The rows that fit, and how many there are. */
export function JobsList({ query, search, onSearch }: View) {
  const rows = useInfiniteQuery(jobPages(query));
  const jobs = useMemo(() => rows.data?.pages.flatMap((page) => page.items) ?? [], [rows.data]);
  const drop = (name: string) => onSearch(without(search, name));
  const recent = () => onSearch(lastDay(search));
  if (rows.isPending) return <Loading />;
  return (
    <>
      {rows.error !== null && (
        <Failed error={rows.error} onRetry={() => rows.refetch()} onDrop={drop} onRecent={recent} />
      )}
      {rows.data !== undefined && jobs.length === 0 && (
        <Nothing filters={filterNames(query)} since={"since" in query || "until" in query} onDrop={drop} />
      )}
      {jobs.length > 0 && <Rows jobs={jobs} isOld={rows.isPlaceholderData} {...{ query, search, onSearch }} />}
      <Group mt="sm" gap="sm">
        <Shown
          query={query}
          zone={zoneOf(search)}
          shown={jobs.length}
          isAsked={rows.isSuccess && !rows.isPlaceholderData}
        />
        {rows.hasNextPage && (
          <Button variant="default" loading={rows.isFetchingNextPage} onClick={() => rows.fetchNextPage()}>
            Load more
          </Button>
        )}
        {jobs.length > 0 && (
          <CopyButton
            text={() => jobs.map((job) => job.jobId).join("\n")}
            label="Copy these ids"
            done={`${counted(jobs.length)} ids copied`}
          />
        )}
      </Group>
    </>
  );
}

function Rows({ jobs, isOld, query, search, onSearch }: View & { jobs: readonly Job[]; isOld: boolean }) {
  const text = firstOf(search, "columns");
  const layout = useMemo(() => layoutOf(text === undefined ? {} : { columns: [text] }), [text]);
  const columns = useMemo(() => columnsOf(layout), [layout]);
  const { ref, width } = useElementSize();
  const scrolled = useRef<HTMLDivElement>(null);
  const needed = widthOf(columns);
  const isWide = width > 0 && needed > width;
  const view = useKept(viewOf(search), isOld);
  const onOpen = useCallback((jobId: string) => onSearch({ ...search, open: [jobId] }), [search, onSearch]);
  return (
    <div ref={ref}>
      <div ref={scrolled} aria-busy={isOld} className={isWide ? "rows is-wide" : "rows"}>
        <JobsTable
          jobs={jobs}
          columns={columns}
          flexible={flexibleOf(layout)}
          sort={query.sort?.[0] ?? "-firstAt"}
          onSort={(sort) => onSearch(withValues(search, "sort", sort === "-firstAt" ? [] : [sort]))}
          onWidth={(id, width) => onSearch(withLayout(search, resized(layout, id, width)), false)}
          view={view}
          opened={firstOf(search, "open")}
          onOpen={onOpen}
        />
      </div>
      {isWide && <Sideways of={scrolled} width={needed} />}
    </div>
  );
}

/** The value as it was before, while it is kept: rows that are about to go need no new links. */
function useKept(value: string, isKept: boolean): string {
  const [kept, setKept] = useState(value);
  if (!isKept && kept !== value) setKept(value);
  return isKept ? kept : value;
}

/** How long nobody chooses anything until jobs are counted: another filter makes the number useless. */
const PAUSE = 400;

interface ShownProps {
  readonly query: Search;
  readonly zone: string | undefined;
  readonly shown: number;
  readonly isAsked: boolean;
}

/** How many jobs there are, and in which time. */
function Shown({ query, zone, shown, isAsked }: ShownProps) {
  const question = jobCount(query);
  const known = useQueryClient().getQueryData(question.queryKey);
  const [settled] = useDebouncedValue(printSearch(query), PAUSE);
  const isSettled = settled === printSearch(query);
  // There are too many to be counted: that will not change soon, and counting takes longer than anything else here.
  const count = useQuery({ ...question, enabled: isAsked && isSettled && !known?.more });
  const number = count.isPlaceholderData ? undefined : count.data;
  if (shown === 0) return null;
  return (
    <Text size="sm" c="dimmed" role="status">
      {number == null ? `${counted(shown)} jobs shown` : `${counted(shown)} of ${number.text} jobs shown`},{" "}
      {windowText(query, zone)}
    </Text>
  );
}
