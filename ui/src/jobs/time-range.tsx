import { Select, TextInput } from "@mantine/core";
import { useState } from "react";

import { zoneHere } from "../text/times";
import { fieldIn, momentIn, zoneNames } from "../text/zones";
import { firstOf, type Search, withValues } from "../url/search";
import { zoneOf } from "./parameters";
import type { View } from "./view";
import { momentOfBound } from "./window";

const RANGES = [
  { value: "any", label: "any time" },
  { value: "1h", label: "the last hour" },
  { value: "24h", label: "the last 24 hours" },
  { value: "7d", label: "the last 7 days" },
  { value: "30d", label: "the last 30 days" },
  { value: "custom", label: "from … until …" },
];

type Props = Pick<View, "search" | "onSearch">;

/** When a job was first heard of. */
export function TimeRange({ search, onSearch }: Props) {
  const chosen = rangeOf(search);
  const [isOpen, setOpen] = useState(false);
  const isCustom = isOpen || chosen === "custom";
  const choose = (range: string | null) => {
    setOpen(range === "custom");
    if (range !== "custom") onSearch(withBounds(search, range === "any" || range === null ? undefined : range));
  };
  const zone = zoneOf(search) ?? zoneHere();
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
          <Bound name="since" label="From" zone={zone} search={search} onSearch={onSearch} />
          <Bound name="until" label="Until" zone={zone} search={search} onSearch={onSearch} />
          <Zone zone={zone} search={search} onSearch={onSearch} />
        </>
      )}
    </>
  );
}

function rangeOf(search: Search): string {
  const since = firstOf(search, "since");
  if ((since === undefined || since === "beginning") && !("until" in search)) return "any";
  return RANGES.some((range) => range.value === since) && !("until" in search) ? (since ?? "any") : "custom";
}

function withBounds(search: Search, since: string | undefined): Search {
  return withValues(withValues(search, "until", []), "since", since === undefined ? [] : [since]);
}

/** One end of the range; the address has it in UTC. */
function Bound({ name, label, zone, search, onSearch }: Props & { name: string; label: string; zone: string }) {
  const moment = momentOfBound(firstOf(search, name), Date.now());
  const committed = moment === undefined || Number.isNaN(moment) ? "" : fieldIn(zone, new Date(moment).toISOString());
  const [typed, setTyped] = useState<string | undefined>(undefined);
  const finish = () => {
    if (typed !== undefined && typed !== committed) {
      const moment = momentIn(zone, typed);
      onSearch(withValues(search, name, moment === undefined ? [] : [moment]));
    }
    setTyped(undefined);
  };
  return (
    <TextInput
      size="xs"
      type="datetime-local"
      label={`${label} (${zone})`}
      value={typed ?? committed}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={finish}
      onKeyDown={(event) => event.key === "Enter" && finish()}
    />
  );
}

/** In which zone times are written here. */
function Zone({ zone, search, onSearch }: Props & { zone: string }) {
  const here = zoneHere();
  return (
    <Select
      size="xs"
      label="Time zone"
      data={[...zoneNames(here, zone)]}
      value={zone}
      searchable
      limit={50}
      allowDeselect={false}
      onChange={(zone) => onSearch(withValues(search, "zone", zone === null || zone === here ? [] : [zone]))}
    />
  );
}
