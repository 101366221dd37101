import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";

import { visibleLine } from "../text/visible";
import { type Asked, ask, type Request } from "./ask";
import { wouldOf } from "./outcome";
import { JOB } from "./queries";
import { NotTold, Told } from "./told";
import { keepName, lastName } from "./who";
import { WhoField } from "./who-field";

/** What the scheduler takes. */
const LONGEST_REASON = 1_000;

interface SureProps {
  readonly request: Request;
  readonly jobId: string;
  readonly onEnd: (asked?: Asked) => void;
}

/** What would happen; then it can be asked for. */
export function Sure({ request, jobId, onEnd }: SureProps) {
  const trial = useQuery({
    queryKey: [JOB, "dry run", request.name, jobId],
    queryFn: () => ask(request, { jobIds: [jobId], dryRun: true }),
    retry: false,
    gcTime: 0,
  });
  return (
    <section className="asked" aria-label={request.title}>
      <Told query={trial} what="what would happen">
        {(would) => (
          <Stack gap="sm" maw={560}>
            <Text>
              <strong>{request.title}:</strong> {visibleLine(wouldOf(request.name, would, "would"))}
            </Text>
            {would.outcome === "REQUEST_OUTCOME_DONE" ? (
              <AskingForm request={request} jobId={jobId} onEnd={onEnd} />
            ) : (
              <Group>
                <Leave onEnd={onEnd} />
              </Group>
            )}
          </Stack>
        )}
      </Told>
      {trial.isError && <Leave onEnd={onEnd} />}
    </section>
  );
}

function AskingForm({ request, jobId, onEnd }: SureProps) {
  const [reason, setReason] = useState("");
  const [name, setName] = useState(lastName);
  const queries = useQueryClient();
  const asked = useMutation({
    mutationFn: () => ask(request, { jobIds: [jobId], reason, dryRun: false }, name),
    onSuccess: (answer) => {
      keepName(name);
      onEnd(answer);
      return queries.invalidateQueries({ queryKey: [JOB] });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    asked.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <TextInput
          label="Why (kept with the job)"
          maxLength={LONGEST_REASON}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        <WhoField name={name} onName={setName} />
        <Group gap="xs">
          <Button type="submit" size="xs" variant="outline" loading={asked.isPending}>
            {request.title} now
          </Button>
          <Leave onEnd={onEnd} />
        </Group>
        {asked.isError && <NotTold error={asked.error} what="this" />}
      </Stack>
    </form>
  );
}

function Leave({ onEnd }: { onEnd: () => void }) {
  return (
    <Button size="xs" variant="default" onClick={() => onEnd()}>
      Leave it
    </Button>
  );
}
