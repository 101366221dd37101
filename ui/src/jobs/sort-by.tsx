import { Select } from "@mantine/core";

import { withValues } from "../url/search";
import type { View } from "./view";

const ORDERS = [
  { value: "-firstAt", label: "the newest first" },
  { value: "firstAt", label: "the oldest first" },
  { value: "queue", label: "queue, A to Z" },
  { value: "-queue", label: "queue, Z to A" },
  { value: "owner", label: "owner, A to Z" },
  { value: "-owner", label: "owner, Z to A" },
  { value: "jobSet", label: "job set, A to Z" },
  { value: "-jobSet", label: "job set, Z to A" },
];

/** The order, also where the table has no headings. */
export function SortBy({ query, search, onSearch }: View) {
  return (
    <Select
      size="xs"
      label="Sort by"
      data={ORDERS}
      value={query.sort?.[0] ?? "-firstAt"}
      allowDeselect={false}
      onChange={(order) => onSearch(withValues(search, "sort", order === null || order === "-firstAt" ? [] : [order]))}
    />
  );
}
