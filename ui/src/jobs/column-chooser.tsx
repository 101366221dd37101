import { Button, Checkbox, Group, Popover, Stack } from "@mantine/core";

import { COLUMNS, columnsOf, layoutOf, USUAL, withLayout } from "./columns";
import { moved, type Placed, switched } from "./layout";
import type { View } from "./view";

type Props = Pick<View, "search" | "onSearch">;

/** Which columns the table has, and in which order. */
export function ColumnChooser({ search, onSearch }: Props) {
  return (
    <Popover position="bottom-end" trapFocus withArrow>
      <Popover.Target>
        <Button size="compact-sm" variant="default">
          Columns
        </Button>
      </Popover.Target>
      <Popover.Dropdown className="columns" aria-label="Columns">
        <Choice layout={layoutOf(search)} onLayout={(layout) => onSearch(withLayout(search, layout))} />
      </Popover.Dropdown>
    </Popover>
  );
}

function Choice({ layout, onLayout }: { layout: readonly Placed[]; onLayout: (layout: readonly Placed[]) => void }) {
  const shown = columnsOf(layout);
  const others = COLUMNS.filter((column) => !layout.some(({ id }) => id === column.id));
  const toggle = (id: string) => onLayout(switched(layout, id));
  return (
    <Stack gap={6}>
      {shown.map((column, at) => (
        <Group key={column.id} justify="space-between" wrap="nowrap" gap="lg">
          <Checkbox size="xs" checked onChange={() => toggle(column.id)} label={column.title} />
          <Group gap={4} wrap="nowrap">
            <Move
              text={`Move ${column.title} towards the beginning`}
              sign="↑"
              isEnd={at === 0}
              onClick={() => onLayout(moved(layout, column.id, -1))}
            />
            <Move
              text={`Move ${column.title} towards the end`}
              sign="↓"
              isEnd={at === shown.length - 1}
              onClick={() => onLayout(moved(layout, column.id, 1))}
            />
          </Group>
        </Group>
      ))}
      {others.map((column) => (
        <Checkbox key={column.id} size="xs" checked={false} onChange={() => toggle(column.id)} label={column.title} />
      ))}
      <Button size="compact-xs" variant="default" onClick={() => onLayout(USUAL)}>
        The usual ones
      </Button>
    </Stack>
  );
}

function Move({ text, sign, isEnd, onClick }: { text: string; sign: string; isEnd: boolean; onClick: () => void }) {
  // One that is disabled would lose the focus, so that a column could not be moved on by the keyboard.
  return (
    <button type="button" className="move" aria-label={text} aria-disabled={isEnd} onClick={onClick}>
      <span aria-hidden>{sign}</span>
    </button>
  );
}
