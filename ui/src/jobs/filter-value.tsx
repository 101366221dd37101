import { TextInput } from "@mantine/core";
import { useState } from "react";

import { zoneHere } from "../text/times";
import { fieldIn, momentIn } from "../text/zones";
import type { Search } from "../url/search";
import { AnyOf, wantedText } from "./any-of";
import { fits, kindOf } from "./filterable";

interface Props {
  readonly column: string;
  readonly operator: string;
  readonly values: readonly string[];
  readonly query: Search;
  readonly zone: string | undefined;
  readonly onValues: (values: readonly string[]) => void;
}

/** With what a column is compared: any of some values, a text, a number or a time. */
export function FilterValue({ column, operator, values, query, zone = zoneHere(), onValues }: Props) {
  if (operator === "") {
    const label = kindOf(column) === "pair" ? "All of" : "Any of";
    return <AnyOf column={column} label={label} values={values} query={query} onValues={onValues} isInPopover />;
  }
  if (kindOf(column) === "time") return <Time values={values} zone={zone} onValues={onValues} />;
  return <Text column={column} operator={operator} values={values} onValues={onValues} />;
}

function Text({ column, operator, values, onValues }: Omit<Props, "query" | "zone">) {
  const [text, setText] = useState(values[0] ?? "");
  const isFit = text === "" || fits(column, operator, text);
  const change = (text: string) => {
    setText(text);
    onValues(text !== "" && fits(column, operator, text) ? [text] : []);
  };
  return (
    <TextInput
      size="xs"
      label="Value"
      inputMode={kindOf(column) === "number" ? "numeric" : "text"}
      value={text}
      error={!isFit && (operator === "contains" ? "3 characters or more" : wantedText(column))}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}

function Time({ values, zone, onValues }: Pick<Props, "values" | "onValues"> & { zone: string }) {
  const [field, setField] = useState(fieldIn(zone, values[0] ?? ""));
  const change = (field: string) => {
    setField(field);
    const moment = momentIn(zone, field);
    onValues(moment === undefined ? [] : [moment]);
  };
  return (
    <TextInput
      size="xs"
      type="datetime-local"
      label={`Time in ${zone}`}
      value={field}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}
