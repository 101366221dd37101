import { MultiSelect } from "@mantine/core";

import { DEEPEST, GROUPINGS, groupingsOf, withGroupings } from "./groups";
import type { View } from "./view";
import { columnText } from "./words";

type Props = Pick<View, "search" | "onSearch">;

/** By which columns jobs are grouped, the outermost first. */
export function GroupBy({ search, onSearch }: Props) {
  const by = groupingsOf(search);
  return (
    <MultiSelect
      size="xs"
      label="Group by, then by"
      placeholder={by.length === 0 ? "no groups" : ""}
      data={GROUPINGS.map((name) => ({ value: name, label: columnText(name) }))}
      value={[...by]}
      maxValues={DEEPEST}
      onChange={(by) => onSearch(withGroupings(search, by))}
    />
  );
}
