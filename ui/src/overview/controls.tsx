import { Group, Select, TagsInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";

import { counted } from "../text/numbers";
import { zoneHere } from "../text/times";
import { visibleLine } from "../text/visible";
import { zoneNames } from "../text/zones";
import { type Search, withValues } from "../url/search";
import type { View } from "./address";
import { type Filter, valuesOf } from "./queries";
import { WindowChoice } from "./window-choice";

interface Props {
  readonly view: View;
  readonly search: Search;
  readonly onSearch: (search: Search) => void;
}

/** What is counted, and from when to when. */
export function Controls({ view, search, onSearch }: Props) {
  return (
    <Group gap="sm" align="start" component="section" aria-label="What is counted" className="controls">
      <WindowChoice view={view} search={search} onSearch={onSearch} />
      <div className="control">
        <ZoneChoice zone={view.zone} onZone={(zone) => onSearch(withValues(search, "zone", [zone]))} />
      </div>
      <div className="control">
        <Only name="queue" label="Queue" view={view} search={search} onSearch={onSearch} />
      </div>
      <div className="control">
        <Only name="cluster" label="Cluster" view={view} search={search} onSearch={onSearch} />
      </div>
    </Group>
  );
}

/** In which zone times are shown and days begin. */
function ZoneChoice({ zone, onZone }: { zone: string; onZone: (zone: string) => void }) {
  const names = useMemo(() => zoneNames(zone, zoneHere()), [zone]);
  return (
    <Select
      size="xs"
      label="Time zone"
      data={[...names]}
      value={zone}
      searchable
      limit={100}
      allowDeselect={false}
      nothingFoundMessage="There is no such zone"
      comboboxProps={{ withinPortal: false }}
      onChange={(chosen) => chosen !== null && onZone(chosen)}
    />
  );
}

/** Only some queues or clusters. What runs have is offered once people look; anything can be typed. */
function Only({ name, label, view, search, onSearch }: Props & { name: Filter; label: string }) {
  const [isOpen, setOpen] = useState(false);
  const { data } = useQuery({ ...valuesOf(name, view), enabled: isOpen });
  const counts = new Map(data?.map(({ value, count }) => [String(value ?? ""), count]));
  counts.delete("");
  const values = view.filters[name] ?? [];
  return (
    <TagsInput
      size="xs"
      label={label}
      placeholder={values.length === 0 ? "all" : ""}
      value={[...values]}
      data={[...counts.keys()]}
      splitChars={[]}
      maxDropdownHeight={320}
      comboboxProps={{ withinPortal: false }}
      onFocus={() => setOpen(true)}
      renderOption={({ option }) => (
        <span className="option">
          <span>{visibleLine(option.value)}</span>
          <span>{counted(counts.get(option.value) ?? 0)} runs</span>
        </span>
      )}
      onChange={(values) => onSearch(withValues(search, name, values))}
    />
  );
}
