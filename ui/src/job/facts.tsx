import { Button } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import type { ReactNode } from "react";

import { visibleLine } from "../text/visible";

/** Names with their values. */
export function Facts({ children }: { children: ReactNode }) {
  return <dl className="facts">{children}</dl>;
}

/** A name and its value; left out if there is no value. */
export function Fact({ name, value }: { name: string; value: ReactNode }) {
  if (value === "" || value === null || value === undefined) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>{typeof value === "string" ? visibleLine(value) : value}</dd>
    </div>
  );
}

/** A fact that people copy. */
export function Id({ name, value }: { name: string; value: string }) {
  if (value === "") return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <code>{visibleLine(value)}</code> <Copy what={name} text={value} />
      </dd>
    </div>
  );
}

/** Copies a text; says so if the browser does not let it. */
export function Copy({ what, text }: { what: string; text: string }) {
  const { copied, copy, error } = useClipboard();
  return (
    <Button size="compact-xs" variant="default" onClick={() => copy(text)} aria-label={`Copy the ${what}`}>
      {error !== null ? "cannot copy here" : copied ? "copied" : "copy"}
    </Button>
  );
}
