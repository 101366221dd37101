import { visibleLine } from "../text/visible";
import { When } from "../text/when";
import type { Info } from "./queries";
import { Rows } from "./rows";

type PodEvent = NonNullable<Info["events"]>[number];

/** Events about the pod: warnings in sight, others on demand. */
export function Events({ info }: { info: Info }) {
  const events = info.events ?? [];
  const warnings = events.filter((event) => event.type === "Warning");
  const others = events.filter((event) => event.type !== "Warning");
  return (
    <>
      <EventRows events={warnings} empty="There were none about this pod." />
      {others.length > 0 && (
        <details>
          <summary>Other events ({others.length})</summary>
          <EventRows events={others} empty="" />
        </details>
      )}
      {(info.eventsLeftOut ?? 0) > 0 && <p className="said">{info.eventsLeftOut} more events were left out.</p>}
    </>
  );
}

function EventRows({ events, empty }: { events: readonly PodEvent[]; empty: string }) {
  return (
    <Rows
      what="events"
      titles={["Event", "Message", "Seen", "From", "Last"]}
      empty={empty}
      rows={events.map((event) => [
        visibleLine(event.reason ?? ""),
        visibleLine(event.message ?? ""),
        `${event.count ?? 1} ×`,
        visibleLine(event.component ?? ""),
        <When key="last" at={event.lastTime} />,
      ])}
    />
  );
}
