import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { Refused } from "../api/refused";
import { visibleLine } from "../text/visible";
import { type Asked, ask, REQUESTS, type Request } from "./ask";
import { wouldOf } from "./outcome";
import { JOB, jobStanding } from "./queries";
import { NotTold, Told } from "./told";

/** Retry, never retry and cancel: what the scheduler would do is shown before it is asked to. */
export function Asking({ jobId }: { jobId: string }) {
  const [chosen, setChosen] = useState<Request>();
  const [done, setDone] = useState<Asked>();
  const standing = useQuery(jobStanding(jobId));
  if (standing.error instanceof Refused && standing.error.problem.code === "no-scheduler") {
    return (
      <Text size="sm" c="dimmed">
        To retry or cancel jobs from here, set api.scheduler in Lookout's settings; failctl does it too.
      </Text>
    );
  }
  const finish = (asked?: Asked) => {
    setDone(asked);
    setChosen(undefined);
  };
  return (
    <div>
      <Group gap="xs" role="group" aria-label="Ask the scheduler">
        {REQUESTS.map((request) => (
          <Button
            key={request.name}
            size="xs"
            variant="default"
            aria-expanded={request === chosen}
            onClick={() => setChosen(request === chosen ? undefined : request)}
          >
            {request.title}
          </Button>
        ))}
      </Group>
      {chosen !== undefined && <Sure key={chosen.name} request={chosen} jobId={jobId} onEnd={finish} />}
      <div role="status">{done !== undefined && <p className="said">{visibleLine(wouldOf(done, "did"))}</p>}</div>
    </div>
  );
}

interface SureProps {
  readonly request: Request;
  readonly jobId: string;
  readonly onEnd: (asked?: Asked) => void;
}

/** What would happen; then it can be asked for. */
function Sure({ request, jobId, onEnd }: SureProps) {
  const [reason, setReason] = useState("");
  const queries = useQueryClient();
  const trial = useQuery({
    queryKey: [JOB, "dry run", request.name, jobId],
    queryFn: () => ask(request, { jobIds: [jobId], dryRun: true }),
    retry: false,
    gcTime: 0,
  });
  const asked = useMutation({
    mutationFn: () => ask(request, { jobIds: [jobId], reason, dryRun: false }),
    onSuccess: (answer) => {
      onEnd(answer);
      return queries.invalidateQueries({ queryKey: [JOB] });
    },
  });
  return (
    <section className="asked" aria-label={request.title}>
      <Told query={trial} what="what would happen">
        {(would) => (
          <Stack gap="sm" maw={560}>
            <Text>
              <strong>{request.title}:</strong> {visibleLine(wouldOf(would, "would"))}
            </Text>
            {would.outcome === "REQUEST_OUTCOME_DONE" && (
              <TextInput
                label="Why (kept with the job)"
                value={reason}
                onChange={(event) => setReason(event.currentTarget.value)}
              />
            )}
            <Group gap="xs">
              {would.outcome === "REQUEST_OUTCOME_DONE" && (
                <Button size="xs" variant="outline" loading={asked.isPending} onClick={() => asked.mutate()}>
                  {request.title} now
                </Button>
              )}
              <Button size="xs" variant="default" onClick={() => onEnd()}>
                Leave it
              </Button>
            </Group>
          </Stack>
        )}
      </Told>
      {asked.isError && <NotTold error={asked.error} what="this" />}
    </section>
  );
}
