import { useQuery } from "@tanstack/react-query";
import { useContext } from "react";

import { Told } from "../job/told";
import { lasting } from "../job/words";
import { JobsLink } from "../jobs/jobs-link";
import { counted } from "../text/numbers";
import { visibleLine } from "../text/visible";
import { Now, When } from "../text/when";
import type { Search } from "../url/search";
import { jobsBehind, type Window, withValue } from "./behind";
import { Card } from "./card";
import { allClusters, type Cluster, type Clusters } from "./queries";

/** Agents send a heartbeat every 5 s unless they are set otherwise; a scheduler leaves a cluster out after a minute. */
const PATIENCE = 60_000;

interface Props {
  readonly window: Window | undefined;
  readonly filters: Search;
}

/** The clusters: when each was last heard, and what of it is still to come. */
export function ClusterList({ window, filters }: Props) {
  const query = useQuery(allClusters());
  return (
    <Card title="Clusters" base={query.data && baseText(query.data)}>
      <Told query={query} what="clusters">
        {({ items }) =>
          items.length === 0 ? (
            <p className="nothing">
              No agent has sent a heartbeat yet. An agent sends one every few seconds, once it runs and its settings
              have <code>subscriptions: [scheduler, lookout]</code>.
            </p>
          ) : (
            <table className="ranking">
              <thead>
                <tr>
                  <th scope="col">Cluster</th>
                  <th scope="col">Last heartbeat</th>
                  <th scope="col">Not yet published</th>
                  <th scope="col">Ready nodes</th>
                </tr>
              </thead>
              <tbody>
                {items.map((cluster) => (
                  <Row key={cluster.clusterId} cluster={cluster} window={window} filters={filters} />
                ))}
              </tbody>
            </table>
          )
        }
      </Told>
    </Card>
  );
}

function baseText({ items, lagSeconds }: Clusters): string | undefined {
  if (items.length === 0) return undefined;
  return `As the latest heartbeat of each agent says. What this Lookout stored last was ${lasting(lagSeconds)} old.`;
}

function Row({ cluster, window, filters }: { cluster: Cluster } & Props) {
  const name = visibleLine(cluster.cluster || cluster.clusterId);
  const search = window && jobsBehind(window, filters, withValue("cluster", cluster.cluster));
  return (
    <tr>
      <th scope="row">{search === undefined ? name : <JobsLink search={search}>{name}</JobsLink>}</th>
      <td>
        <Heartbeat at={cluster.sentAt} />
      </td>
      <td>
        {counted(cluster.unacknowledged)} {cluster.unacknowledged === 1 ? "event" : "events"}
      </td>
      <td>
        {counted(cluster.readyNodes)} of {counted(cluster.nodes)}
      </td>
    </tr>
  );
}

function Heartbeat({ at }: { at: string | null }) {
  const now = useContext(Now);
  if (at === null) return <span className="nothing">none yet</span>;
  if (now - Date.parse(at) <= PATIENCE) return <When at={at} />;
  return (
    <strong className="silent">
      silent, <When at={at} />
    </strong>
  );
}
