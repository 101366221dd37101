import "../jobs/jobs.css";
import "./overview.css";

import { Group, Skeleton, Stack, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useContext, useMemo } from "react";

import { Failed, IgnoredParts } from "../jobs/outcomes";
import { Live } from "../live/live";
import { zoneHere } from "../text/times";
import { Clock, Now } from "../text/when";
import { type Search, withValues } from "../url/search";
import { readAddress, type View, wholeWindow, withoutIgnored } from "./address";
import type { Window } from "./behind";
import { Categories } from "./categories";
import { ClusterList } from "./cluster-list";
import { Controls } from "./controls";
import { spansOf, together } from "./faults";
import { Figures } from "./figures";
import { Nodes } from "./nodes";
import { NothingEnded } from "./nothing";
import { OverTime } from "./over-time";
import { failuresOverTime, OVERVIEW } from "./queries";
import { Repeated } from "./repeated";
import { windowText } from "./words";

/** The first page: how much fails, whose fault it is and where. All that is chosen here is in the address. */
export function OverviewPage() {
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const { view, ignored } = useMemo(() => readAddress(search, Date.now(), zoneHere()), [search]);
  const onSearch = useCallback((search: Search) => navigate({ to: "/", search }), [navigate]);
  return (
    <Clock>
      <title>Overview</title>
      <Stack gap="md" className="overview">
        <Group justify="space-between">
          <Title order={1} size="h2">
            Overview
          </Title>
          <Live scope={OVERVIEW} rest={REST} idle={IDLE} />
        </Group>
        <IgnoredParts parts={ignored} onDrop={() => onSearch(withoutIgnored(search, ignored))} />
        <Controls view={view} search={search} onSearch={onSearch} />
        <Findings view={view} search={search} onSearch={onSearch} />
      </Stack>
    </Clock>
  );
}

/** Counts of hours need not be asked for at every change, but heartbeats are no changes. */
const REST = 3_000;
const IDLE = 15_000;

interface Props {
  readonly view: View;
  readonly search: Search;
  readonly onSearch: (search: Search) => void;
}

function Findings({ view: asked, search, onSearch }: Props) {
  const now = useContext(Now);
  const view = { ...asked, window: wholeWindow(asked, now) };
  const series = useQuery(failuresOverTime(view));
  const spans = useMemo(() => (series.data === undefined ? [] : spansOf(series.data)), [series.data]);
  const ended = useMemo(() => together(spans), [spans]);
  const windowOf = (window: Window, zone = view.zone) => windowText(window, zone, now);
  const failed = series.error !== null && (
    <Failed
      error={series.error}
      onRetry={() => series.refetch()}
      onDrop={(name) => onSearch(withValues(search, name, []))}
    />
  );
  if (series.isError && series.data === undefined) return failed;
  const isEmpty = series.data !== undefined && ended.runs === 0;
  return (
    <>
      {failed}
      {series.data === undefined && <Loading />}
      {isEmpty && <NothingEnded view={view} search={search} onSearch={onSearch} />}
      {series.data !== undefined && !isEmpty && (
        <>
          <p className="window">Runs that ended from {windowOf(series.data)}</p>
          <Figures ended={ended} window={series.data} view={view} />
          <OverTime
            {...{ spans, ended, view, search, onSearch }}
            window={series.data}
            isBusy={series.isPlaceholderData}
          />
        </>
      )}
      <div className="cards">
        {!isEmpty && (
          <div>
            <Categories view={view} windowOf={windowOf} />
            <Repeated view={view} windowOf={windowOf} />
          </div>
        )}
        <div>
          {!isEmpty && <Nodes view={view} search={search} onSearch={onSearch} windowOf={windowOf} />}
          <ClusterList window={series.data} filters={view.filters} />
        </div>
      </div>
    </>
  );
}

function Loading() {
  return (
    <Stack gap="md" role="status" aria-label="Failures are counted">
      <Skeleton height={104} />
      <Skeleton height={360} />
    </Stack>
  );
}
