import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { Told } from "../job/told";
import { JobsLink } from "../jobs/jobs-link";
import { counted, percent } from "../text/numbers";
import { visibleLine } from "../text/visible";
import type { Search } from "../url/search";
import type { View } from "./address";
import { jobsBehind, type Window, withValue } from "./behind";
import { Card } from "./card";
import { FaultShare, faultsText } from "./fault-share";
import { byFault } from "./faults";
import { More } from "./more";
import { FEW, type Top, type Tops, topCategories } from "./queries";

/** The categories of most failures. */
export function Categories({ view, windowOf }: { view: View; windowOf: (window: Window) => string }) {
  const [limit, setLimit] = useState(FEW);
  const query = useQuery(topCategories(view, limit));
  return (
    <Card
      title="Top categories"
      isBusy={query.isPlaceholderData}
      base={query.data && `Shares are of all failed runs, from ${windowOf(query.data)}.`}
    >
      <Told query={query} what="categories">
        {(tops) => (
          <>
            <CategoryList tops={tops} filters={view.filters} />
            <More leftOut={tops.leftOut} limit={limit} what="categories" onLimit={setLimit} />
          </>
        )}
      </Told>
    </Card>
  );
}

function CategoryList({ tops, filters }: { tops: Tops; filters: Search }) {
  if (tops.items.length === 0) return <p className="nothing">No run failed in this window.</p>;
  const most = tops.items[0]?.failures ?? 0;
  return (
    <ol className="bars">
      {tops.items.map((top) => (
        <Category
          key={top.value}
          top={top}
          most={most}
          search={jobsBehind(tops, filters, withValue("category", top.value))}
        />
      ))}
    </ol>
  );
}

function Category({ top, most, search }: { top: Top; most: number; search: Search }) {
  const faults = byFault(top.origins ?? {});
  return (
    <li>
      <div className="bars-head">
        <JobsLink search={search}>{top.value === "" ? "not classified" : visibleLine(top.value)}</JobsLink>
        <span>
          {counted(top.failures)} <span className="bars-share">{percent(top.share, 1)}</span>
        </span>
      </div>
      <FaultShare byFault={faults} of={most} />
      <div className="bars-base">{faultsText(faults)}</div>
    </li>
  );
}
