import { Autocomplete, Button, Group, NativeSelect, Stack, Text, Textarea } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useRef, useState } from "react";

import { api } from "../api/client";
import { answered } from "../api/refused";
import { correctionOf, type Filled, type NewCorrection, nearOf, type Origin } from "./correction";
import { JOB, runHistory } from "./queries";
import { reportsOf } from "./reports";
import { NotTold } from "./told";
import { headersOf, keepName, lastName } from "./who";
import { WhoField } from "./who-field";

const EMPTY: Filled = { leaf: "", origin: "unknown", retryable: "", reason: "" };
const ORIGINS = [
  { value: "infra", label: "infra: hardware, node, network, storage" },
  { value: "platform", label: "platform: cluster software or policy" },
  { value: "user", label: "user: job, image, code or data" },
  { value: "unknown", label: "unknown" },
];
const RETRYABLE = [
  { value: "", label: "not known" },
  { value: "yes", label: "yes, it may succeed" },
  { value: "no", label: "no, it cannot" },
];

interface Props {
  readonly runId: string;
  /** The event of the failure whose category stands beside this. */
  readonly failureId: string;
}

/** People who know better say what a failure was. It changes no verdict; rules are judged by it. */
export function Correcting({ runId, failureId }: Props) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const queries = useQueryClient();
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  const posted = useMutation({
    mutationFn: async ({ body, name }: Posting) =>
      answered(await api.POST("/api/v1/corrections", { body, headers: headersOf(name) })),
    onSuccess: (_, { name }) => {
      keepName(name);
      close();
      return queries.invalidateQueries({ queryKey: [JOB] });
    },
  });
  return (
    <div className="correcting">
      <Button ref={button} size="compact-xs" variant="default" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Wrong category?
      </Button>
      {isOpen && (
        <CorrectionForm {...{ runId, failureId }} isBusy={posted.isPending} onPost={posted.mutate} onClose={close} />
      )}
      <div role="status">
        {posted.isSuccess && !isOpen && (
          <p className="said">Thank you: it is kept, and listed on the page of the job.</p>
        )}
      </div>
      {posted.isError && isOpen && <NotTold error={posted.error} what="the correction" />}
    </div>
  );
}

/** What the API takes. */
const LONGEST_REASON = 1_000;

interface Posting {
  readonly body: NewCorrection;
  readonly name: string;
}

interface FormProps extends Props {
  readonly isBusy: boolean;
  readonly onPost: (posting: Posting) => void;
  readonly onClose: () => void;
}

function CorrectionForm({ runId, failureId, isBusy, onPost, onClose }: FormProps) {
  const { data: run } = useQuery(runHistory(runId));
  const [filled, setFilled] = useState(EMPTY);
  const [name, setName] = useState(lastName);
  const [wrong, setWrong] = useState("");
  const fill = (part: Partial<Filled>) => setFilled({ ...filled, ...part });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const correction = correctionOf(filled, failureId);
    if (typeof correction === "string") return setWrong(correction);
    setWrong("");
    onPost({ body: correction, name });
  };
  return (
    <form onSubmit={submit} aria-label="Wrong category?" className="asked">
      <Stack gap="sm" maw={560}>
        <Text size="sm">
          Say what it was. This changes neither the failure nor the verdict; rules are judged and improved by it.
        </Text>
        <Autocomplete
          label="Right category"
          description="CATEGORY or CATEGORY/SUBCATEGORY, such as memory/limit"
          data={nearOf(reportsOf(run?.failures ?? [], failureId)[0]?.info ?? {})}
          value={filled.leaf}
          error={wrong}
          onChange={(leaf) => fill({ leaf })}
        />
        <Choices filled={filled} onFill={fill} />
        <Textarea
          label="How one can see that"
          autosize
          value={filled.reason}
          maxLength={LONGEST_REASON}
          onChange={(event) => fill({ reason: event.currentTarget.value })}
        />
        <WhoField name={name} onName={setName} />
        <Group gap="xs">
          <Button type="submit" size="xs" variant="outline" loading={isBusy}>
            Keep the correction
          </Button>
          <Button size="xs" variant="default" onClick={onClose}>
            Leave it
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Choices({ filled, onFill }: { filled: Filled; onFill: (part: Partial<Filled>) => void }) {
  return (
    <>
      <NativeSelect
        label="Whose fault it was"
        data={ORIGINS}
        value={filled.origin}
        onChange={(event) => onFill({ origin: event.currentTarget.value as Origin })}
      />
      <NativeSelect
        label="May the unchanged job succeed when it runs again?"
        data={RETRYABLE}
        value={filled.retryable}
        onChange={(event) => onFill({ retryable: event.currentTarget.value as Filled["retryable"] })}
      />
    </>
  );
}
