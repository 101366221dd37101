import "./jobs.css";

import { Group, Stack, Title } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";

import { Live } from "../live/live";
import { Clock } from "../text/when";
import type { Search } from "../url/search";
import { COLUMNS, columnsOf } from "./columns";
import { Filters } from "./filters";
import { GroupList } from "./group-list";
import { GROUPINGS, groupingsOf } from "./groups";
import { useKeyboard } from "./keyboard";
import { JobsList } from "./list";
import { Opened } from "./opened";
import { IgnoredParts } from "./outcomes";
import { readParameters, unknownParts } from "./parameters";
import { JOBS } from "./queries";

/** All jobs, the newest first. Everything that is chosen here is in the address. */
export function JobsPage() {
  useKeyboard();
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const { query, ignored } = useMemo(() => readParameters(search), [search]);
  const onSearch = useCallback((search: Search) => navigate({ to: "/jobs", search }), [navigate]);
  const by = groupingsOf(search);
  const junk = [
    ...ignored,
    ...unknownParts(
      search,
      "columns",
      COLUMNS.map((column) => column.id),
    ),
    ...unknownParts(search, "group", GROUPINGS),
  ];
  const { open, run } = search;
  const group = by.length === 0 ? undefined : [by.join(",")];
  const columns =
    "columns" in search
      ? [
          columnsOf(search.columns?.[0])
            .map((column) => column.id)
            .join(","),
        ]
      : undefined;
  const own = Object.entries({ group, columns, open, run }).filter(([, values]) => values !== undefined);
  return (
    <Clock>
      <title>Jobs</title>
      <Stack gap="sm">
        <Group justify="space-between">
          <Title order={1} size="h2">
            Jobs
          </Title>
          <Live scope={JOBS} />
        </Group>
        <IgnoredParts parts={junk} onDrop={() => onSearch({ ...query, ...Object.fromEntries(own) } as Search)} />
        <Filters query={query} search={search} onSearch={onSearch} />
        {by.length > 0 ? (
          <GroupList query={query} search={search} by={by} onSearch={onSearch} />
        ) : (
          <JobsList query={query} search={search} onSearch={onSearch} />
        )}
        <Opened search={search} onSearch={onSearch} />
      </Stack>
    </Clock>
  );
}
