import { Select, TextInput } from "@mantine/core";
import { useState } from "react";

import { fieldOf, momentOf, zoneHere } from "../text/times";
import { firstOf, type Search, withValues } from "../url/search";

const RANGES = [
  { value: "any", label: "any time" },
  { value: "1h", label: "the last hour" },
  { value: "24h", label: "the last 24 hours" },
  { value: "7d", label: "the last 7 days" },
  { value: "30d", label: "the last 30 days" },
  { value: "custom", label: "from … until …" },
];

interface Props {
  readonly search: Search;
  readonly onSearch: (search: Search) => void;
}

/** When a job was first heard of. */
export function TimeRange({ search, onSearch }: Props) {
  const chosen = rangeOf(search);
  const [isOpen, setOpen] = useState(false);
  const isCustom = isOpen || chosen === "custom";
  const choose = (range: string | null) => {
    setOpen(range === "custom");
    if (range !== "custom") onSearch(withBounds(search, range === "any" || range === null ? undefined : range));
  };
  return (
    <>
      <Select
        size="xs"
        label="First heard of in"
        data={RANGES}
        value={isCustom ? "custom" : chosen}
        allowDeselect={false}
        onChange={choose}
      />
      {isCustom && (
        <>
          <Bound name="since" label="From" search={search} onSearch={onSearch} />
          <Bound name="until" label="Until" search={search} onSearch={onSearch} />
        </>
      )}
    </>
  );
}

function rangeOf(search: Search): string {
  const since = firstOf(search, "since");
  if (since === undefined && !("until" in search)) return "any";
  return RANGES.some((range) => range.value === since) && !("until" in search) ? (since ?? "any") : "custom";
}

function withBounds(search: Search, since: string | undefined): Search {
  return withValues(withValues(search, "until", []), "since", since === undefined ? [] : [since]);
}

/** One end of the range, in the zone of this browser; the address has it in UTC. */
function Bound({ name, label, search, onSearch }: Props & { name: string; label: string }) {
  const [field, setField] = useState(fieldOf(firstOf(search, name) ?? ""));
  return (
    <TextInput
      size="xs"
      type="datetime-local"
      label={`${label} (${zoneHere()})`}
      value={field}
      onChange={(event) => setField(event.currentTarget.value)}
      onBlur={() => {
        const moment = momentOf(field);
        onSearch(withValues(search, name, moment === undefined ? [] : [moment]));
      }}
    />
  );
}
