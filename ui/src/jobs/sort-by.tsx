import { Select } from "@mantine/core";

import { type Search, withValues } from "../url/search";

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

interface Props {
  readonly query: Search;
  readonly search: Search;
  readonly onSearch: (search: Search) => void;
}

/** The order, also where the table has no headings. */
export function SortBy({ query, search, onSearch }: Props) {
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
