import { Button, Group, Popover } from "@mantine/core";
import { useState } from "react";

import { visibleLine } from "../text/visible";
import { withValues } from "../url/search";
import { FilterForm } from "./filter-form";
import { filterNames, zoneOf } from "./parameters";
import type { View } from "./view";
import { filterText } from "./words";

/** Every filter in words; each can be changed, and taken away. */
export function Active(view: View) {
  const { query, search, onSearch } = view;
  const names = Object.keys(query).filter((name) => name !== "sort");
  if (names.length === 0) return null;
  const clear = () => onSearch(names.reduce((search, name) => withValues(search, name, []), search));
  return (
    <Group gap={6} role="group" aria-label="Filters that are on">
      {names.map((name) => (
        <Filter key={name} name={name} isChangeable={filterNames(query).includes(name)} {...view} />
      ))}
      <Button size="compact-xs" variant="default" onClick={clear}>
        Clear all
      </Button>
    </Group>
  );
}

function Filter({ name, isChangeable, ...view }: View & { name: string; isChangeable: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const text = visibleLine(filterText(name, view.query[name] ?? [], zoneOf(view.search)));
  return (
    <span className="filter">
      {isChangeable ? (
        <Popover opened={isOpen} onChange={setOpen} trapFocus withArrow position="bottom-start">
          <Popover.Target>
            <button
              type="button"
              className="filter-text"
              aria-label={`Change ${text}`}
              onClick={() => setOpen(!isOpen)}
            >
              {text}
            </button>
          </Popover.Target>
          <Popover.Dropdown>
            <FilterForm {...view} parameter={name} onDone={() => setOpen(false)} />
          </Popover.Dropdown>
        </Popover>
      ) : (
        <span className="filter-text">{text}</span>
      )}
      <button
        type="button"
        className="filter-remove"
        aria-label={`Remove ${text}`}
        onClick={() => view.onSearch(withValues(view.search, name, []))}
      >
        <span aria-hidden>✕</span>
      </button>
    </span>
  );
}
