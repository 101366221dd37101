import { Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import { counted, percent } from "../text/numbers";
import { absolute } from "../text/times";
import { withValues } from "../url/search";
import { FaultBar } from "./fault-bar";
import {
  countsText,
  type Group,
  type Grouping,
  groupAt,
  isOfFailure,
  isOpen,
  jobsIn,
  nameOf,
  type Path,
  turned,
  within,
} from "./groups";
import { Failed, Loading, Nothing } from "./outcomes";
import { filterNames, lastDay, without, zoneOf } from "./parameters";
import { jobGroups } from "./queries";
import type { View } from "./view";
import { columnText } from "./words";

interface Props extends View {
  readonly by: readonly Grouping[];
}

/** How many jobs are where, in groups of groups; each leads to its jobs. */
export function GroupList({ query, search, by, onSearch }: Props) {
  const groups = useQuery(jobGroups(query, by.slice(0, 1)));
  const drop = (name: string) => onSearch(without(search, name));
  const recent = () => onSearch(lastDay(search));
  if (groups.isPending) return <Loading />;
  if (groups.error !== null) {
    return <Failed error={groups.error} onRetry={() => groups.refetch()} onDrop={drop} onRecent={recent} />;
  }
  const { counts, since } = groups.data;
  const { count } = counts;
  return (
    <div className="rows" aria-busy={groups.isPlaceholderData}>
      <Counted
        {...counts}
        zone={zoneOf(search)}
        by={by}
        isCut={since[0] !== (query.since?.[0] ?? since[0])}
        isUsual={!("since" in query)}
      />
      {count === 0 ? (
        <Nothing filters={filterNames(query)} since={"since" in query || "until" in query} isCounted onDrop={drop} />
      ) : (
        <>
          <div className="group is-head" aria-hidden>
            <span>{columnText(by[0] ?? "")}</span>
            <span>Jobs</span>
            <span>Latest failures, by fault</span>
            <span>Scheduler's states</span>
          </div>
          <Groups parent={counts} path={[]} by={by} query={query} search={search} since={since} onSearch={onSearch} />
        </>
      )}
    </div>
  );
}

interface CountedProps {
  readonly count: number;
  readonly failed: number;
  readonly since: string;
  readonly until: string;
  readonly zone: string | undefined;
  readonly by: readonly Grouping[];
  readonly isCut: boolean;
  readonly isUsual: boolean;
}

/** What was counted, from when to when. */
function Counted({ count, failed, since, until, zone, by, isCut, isUsual }: CountedProps) {
  return (
    <Text size="sm" c="dimmed" role="status" mb="xs">
      {counted(count)} jobs first heard of from {absolute(since, zone)} until {absolute(until, zone)}; {counted(failed)}{" "}
      ({percent(failed, count)}) of them had a failure.
      {isUsual && " Without a time these are the last 24 hours."}
      {isCut && " Seven days are counted at most."}
      {by.some(isOfFailure) &&
        " A job counts where its latest failure belongs; the list of a group also has jobs of which an earlier one does."}
    </Text>
  );
}

interface LevelProps extends Props {
  readonly path: Path;
  readonly since: readonly string[];
}

function Groups({ parent, ...level }: LevelProps & { parent: Group }) {
  return (
    <ul className="groups">
      {parent.groups.map((group) => (
        <Level key={`${group.value === null} ${group.value}`} group={group} {...level} />
      ))}
      {parent.leftOut > 0 && (
        <li className="nothing">{counted(parent.leftOut)} smaller groups are left out: filter to see them</li>
      )}
    </ul>
  );
}

/** How far the name of a group is moved for each one that it is in. */
const INDENT = 20;

/** A group, and those in it if the address opens it. */
function Level({ group, path: above, ...level }: LevelProps & { group: Group }) {
  const { by, search, since, onSearch } = level;
  const path = [...above, group.value];
  const isDeepest = path.length >= by.length;
  const isExpanded = !isDeepest && isOpen(search, path);
  const name = nameOf(group, by[above.length]);
  const jobs = jobsIn(withValues(search, "since", since), by, path);
  return (
    <li>
      <div className="group">
        <span className="group-name" style={{ paddingLeft: `${above.length * INDENT}px` }}>
          {!isDeepest && (
            <button
              type="button"
              className="toggle"
              aria-expanded={isExpanded}
              aria-label={`Groups of ${name}`}
              data-row={jobs === undefined || undefined}
              onClick={() => onSearch(turned(search, path), false)}
            >
              <span aria-hidden>{isExpanded ? "▾" : "▸"}</span>
            </button>
          )}
          {jobs === undefined ? (
            name
          ) : (
            <Link data-row to="/jobs" search={jobs}>
              {name}
            </Link>
          )}
        </span>
        <span>
          <strong>{counted(group.count)}</strong> <span className="unit">{group.count === 1 ? "job" : "jobs"}</span>
        </span>
        <FaultBar origins={group.origins} failed={group.failed} count={group.count} />
        <span>{countsText(group.states)}</span>
      </div>
      {isExpanded && <Inner path={path} {...level} />}
    </li>
  );
}

/** The groups in a group, which are counted when it is opened. */
function Inner({ path, ...level }: LevelProps) {
  const { query, by, onSearch, search } = level;
  const groups = useQuery(jobGroups(within(query, by, path), by.slice(0, path.length + 1)));
  if (groups.isPending) return <Skeleton height={32} mt={4} ml="lg" role="status" aria-label="Groups are counted" />;
  const drop = (name: string) => onSearch(without(search, name));
  const recent = () => onSearch(lastDay(search));
  if (groups.error !== null) {
    return <Failed error={groups.error} onRetry={() => groups.refetch()} onDrop={drop} onRecent={recent} />;
  }
  const parent = groupAt(groups.data.counts, path);
  if (parent === undefined) return <p className="nothing">No job is in it any more, or too few to be listed.</p>;
  return <Groups parent={parent} path={path} {...level} />;
}
