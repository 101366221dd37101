import { Alert, Button, Code, Group, List, Skeleton, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import { When } from "../text/when";
import { type Search, withValues } from "../url/search";
import { type View, WINDOWS, withWindow } from "./address";
import { latestJob } from "./queries";

interface Props {
  readonly view: View;
  readonly search: Search;
  readonly onSearch: (search: Search) => void;
}

/** No run ended: because nothing was stored yet, or because the window or the filters leave out what was. */
export function NothingEnded({ view, search, onSearch }: Props) {
  const latest = useQuery(latestJob());
  if (latest.isPending) return <Skeleton height={104} />;
  if (latest.data === null) return <NothingStored />;
  return (
    <Alert variant="outline" title="No run ended in this window" role="status">
      <Stack gap="xs" align="flex-start">
        <span>
          {latest.data && (
            <>
              The latest job that Lookout knows was first heard of <When at={latest.data.firstAt} />.{" "}
            </>
          )}
          Choose a longer window
          {Object.keys(view.filters).length > 0 && ", or leave a filter out"}:
        </span>
        <Group gap="xs">
          {WINDOWS.map(([since, name]) => (
            <Button
              key={since}
              size="compact-sm"
              variant="default"
              onClick={() => onSearch(withWindow(search, { since: [since] }, view.zone))}
            >
              {name}
            </Button>
          ))}
          {Object.keys(view.filters).map((name) => (
            <Button
              key={name}
              size="compact-sm"
              variant="default"
              onClick={() => onSearch(withValues(search, name, []))}
            >
              All {name}s
            </Button>
          ))}
        </Group>
        <Link className="behind" to="/jobs" search={{}}>
          All jobs, those that still run too
        </Link>
      </Stack>
    </Alert>
  );
}

/** A new Lookout: how it gets data. */
function NothingStored() {
  return (
    <Alert variant="outline" title="Lookout has not stored anything yet" role="status">
      <Stack gap="xs">
        <span>It reads what agents and schedulers publish, as soon as they do. If nothing appears here:</span>
        <List type="ordered" spacing="xs" className="steps">
          <List.Item>
            Start an agent in each cluster. It and this Lookout must have the same <Code>broker</Code> in their
            settings.
          </List.Item>
          <List.Item>
            Name Lookout in the settings of each agent: <Code>subscriptions: [scheduler, lookout]</Code>. The broker
            then keeps for it what it has not read.
          </List.Item>
          <List.Item>
            See which topics there are and what is stored: <Code>failctl lookout status --settings lookout.yaml</Code>
          </List.Item>
        </List>
        <span>
          To look round first, run <Code>failure-agent demo</Code>: it shows failures of two simulated clusters in a
          Lookout of its own.
        </span>
      </Stack>
    </Alert>
  );
}
