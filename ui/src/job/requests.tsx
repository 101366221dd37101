import { Title } from "@mantine/core";

import { visibleLine } from "../text/visible";
import { When } from "../text/when";
import type { JobHistory } from "./queries";
import { personOf } from "./who";
import { keyed } from "./words";

/** What people asked of a job, the latest first. */
export function Requests({ requests }: { requests: JobHistory["requests"] }) {
  if (requests.length === 0) return null;
  return (
    <section aria-labelledby="requests">
      <Title order={2} size="h4" id="requests">
        What people asked
      </Title>
      <ul className="list">
        {keyed([...requests].reverse(), (request) => `${request.at} ${request.kind}`).map(([key, request]) => (
          <li key={key}>
            <When at={request.at} />: <strong>{visibleLine(request.kind)}</strong> by{" "}
            {visibleLine(personOf(request.by))}
            {request.reason !== "" && `, because: ${visibleLine(request.reason)}`}
            {request.refused !== "" && `. It had no effect: ${visibleLine(request.refused)}`}
          </li>
        ))}
      </ul>
    </section>
  );
}
