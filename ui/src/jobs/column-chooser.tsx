import { Button, Checkbox, Popover, Stack } from "@mantine/core";

import { firstOf, type Search, withValues } from "../url/search";
import { COLUMNS, columnsOf, USUAL } from "./columns";

interface Props {
  readonly search: Search;
  readonly onSearch: (search: Search) => void;
}

/** Which columns the table has. */
export function ColumnChooser({ search, onSearch }: Props) {
  const shown = columnsOf(firstOf(search, "columns")).map((column) => column.id);
  const choose = (ids: readonly string[]) => {
    const ordered = COLUMNS.map((column) => column.id).filter((id) => ids.includes(id));
    const isUsual = ordered.join() === USUAL.join();
    onSearch(withValues(search, "columns", isUsual || ordered.length === 0 ? [] : [ordered.join(",")]));
  };
  return (
    <Popover position="bottom-end" trapFocus withArrow>
      <Popover.Target>
        <Button size="compact-sm" variant="default">
          Columns
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Checkbox.Group label="Columns" value={shown} onChange={choose}>
          <Stack gap={6} mt="xs">
            {COLUMNS.map((column) => (
              <Checkbox key={column.id} size="xs" value={column.id} label={column.title} />
            ))}
          </Stack>
        </Checkbox.Group>
        <Button mt="sm" size="compact-xs" variant="default" onClick={() => choose(USUAL)}>
          The usual ones
        </Button>
      </Popover.Dropdown>
    </Popover>
  );
}
