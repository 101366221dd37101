import { Alert, Button, Group, Skeleton, Stack, Text } from "@mantine/core";

import { Refused } from "../api/refused";
import { visibleLine } from "../text/visible";
import { partsOf } from "./filterable";
import type { Ignored } from "./parameters";
import { columnText } from "./words";

/** Until the first rows are there. */
export function Loading() {
  return (
    <Stack gap="xs" role="status" aria-label="Jobs are loaded">
      {[0, 1, 2, 3, 4, 5].map((row) => (
        <Skeleton key={row} height={44} />
      ))}
    </Stack>
  );
}

interface NothingProps {
  readonly filters: readonly string[];
  readonly since: boolean;
  /** Whether jobs were counted, which without a time are those of the last day. */
  readonly isCounted?: boolean;
  readonly onDrop: Drop;
}

/** No job fits: says what to leave out. */
export function Nothing({ filters, since, isCounted = false, onDrop }: NothingProps) {
  if (filters.length === 0 && !since) {
    return (
      <Text role="status">
        {isCounted
          ? "No job was first heard of in the last 24 hours. Choose a longer time, or leave the groups out."
          : "Lookout has stored no job yet. Jobs appear here when an agent or a scheduler reports them."}
      </Text>
    );
  }
  return (
    <Stack gap="xs" role="status">
      <Text>No job fits all of this. Leave one out:</Text>
      <Group gap="xs">
        {[...filters, ...(since ? ["since"] : [])].map((name) => (
          <Button key={name} size="compact-sm" variant="default" onClick={() => onDrop(name)}>
            {name === "since" ? "any time" : `without ${columnText(partsOf(name)[0])}`}
          </Button>
        ))}
      </Group>
    </Stack>
  );
}

const UNREACHED = "Is it running, and can this browser reach it? Nothing is lost meanwhile.";

type Drop = (name: string) => void;

interface FailedProps {
  readonly error: Error;
  readonly onRetry: () => void;
  readonly onDrop: Drop;
  /** Asks for the last day only, where that would help. */
  readonly onRecent?: () => void;
}

/** What went wrong, in the words of the API, and what to do about it. */
export function Failed({ error, onRetry, onDrop, onRecent }: FailedProps) {
  const problem = error instanceof Refused ? error.problem : undefined;
  const faults = problem?.errors ?? [];
  return (
    <Alert color="red" variant="outline" title={problem?.title ?? "Lookout does not answer"} role="alert">
      <Stack gap="xs" align="flex-start">
        {faults.length === 0 && <span>{problem?.detail ?? UNREACHED}</span>}
        {faults.map((fault) => (
          <div key={`${fault.parameter} ${fault.message}`}>
            {visibleLine([fault.parameter, fault.message].filter(Boolean).join(": "))}
            {fault.fix ? `; ${visibleLine(fault.fix)}` : ""}{" "}
            {fault.parameter && (
              <Button size="compact-xs" variant="default" onClick={() => onDrop(fault.parameter ?? "")}>
                Leave it out
              </Button>
            )}
          </div>
        ))}
        <Group gap="xs">
          {problem?.code === "too-slow" && onRecent !== undefined && (
            <Button size="compact-sm" variant="default" onClick={onRecent}>
              Only the last 24 hours
            </Button>
          )}
          <Button size="compact-sm" variant="default" onClick={onRetry}>
            Ask again
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}

/** What of the address made no sense. */
export function IgnoredParts({ parts, onDrop }: { parts: readonly Ignored[]; onDrop: () => void }) {
  if (parts.length === 0) return null;
  return (
    <Alert variant="outline" title="A part of the address was ignored" role="status">
      <Stack gap={4} align="flex-start">
        {parts.slice(0, 5).map((part) => (
          <span key={part.text}>
            <code>{visibleLine(part.text).slice(0, 100)}</code>: {part.why}
          </span>
        ))}
        {parts.length > 5 && <span>and {parts.length - 5} more</span>}
        <Button size="compact-xs" variant="default" onClick={onDrop}>
          Take it out of the address
        </Button>
      </Stack>
    </Alert>
  );
}
