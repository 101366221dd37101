import { Button, Group, Text } from "@mantine/core";
import { useRef, useState } from "react";

import { visibleLine } from "../text/visible";
import { type Asked, REQUESTS, type Request } from "./ask";
import { wouldOf } from "./outcome";
import { useScheduler } from "./scheduler";
import { Sure } from "./sure";

/** Retry, never retry and cancel: what the scheduler would do is shown before it is asked to. */
export function Asking({ jobId }: { jobId: string }) {
  const [chosen, setChosen] = useState<Request>();
  const [done, setDone] = useState("");
  const buttons = useRef<HTMLDivElement>(null);
  const hasScheduler = useScheduler();
  if (hasScheduler === undefined) return null;
  if (!hasScheduler) {
    return (
      <Text size="sm" c="dimmed">
        To retry or cancel jobs from here, set api.scheduler in Lookout's settings; failctl does it too.
      </Text>
    );
  }
  const finish = (request: Request, asked?: Asked) => {
    setDone(asked === undefined ? "" : wouldOf(request.name, asked, "did"));
    setChosen(undefined);
    buttons.current?.querySelector<HTMLElement>("[aria-expanded=true]")?.focus();
  };
  return (
    <div>
      <Group gap="xs" role="group" aria-label="Ask the scheduler" ref={buttons}>
        {REQUESTS.map((request) => (
          <Button
            key={request.name}
            size="xs"
            variant="default"
            title={request.help}
            aria-expanded={request === chosen}
            onClick={() => setChosen(request === chosen ? undefined : request)}
          >
            {request.title}
          </Button>
        ))}
      </Group>
      {chosen !== undefined && (
        <Sure key={chosen.name} request={chosen} jobId={jobId} onEnd={(asked) => finish(chosen, asked)} />
      )}
      <div role="status">{done !== "" && <p className="said">{visibleLine(done)}</p>}</div>
    </div>
  );
}
