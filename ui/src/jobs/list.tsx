import { Button, Group, Text } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";

import { type Search, withValues } from "../url/search";
import { columnsOf, USUAL } from "./columns";
import { CopyIds } from "./copy-ids";
import { Failed, Loading, Nothing } from "./outcomes";
import { filterNames } from "./parameters";
import { jobCount, jobPages } from "./queries";
import { JobsTable } from "./table";

interface Props {
  readonly query: Search;
  readonly search: Search;
  readonly onSearch: (search: Search) => void;
}

/** The rows that fit, and how many there are. */
export function JobsList({ query, search, onSearch }: Props) {
  const rows = useInfiniteQuery(jobPages(query));
  const drop = (name: string) => onSearch(withValues(search, name, []));
  if (rows.isPending) return <Loading />;
  const columns = columnsOf(search.columns?.[0]);
  const jobs = rows.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <>
      {rows.error !== null && <Failed error={rows.error} onRetry={() => rows.refetch()} onDrop={drop} />}
      {rows.data !== undefined && jobs.length === 0 && (
        <Nothing filters={filterNames(query)} since={"since" in query || "until" in query} onDrop={drop} />
      )}
      {jobs.length > 0 && (
        <div aria-busy={rows.isPlaceholderData} className={columns.length > USUAL.length ? "rows is-wide" : "rows"}>
          <JobsTable
            jobs={jobs}
            columns={columns}
            sort={query.sort?.[0] ?? "-firstAt"}
            onSort={(sort) => onSearch(withValues(search, "sort", sort === "-firstAt" ? [] : [sort]))}
            search={search}
          />
        </div>
      )}
      <Group mt="sm" gap="sm">
        <Shown query={query} shown={jobs.length} />
        {rows.hasNextPage && (
          <Button variant="default" loading={rows.isFetchingNextPage} onClick={() => rows.fetchNextPage()}>
            Load more
          </Button>
        )}
        {jobs.length > 0 && <CopyIds jobs={jobs} />}
      </Group>
    </>
  );
}

function Shown({ query, shown }: { query: Search; shown: number }) {
  const count = useQuery(jobCount(query));
  if (shown === 0) return null;
  return (
    <Text size="sm" c="dimmed" role="status">
      {count.data == null ? `${shown} jobs shown` : `${shown} of ${count.data.text} jobs shown`}
    </Text>
  );
}
