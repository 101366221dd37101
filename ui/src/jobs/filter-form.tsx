import { Button, Group, Select, Stack } from "@mantine/core";
import { useState } from "react";

import { type Search, withValues } from "../url/search";
import { FilterValue } from "./filter-value";
import { hasOperator, type Operator, operatorsOf, parameterOf, partsOf, SECTIONS } from "./filterable";
import { zoneOf } from "./parameters";
import type { View } from "./view";
import { columnText, operatorText } from "./words";

interface Props extends View {
  /** The filter that is changed; a new one is added without it. */
  readonly parameter?: string;
  readonly onDone: () => void;
}

const COLUMNS = SECTIONS.map(([group, columns]) => ({
  group,
  items: columns.map((column) => ({ value: column, label: columnText(column) })),
}));

/** Any filter that the API has: a column, how it is compared, and with what. */
export function FilterForm({ query, search, onSearch, parameter, onDone }: Props) {
  const [draft, setDraft] = useState(() => draftOf(parameter, query));
  const { column, operator, values } = draft;
  const isWhole = column !== "" && values.length > 0;
  const submit = () => {
    const others = parameter === undefined ? search : withValues(search, parameter, []);
    onSearch(withValues(others, parameterOf(column, operator), values));
    onDone();
  };
  return (
    <form
      aria-label={parameter === undefined ? "Add a filter" : "Change a filter"}
      className="filter-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (isWhole) submit();
      }}
    >
      <Stack gap="xs">
        <Select
          size="xs"
          label="Column"
          placeholder="choose or type"
          data-autofocus={parameter === undefined || undefined}
          searchable
          data={COLUMNS}
          value={column === "" ? null : column}
          comboboxProps={{ withinPortal: false }}
          maxDropdownHeight={280}
          onChange={(column) => setDraft(chosen(column ?? "", query))}
        />
        {column !== "" && (
          <Select
            size="xs"
            label="Compared"
            data-autofocus={parameter !== undefined || undefined}
            data={comparisonsOf(column)}
            value={comparisonOf(draft)}
            allowDeselect={false}
            comboboxProps={{ withinPortal: false }}
            onChange={(comparison) => setDraft(compared(draft, comparison ?? "", query))}
          />
        )}
        {column !== "" && operator !== "exists" && (
          <FilterValue
            key={`${column} ${operator}`}
            column={column}
            operator={operator}
            values={values}
            query={query}
            zone={zoneOf(search)}
            onValues={(values) => setDraft({ ...draft, values })}
          />
        )}
        <Group justify="flex-end" gap="xs">
          <Button size="xs" variant="default" onClick={onDone}>
            Cancel
          </Button>
          <Button size="xs" type="submit" disabled={!isWhole}>
            {parameter === undefined ? "Add" : "Change"}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface FilterDraft {
  readonly column: string;
  readonly operator: Operator;
  readonly values: readonly string[];
}

function draftOf(parameter: string | undefined, query: Search): FilterDraft {
  const [column, operator] = partsOf(parameter ?? "");
  if (!hasOperator(column, operator)) return { column: "", operator: "", values: [] };
  return { column, operator, values: query[parameter ?? ""] ?? [] };
}

/** A column, compared as people usually do, with the values that the address has of it. */
function chosen(column: string, query: Search): FilterDraft {
  const [operator = ""] = operatorsOf(column);
  return { column, operator, values: query[parameterOf(column, operator)] ?? [] };
}

function compared({ column }: FilterDraft, comparison: string, query: Search): FilterDraft {
  const [operator = "", value] = comparison.split("=", 2);
  if (!hasOperator(column, operator)) return chosen(column, query);
  return { column, operator, values: value === undefined ? (query[parameterOf(column, operator)] ?? []) : [value] };
}

/** Whether there is a value is written as two comparisons: nobody has to choose true or false. */
function comparisonsOf(column: string) {
  return operatorsOf(column).flatMap((operator) =>
    operator === "exists"
      ? [
          { value: "exists=true", label: "has a value" },
          { value: "exists=false", label: "has none" },
        ]
      : [{ value: operator, label: operatorText(column, operator) }],
  );
}

function comparisonOf({ operator, values }: FilterDraft): string {
  return operator === "exists" ? `exists=${values[0]}` : operator;
}
