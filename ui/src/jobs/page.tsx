import "./jobs.css";

import { Button, Group, Stack, Title } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo, useState } from "react";

import { Live } from "../live/live";
import { Clock } from "../text/when";
import { firstOf, type Search, withValues } from "../url/search";
import { COLUMN_IDS, layoutOf, withLayout } from "./columns";
import { Filters } from "./filters";
import { GroupList } from "./group-list";
import { GROUPINGS, groupingsOf, openJunk, withGroupings } from "./groups";
import { useKeyboard } from "./keyboard";
import { layoutJunk } from "./layout";
import { JobsList } from "./list";
import { Opened } from "./opened";
import { IgnoredParts } from "./outcomes";
import { type Ignored, isOtherList, readParameters, unknownParts, zoneOf } from "./parameters";
import { JOBS } from "./queries";
import { ShortcutList } from "./shortcuts";
import type { OnSearch } from "./view";

/** How many milliseconds a change waits for others: rows that change faster than that cannot be read. */
const REST = 1_000;

/** All jobs, the newest first. Everything that is chosen here is in the address. */
export function JobsPage() {
  useKeyboard();
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const { query, ignored } = useMemo(() => readParameters(search), [search]);
  const onSearch: OnSearch = useCallback(
    (next, isStep = true) =>
      navigate({ to: "/jobs", search: next, replace: !isStep, resetScroll: isOtherList(search, next) }),
    [navigate, search],
  );
  const by = groupingsOf(search);
  return (
    <Clock>
      <title>Jobs</title>
      <Stack gap="sm">
        <Group justify="space-between">
          <Group gap="xs">
            <Title order={1} size="h2">
              Jobs
            </Title>
            <Help />
          </Group>
          <Live scope={JOBS} rest={REST} />
        </Group>
        <IgnoredParts
          parts={[...ignored, ...junkOf(search)]}
          onDrop={() => onSearch({ ...query, ...ownParts(search) })}
        />
        <Filters query={query} search={search} onSearch={onSearch} />
        {by.length > 0 ? (
          <GroupList query={query} search={search} by={by} onSearch={onSearch} />
        ) : (
          <JobsList query={query} search={search} onSearch={onSearch} />
        )}
        <Opened query={query} search={search} onSearch={onSearch} isListed={by.length === 0} />
      </Stack>
    </Clock>
  );
}

function Help() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        size="compact-xs"
        variant="default"
        aria-label="Keys of this page"
        aria-keyshortcuts="?"
        onClick={() => setOpen(true)}
      >
        ?
      </Button>
      <ShortcutList isOpen={isOpen} onClose={() => setOpen(false)} />
    </>
  );
}

/** What makes no sense of that which only the page knows. */
function junkOf(search: Search): readonly Ignored[] {
  const columns = firstOf(search, "columns");
  return [
    ...(columns === undefined ? [] : layoutJunk(columns, COLUMN_IDS)),
    ...unknownParts(search, "group", GROUPINGS),
    ...openJunk(search, groupingsOf(search)).map((text) => ({ text: `in=${text}`, why: "groups are not that deep" })),
  ];
}

/** What only the page knows, without its junk. */
function ownParts(search: Search): Search {
  const { open, run } = search;
  const zone = zoneOf(search);
  const opened = { ...(open && { open }), ...(run && { run }), ...(zone !== undefined && { zone: [zone] }) };
  const by = groupingsOf(search);
  const junk = openJunk(search, by);
  const grouped = withGroupings(withLayout(opened, layoutOf(search)), by);
  return withValues(grouped, "in", search.in?.filter((text) => !junk.includes(text)) ?? []);
}
