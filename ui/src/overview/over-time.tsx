import { Button, Skeleton } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useContext } from "react";
import { JobsLink } from "../jobs/jobs-link";
import { counted, percent } from "../text/numbers";
import { Now } from "../text/when";
import { type Search, toggled } from "../url/search";
import type { View } from "./address";
import { jobsBehind, ofFault, type Window } from "./behind";
import { Card } from "./card";
import { FaultShare, faultsText } from "./fault-share";
import { type Ended, FAULTS, type Span } from "./faults";
import { TimeTable } from "./time-table";
import { faultName } from "./words";

const Chart = lazy(async () => ({ default: (await import("./chart")).Chart }));

interface Props {
  readonly spans: readonly Span[];
  readonly ended: Ended;
  readonly window: Window;
  readonly view: View;
  readonly search: Search;
  readonly onSearch: (search: Search) => void;
  readonly isBusy: boolean;
}

/** Failures by hour or day and by fault: as a chart, or as a table with the same numbers. */
export function OverTime({ spans, ended, window, view, search, onSearch, isBusy }: Props) {
  const navigate = useNavigate();
  const isGoingOn = Date.parse(window.until) > useContext(Now);
  const { step, zone, filters, isTable } = view;
  const summary = `${counted(ended.failures)} failed runs by the ${step}: ${faultsText(ended.byFault)}.`;
  return (
    <Card
      title="Failures over time"
      isBusy={isBusy}
      aside={
        <Button size="compact-sm" variant="default" onClick={() => onSearch(toggled(search, "show", "table"))}>
          {isTable ? "As a chart" : "As a table"}
        </Button>
      }
      base={
        <>
          Failed runs by the {step} in which they ended ({zone}), by whose fault it was.
          {isGoingOn && ` The last ${step} is not over.`}
        </>
      }
    >
      <div className="over-time">
        <div className="over-time-main">
          {isTable ? (
            <TimeTable spans={spans} step={step} zone={zone} filters={filters} />
          ) : (
            <Suspense fallback={<Skeleton height={260} />}>
              <Chart
                spans={spans}
                step={step}
                zone={zone}
                label={`${summary} The same numbers are there as a table.`}
                onChoose={(span, fault) =>
                  navigate({
                    to: "/jobs",
                    search: jobsBehind(span, filters, fault === undefined ? {} : ofFault(fault)),
                  })
                }
              />
            </Suspense>
          )}
        </div>
        <Faults ended={ended} window={window} filters={filters} />
      </div>
    </Card>
  );
}

/** Whose fault the failures of the window were; the names of the colours of the chart, too. */
function Faults({ ended, window, filters }: { ended: Ended; window: Window; filters: Search }) {
  return (
    <div className="faults">
      <h3>Whose fault</h3>
      <FaultShare byFault={ended.byFault} />
      <ul>
        {FAULTS.map((fault) => (
          <li key={fault}>
            <span className="swatch" data-fault={fault} aria-hidden />
            <JobsLink search={jobsBehind(window, filters, ofFault(fault))}>{faultName(fault)}</JobsLink>
            <span>{counted(ended.byFault[fault])}</span>
            <span className="faults-share">{percent(ended.byFault[fault], ended.failures)}</span>
          </li>
        ))}
      </ul>
      <p className="card-base">Of {counted(ended.failures)} failed runs.</p>
    </div>
  );
}
