import { Button, Popover, Stack, TextInput } from "@mantine/core";
import { useState } from "react";

import { withValues } from "../url/search";
import { keepOwnName, ownName } from "./mine";
import type { View } from "./view";

type Props = Pick<View, "search" | "onSearch">;

/** The jobs of the person who looks: one click, once the name is known. */
export function MyJobs({ search, onSearch }: Props) {
  const [name, setName] = useState(ownName);
  const [asking, setAsking] = useState(false);
  const isOn = name !== undefined && search.owner?.length === 1 && search.owner[0] === name;
  const show = (owner: string) => onSearch(withValues(search, "owner", [owner]));
  const toggle = () => {
    if (name === undefined) setAsking(true);
    else if (isOn) onSearch(withValues(search, "owner", []));
    else show(name);
  };
  const learn = (owner: string) => {
    keepOwnName(owner);
    setName(owner);
    setAsking(false);
    show(owner);
  };
  return (
    <Popover opened={asking} onChange={setAsking} trapFocus position="bottom-start" withArrow>
      <Popover.Target>
        <Button.Group>
          <Button
            size="compact-sm"
            variant={isOn ? "filled" : "default"}
            aria-pressed={isOn}
            aria-keyshortcuts="m"
            onClick={toggle}
          >
            My jobs
          </Button>
          {name !== undefined && (
            <Button size="compact-sm" variant="default" aria-label="Change my name" onClick={() => setAsking(true)}>
              <span aria-hidden>✎</span>
            </Button>
          )}
        </Button.Group>
      </Popover.Target>
      <Popover.Dropdown>
        <NameForm name={name ?? ""} onName={learn} />
      </Popover.Dropdown>
    </Popover>
  );
}

function NameForm({ name, onName }: { name: string; onName: (name: string) => void }) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const typed = String(new FormData(event.currentTarget).get("owner")).trim();
        if (typed !== "") onName(typed);
      }}
    >
      <Stack gap="xs">
        <TextInput
          name="owner"
          label="Your name as an owner of jobs"
          description="It stays in this browser, and in links to your jobs."
          defaultValue={name}
        />
        <Button type="submit" size="xs">
          Show my jobs
        </Button>
      </Stack>
    </form>
  );
}
