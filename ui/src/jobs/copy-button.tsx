import { Button } from "@mantine/core";
import { useState } from "react";

import { copyText } from "../text/copying";

interface Props {
  readonly text: () => string;
  readonly label: string;
  /** What it says when it has copied. */
  readonly done: string;
}

/** Copies a text, and says whether it could. */
export function CopyButton({ text, label, done }: Props) {
  const [said, setSaid] = useState("");
  const copy = async () => setSaid((await copyText(text())) ? done : "The browser does not allow it");
  return (
    <Button size="compact-sm" variant="default" onClick={copy} onBlur={() => setSaid("")}>
      <span role="status">{said || label}</span>
    </Button>
  );
}
