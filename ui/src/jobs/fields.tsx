import { TagsInput, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import type { components } from "../api/schema";
import { visibleLine } from "../text/visible";
import { firstOf, type Search, withValues } from "../url/search";
import { GroupBy } from "./group-by";
import { jobFacets } from "./queries";
import { SortBy } from "./sort-by";
import { TimeRange } from "./time-range";

interface Props {
  readonly query: Search;
  readonly search: Search;
  readonly onSearch: (search: Search) => void;
}

const FACETS = [
  ["category", "Category"],
  ["origin", "Fault"],
  ["queue", "Queue"],
  ["owner", "Owner"],
] as const;

/** The filters that people use most. An address can have any other filter of the API. */
export function Fields({ query, search, onSearch }: Props) {
  const facets = useQuery(jobFacets(query));
  const set = (name: string) => (values: readonly string[]) => onSearch(withValues(search, name, values));
  return (
    <div className="fields">
      {FACETS.map(([name, label]) => (
        <AnyOf
          key={name}
          label={label}
          values={query[name] ?? []}
          facet={facets.data?.facets[name]}
          onValues={set(name)}
        />
      ))}
      <Typed key={`node ${query.node}`} label="Node" values={query.node} onValues={set("node")} />
      <Typed
        key={`exit ${query.exitCode}`}
        label="Exit code"
        values={query.exitCode}
        onValues={set("exitCode")}
        numeric
      />
      <KeyLine
        key={`line ${query["keyLine.contains"]}`}
        text={firstOf(query, "keyLine.contains")}
        onText={(text) => set("keyLine.contains")(text === "" ? [] : [text])}
      />
      <TimeRange search={search} onSearch={onSearch} />
      <SortBy query={query} search={search} onSearch={onSearch} />
      <GroupBy search={search} onSearch={onSearch} />
    </div>
  );
}

interface AnyOfProps {
  readonly label: string;
  readonly values: readonly string[];
  readonly facet: components["schemas"]["Facet"] | undefined;
  readonly onValues: (values: readonly string[]) => void;
}

/** Any of some values: those that jobs have are offered with how many have them, others can be typed. */
function AnyOf({ label, values, facet, onValues }: AnyOfProps) {
  const counts = new Map(facet?.values.map(({ value, count }) => [String(value ?? ""), count]));
  counts.delete("");
  return (
    <TagsInput
      size="xs"
      label={label}
      placeholder={values.length === 0 ? "any" : ""}
      value={[...values]}
      data={[...counts.keys()]}
      splitChars={[]}
      maxDropdownHeight={320}
      renderOption={({ option }) => (
        <span className="option">
          <span>{visibleLine(option.value)}</span>
          <span>{counts.get(option.value)}</span>
        </span>
      )}
      onChange={onValues}
    />
  );
}

interface TypedProps {
  readonly label: string;
  readonly values: readonly string[] | undefined;
  readonly onValues: (values: readonly string[]) => void;
  readonly numeric?: boolean;
}

/** One or more values, with commas between. */
function Typed({ label, values = [], onValues, numeric = false }: TypedProps) {
  const [text, setText] = useState(values.join(", "));
  const parts = text.split(",").map((part) => part.trim());
  const typed = parts.filter((part) => part !== "");
  const isWrong = numeric && typed.some((part) => !/^-?\d{1,9}$/.test(part));
  const done = () => {
    if (!isWrong && typed.join() !== values.join()) onValues(typed);
  };
  return (
    <TextInput
      size="xs"
      label={label}
      placeholder="any"
      inputMode={numeric ? "numeric" : "text"}
      value={text}
      error={isWrong && "Whole numbers, with commas between"}
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={done}
      onKeyDown={(event) => event.key === "Enter" && done()}
    />
  );
}

/** Words of the line that decided. */
function KeyLine({ text = "", onText }: { text: string | undefined; onText: (text: string) => void }) {
  const [typed, setTyped] = useState(text);
  const isShort = typed !== "" && typed.length < 3;
  const done = () => {
    if (!isShort && typed !== text) onText(typed);
  };
  return (
    <TextInput
      size="xs"
      type="search"
      label="Key line contains"
      placeholder="press / to type here"
      data-finds
      value={typed}
      error={isShort && "3 characters or more"}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={done}
      onKeyDown={(event) => event.key === "Enter" && done()}
    />
  );
}
