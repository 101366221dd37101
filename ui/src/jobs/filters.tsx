import { Button, Group, Pill, Stack } from "@mantine/core";
import { useState } from "react";

import { visibleLine } from "../text/visible";
import { type Search, toggled, withValues } from "../url/search";
import { ColumnChooser } from "./column-chooser";
import { Fields } from "./fields";
import { MyJobs } from "./my-jobs";
import { Scope } from "./scope";
import { filterText } from "./words";

interface Props {
  readonly query: Search;
  readonly search: Search;
  readonly onSearch: (search: Search) => void;
}

/** Which jobs are shown. */
export function Filters({ query, search, onSearch }: Props) {
  const [isOpen, setOpen] = useState(() => window.matchMedia("(min-width: 900px)").matches);
  return (
    <Stack gap="xs" component="section" aria-label="Filters">
      <Group gap="xs">
        <Scope search={search} onSearch={onSearch} />
        <MyJobs search={search} onSearch={onSearch} />
        <Button size="compact-sm" variant="default" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Fewer filters" : "More filters"}
        </Button>
        <ColumnChooser search={search} onSearch={onSearch} />
      </Group>
      {isOpen && <Fields query={query} search={search} onSearch={onSearch} />}
      <Active query={query} search={search} onSearch={onSearch} />
    </Stack>
  );
}

/** Every filter in words, those without a field of their own too; each can be taken away. */
function Active({ query, search, onSearch }: Props) {
  const filters = Object.entries(query).filter(([name]) => name !== "sort");
  if (filters.length === 0) return null;
  const clear = () => onSearch(filters.reduce((search, [name]) => withValues(search, name, []), search));
  return (
    <Group gap={6} role="group" className="active" aria-label="Filters that are on">
      {filters.flatMap(([name, values]) =>
        values.map((value) => (
          <Pill
            key={`${name}=${value}`}
            withRemoveButton
            removeButtonProps={{ "aria-label": `Remove ${filterText(name, value)}`, "aria-hidden": false, tabIndex: 0 }}
            onRemove={() => onSearch(toggled(search, name, value))}
          >
            {visibleLine(filterText(name, value))}
          </Pill>
        )),
      )}
      <Button size="compact-xs" variant="default" onClick={clear}>
        Clear all
      </Button>
    </Group>
  );
}
