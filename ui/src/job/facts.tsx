import { Button } from "@mantine/core";
import { type ReactNode, useEffect, useState } from "react";

import { copyText } from "../text/copying";
import { Long } from "../text/long";
import { visible, visibleLine } from "../text/visible";

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
      <dd>{typeof value === "string" ? <Long text={visibleLine(value)} /> : value}</dd>
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

/** Copies a text as it is shown, so that nothing hidden in it gets into a terminal; says so if it may not. */
export function Copy({ what, text, word = "copy" }: { what: string; text: string; word?: string }) {
  const [said, setSaid] = useState("");
  const copy = async () => setSaid((await copyText(visible(text))) ? "copied" : "cannot copy here");
  useEffect(() => {
    if (said === "") return;
    const timer = setTimeout(() => setSaid(""), SAID);
    return () => clearTimeout(timer);
  }, [said]);
  return (
    <>
      <Button size="compact-xs" variant="default" onClick={copy} aria-label={`Copy the ${what}`}>
        {said || word}
      </Button>
      <span className="hidden" role="status">
        {said}
      </span>
    </>
  );
}

/** Milliseconds for which a button says what it did. */
const SAID = 3_000;
