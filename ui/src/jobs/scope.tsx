import { Button, Group } from "@mantine/core";

import { capital } from "../job/words";
import { withValues } from "../url/search";
import type { View } from "./view";
import { stateText } from "./words";

const SCOPES = ["any-failure", "still-failed", "recovered", "waiting"] as const;

type Props = Pick<View, "search" | "onSearch">;

/** Which jobs at all: those of which any run failed, those that did not recover, those that did. */
export function Scope({ search, onSearch }: Props) {
  const states = search.state ?? [];
  const choose = (values: readonly string[]) => onSearch(withValues(search, "state", values));
  return (
    <Group gap={6} role="group" className="scopes" aria-label="Which jobs">
      <Choice text="All jobs" isOn={states.length === 0} onClick={() => choose([])} />
      {SCOPES.map((state) => (
        <Choice
          key={state}
          text={capital(stateText(state))}
          isOn={states.length === 1 && states[0] === state}
          onClick={() => choose([state])}
        />
      ))}
    </Group>
  );
}

function Choice({ text, isOn, onClick }: { text: string; isOn: boolean; onClick: () => void }) {
  return (
    <Button size="compact-sm" variant={isOn ? "filled" : "default"} aria-pressed={isOn} onClick={onClick}>
      {text}
    </Button>
  );
}
