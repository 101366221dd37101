import { Button, Group, Popover, Stack } from "@mantine/core";
import { useState } from "react";

import { Active } from "./active";
import { ColumnChooser } from "./column-chooser";
import { CopyButton } from "./copy-button";
import { Fields } from "./fields";
import { FilterForm } from "./filter-form";
import { MyJobs } from "./my-jobs";
import { Scope } from "./scope";
import type { View } from "./view";

/** Which jobs are shown. */
export function Filters(view: View) {
  const [isOpen, setOpen] = useState(() => window.matchMedia("(min-width: 900px)").matches);
  return (
    <Stack gap="xs" component="section" aria-label="Filters">
      <Group gap="xs" className="choices">
        <Scope {...view} />
        <MyJobs {...view} />
        <Button
          size="compact-sm"
          variant="default"
          className="fewer"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? "Fewer filters" : "More filters"}
        </Button>
        <AddFilter {...view} />
        <ColumnChooser {...view} />
        <CopyButton text={() => window.location.href} label="Copy link" done="Link copied" />
      </Group>
      {isOpen && <Fields {...view} />}
      <Active {...view} />
    </Stack>
  );
}

function AddFilter(view: View) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Popover opened={isOpen} onChange={setOpen} trapFocus withArrow position="bottom-start">
      <Popover.Target>
        <Button size="compact-sm" variant="default" aria-keyshortcuts="f" onClick={() => setOpen(!isOpen)}>
          Add a filter
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <FilterForm {...view} onDone={() => setOpen(false)} />
      </Popover.Dropdown>
    </Popover>
  );
}
