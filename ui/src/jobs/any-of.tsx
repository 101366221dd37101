import { TagsInput } from "@mantine/core";
import { useState } from "react";

import { counted } from "../text/numbers";
import { visibleLine } from "../text/visible";
import type { Search } from "../url/search";
import { fits, kindOf } from "./filterable";
import { useKnownValues } from "./offered";

interface Props {
  readonly column: string;
  readonly label: string;
  readonly values: readonly string[];
  readonly query: Search;
  readonly onValues: (values: readonly string[]) => void;
  readonly isInPopover?: boolean;
}

/** Any of some values: those that there are can be chosen, others typed. */
export function AnyOf({ column, label, values, query, onValues, isInPopover = false }: Props) {
  const [isUsed, setUsed] = useState(false);
  const [refused, setRefused] = useState("");
  const known = useKnownValues(column, query, isUsed);
  const change = (values: readonly string[]) => {
    const wrong = values.find((value) => !fits(column, "", value));
    setRefused(wrong ?? "");
    if (wrong === undefined) onValues(values);
  };
  return (
    <TagsInput
      size="xs"
      label={label}
      placeholder={values.length === 0 ? "any" : ""}
      value={[...values]}
      data={known.base === "" ? [...known.values] : [{ group: known.base, items: [...known.values] }]}
      error={refused !== "" && `${visibleLine(refused)}: ${wantedText(column)}`}
      splitChars={[]}
      maxDropdownHeight={320}
      comboboxProps={{
        withinPortal: !isInPopover,
        portalProps: { target: "#main" },
        width: "max-content",
        position: "bottom-start",
      }}
      classNames={{ dropdown: "options" }}
      renderOption={({ option }) => (
        <span className="option">
          <span>{visibleLine(option.value)}</span>
          <span>{known.counts.has(option.value) && counted(known.counts.get(option.value) ?? 0)}</span>
        </span>
      )}
      onFocus={() => setUsed(true)}
      onChange={change}
    />
  );
}

/** What a column takes, in words. */
export function wantedText(column: string): string {
  const kind = kindOf(column);
  if (kind === "number") return "write a whole number";
  if (kind === "pair") return "write KEY=VALUE, such as rank=0";
  return "choose one that is offered";
}
