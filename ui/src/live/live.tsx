import { Button, Group, Text } from "@mantine/core";
import { useIsFetching, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";

import { When } from "../text/when";
import { type Source, type Surroundings, watchChanges } from "./changes";

const browser: Surroundings = {
  open: (address) => new EventSource(address) as Source,
  later: (call, milliseconds) => {
    const timer = setTimeout(call, milliseconds);
    return () => clearTimeout(timer);
  },
  random: Math.random,
};

interface Props {
  /** How the questions of the page begin. */
  readonly scope: string;
  /** What has to change; without it, anything. */
  readonly of?: string;
  /** How many milliseconds a change may wait for others. */
  readonly rest?: number;
  /** After how many milliseconds the page is asked for anyway; without it, only after changes. */
  readonly idle?: number;
}

/** Keeps what a page shows up to date, says how old it is, and can be stopped. */
export function Live({ scope, of = "all", rest = 0, idle }: Props) {
  const queries = useQueryClient();
  const [isPaused, setPaused] = useState(false);
  const [isConnected, setConnected] = useState(true);
  const updatedAt = useUpdatedAt(scope);
  const isSeen = useIsSeen();
  const wasHidden = useRef(false);

  useEffect(() => {
    // A browser has few connections to a server: pages that nobody sees, in other tabs, leave them to those that are seen.
    if (!isSeen) wasHidden.current = true;
    if (isPaused || !isSeen) return;
    // An answer that is under way is waited for: a page that is asked for every second would never come to an end.
    const onChange = () => queries.invalidateQueries({ queryKey: [scope] }, { cancelRefetch: false });
    if (wasHidden.current) onChange();
    wasHidden.current = false;
    const timer = idle === undefined ? undefined : setInterval(onChange, idle);
    const stop = watchChanges(browser, { of, rest, onChange, onConnected: setConnected });
    return () => {
      clearInterval(timer);
      stop();
    };
  }, [queries, scope, of, rest, idle, isPaused, isSeen]);

  const resume = () => {
    if (isPaused) queries.invalidateQueries({ queryKey: [scope] });
    setPaused(!isPaused);
  };
  return (
    <Group gap="xs">
      <Text size="sm" c="dimmed">
        {!isPaused && !isConnected && "Not live: Lookout does not answer. "}
        {updatedAt !== undefined && (
          <>
            Updated <When at={updatedAt} />
          </>
        )}
      </Text>
      <Button size="compact-xs" variant="default" aria-pressed={isPaused} onClick={resume}>
        {isPaused ? "Go on" : "Pause"}
      </Button>
    </Group>
  );
}

/** Whether anybody can see the page: it is neither in another tab nor minimised. */
function useIsSeen(): boolean {
  return useSyncExternalStore(watchVisibility, () => document.visibilityState === "visible");
}

function watchVisibility(onChange: () => void): () => void {
  document.addEventListener("visibilitychange", onChange);
  return () => document.removeEventListener("visibilitychange", onChange);
}

/** When the newest of the answers that are shown came. */
function useUpdatedAt(scope: string): string | undefined {
  useIsFetching({ queryKey: [scope] });
  const queries = useQueryClient();
  const times = queries
    .getQueryCache()
    .findAll({ queryKey: [scope], type: "active" })
    .map((query) => query.state.dataUpdatedAt);
  const newest = Math.max(0, ...times);
  return newest === 0 ? undefined : new Date(newest).toISOString();
}
