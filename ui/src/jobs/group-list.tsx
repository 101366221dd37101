import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";

import { absolute } from "../text/times";
import { visibleLine } from "../text/visible";
import { type Search, withValues } from "../url/search";
import { FaultBar } from "./fault-bar";
import { countsText, type Group, type Grouping, narrowed } from "./groups";
import { Failed, Loading, Nothing } from "./outcomes";
import { filterNames } from "./parameters";
import { jobGroups } from "./queries";
import { columnText } from "./words";

interface Props {
  readonly query: Search;
  readonly search: Search;
  readonly by: readonly Grouping[];
  readonly onSearch: (search: Search) => void;
}

/** How many jobs are where, in groups of groups; each leads to its jobs. */
export function GroupList({ query, search, by, onSearch }: Props) {
  const groups = useQuery(jobGroups(query, by));
  const drop = (name: string) => onSearch(withValues(search, name, []));
  if (groups.isPending) return <Loading />;
  if (groups.error !== null) return <Failed error={groups.error} onRetry={() => groups.refetch()} onDrop={drop} />;
  const { count, failed, since, until } = groups.data.counts;
  return (
    <>
      <Text size="sm" c="dimmed" role="status">
        {count} jobs first heard of from {absolute(since)} until {absolute(until)}; {failed} of them had a failure.
        {!("since" in query) && " Without a time these are the last 24 hours."}
      </Text>
      {count === 0 && <Nothing filters={filterNames(query)} since={"since" in query} onDrop={drop} />}
      <Groups
        groups={groups.data.counts.groups}
        leftOut={groups.data.counts.leftOut}
        by={by}
        search={withValues(search, "since", groups.data.since)}
      />
    </>
  );
}

interface LevelProps {
  readonly groups: readonly Group[];
  readonly leftOut: number;
  readonly by: readonly Grouping[];
  readonly search: Search;
}

function Groups({ groups, leftOut, by, search }: LevelProps) {
  return (
    <ul className="groups">
      {groups.map((group) => (
        <Level key={String(group.value)} group={group} by={by} search={search} />
      ))}
      {leftOut > 0 && <li className="nothing">{leftOut} smaller groups are left out: filter to see them</li>}
    </ul>
  );
}

function Level({ group, by, search }: { group: Group; by: readonly Grouping[]; search: Search }) {
  const [isOpen, setOpen] = useState(false);
  const name = nameOf(group, by[0]);
  const inner = narrowed(search, by, group.value);
  return (
    <li>
      <div className="group">
        <span className="group-name">
          {group.groups.length > 0 && (
            <button
              type="button"
              className="toggle"
              aria-expanded={isOpen}
              aria-label={`Groups of ${name}`}
              onClick={() => setOpen(!isOpen)}
            >
              <span aria-hidden>{isOpen ? "▾" : "▸"}</span>
            </button>
          )}
          <Link data-row to="/jobs" search={withValues(inner, "group", [])}>
            {name}
          </Link>
        </span>
        <span>
          <strong>{group.count}</strong> jobs
        </span>
        <span>{countsText(group.states)}</span>
        <FaultBar origins={group.origins} failed={group.failed} />
      </div>
      {isOpen && <Groups groups={group.groups} leftOut={group.leftOut} by={by.slice(1)} search={inner} />}
    </li>
  );
}

function nameOf(group: Group, column: Grouping | undefined): string {
  if (group.value !== null && group.value !== "") return visibleLine(String(group.value));
  return `no ${columnText(column ?? "queue")}`;
}
