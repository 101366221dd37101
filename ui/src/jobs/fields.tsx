import { TextInput } from "@mantine/core";

import { firstOf, withValues } from "../url/search";
import { AnyOf } from "./any-of";
import { useDraft } from "./draft";
import { GroupBy } from "./group-by";
import { SortBy } from "./sort-by";
import { TimeRange } from "./time-range";
import type { View } from "./view";

const USUAL = [
  ["category", "Category"],
  ["origin", "Fault"],
  ["queue", "Queue"],
  ["owner", "Owner"],
  ["node", "Node"],
  ["exitCode", "Exit code"],
] as const;

/** The filters that people use most; any other can be added. */
export function Fields({ query, search, onSearch }: View) {
  return (
    <div className="fields">
      {USUAL.map(([column, label]) => (
        <AnyOf
          key={column}
          column={column}
          label={label}
          values={query[column] ?? []}
          query={query}
          onValues={(values) => onSearch(withValues(search, column, values))}
        />
      ))}
      <KeyLine query={query} search={search} onSearch={onSearch} />
      <TimeRange search={search} onSearch={onSearch} />
      <SortBy query={query} search={search} onSearch={onSearch} />
      <GroupBy search={search} onSearch={onSearch} />
    </div>
  );
}

const SHORTEST = 3;

/** Words of the line that decided. */
function KeyLine({ query, search, onSearch }: View) {
  const name = "keyLine.contains";
  const isFit = (text: string) => text === "" || text.length >= SHORTEST;
  const draft = useDraft(firstOf(query, name) ?? "", isFit, (text, isStep) =>
    onSearch(withValues(search, name, text === "" ? [] : [text]), isStep),
  );
  return (
    <TextInput
      size="xs"
      type="search"
      label="Key line contains"
      placeholder="press / to type here"
      aria-keyshortcuts="/"
      value={draft.text}
      error={!isFit(draft.text) && `${SHORTEST} characters or more`}
      onChange={(event) => draft.type(event.currentTarget.value)}
      onBlur={draft.finish}
      onKeyDown={(event) => event.key === "Enter" && draft.finish()}
    />
  );
}
