import { Alert, Button, Skeleton, Stack } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";

import type { Problem } from "../api/client";
import { Refused } from "../api/refused";
import { visible } from "../text/visible";
import { meantIn } from "./meant";
import { MeantList } from "./meant-list";
import { sentence } from "./words";

interface ToldProps<Data> {
  readonly query: UseQueryResult<Data>;
  readonly what: string;
  /** The id that was asked for, where it may be that of something else. */
  readonly id?: string;
  readonly children: (data: Data) => ReactNode;
}

/** What was asked for; until it is there, or if it cannot be had, what people can do. */
export function Told<Data>({ query, what, id = "", children }: ToldProps<Data>) {
  if (query.data !== undefined) return children(query.data);
  if (query.isError) return <NotTold error={query.error} what={what} id={id} onAgain={() => query.refetch()} />;
  return (
    <Stack role="status" aria-label={`Reading ${what}`} gap="xs">
      <Skeleton height={28} width="60%" />
      <Skeleton height={90} />
      <Skeleton height={160} />
    </Stack>
  );
}

/** What a problem says, and where the rest of the page comes from if the scheduler does not answer. */
function said(problem: Problem): string {
  const detail = sentence(visible(problem.detail));
  if (!UNREACHABLE.has(problem.code)) return detail;
  return `${detail} Lookout asks the scheduler for this; all else on this page is its own.`;
}

const UNREACHABLE = new Set(["scheduler-unavailable", "scheduler-deadline-exceeded"]);

/** The status of what is wrong however often it is asked. */
const WRONG = 400;

interface NotToldProps {
  readonly error: Error;
  readonly what: string;
  readonly id?: string;
  readonly onAgain?: () => void;
}

/** Why something could not be had or done, as the API says it. */
export function NotTold({ error, what, id = "", onAgain }: NotToldProps) {
  const problem = error instanceof Refused ? error.problem : undefined;
  const meant = meantIn(error);
  if (meant.length > 0) {
    return (
      <Alert color="ours" variant="outline" title={problem?.title}>
        <MeantList id={id} meant={meant} />
      </Alert>
    );
  }
  return (
    <Alert color="red" variant="outline" title={problem?.title ?? `Lookout could not be asked for ${what}`}>
      <Stack gap="xs" align="flex-start">
        <span>
          {problem === undefined ? "Is it running, and is this machine online? What it said:" : said(problem)}
        </span>
        {problem === undefined && <span>{error.message}</span>}
        {onAgain !== undefined && problem?.status !== WRONG && (
          <Button size="xs" variant="default" onClick={onAgain}>
            Ask again
          </Button>
        )}
      </Stack>
    </Alert>
  );
}
