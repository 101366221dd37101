import { useMemo } from "react";

import { visible } from "../text/visible";
import { keyed } from "./words";
import { Lined } from "./written";
import { linesOfYaml, type Token } from "./yaml";

/** A text in YAML, in which keys, strings and comments have colours. */
export function Manifest({ title, text }: { title: string; text: string }) {
  const lines = useMemo(() => keyed(linesOfYaml(text), textOf), [text]);
  return (
    <Lined title={title} text={text}>
      {lines.map(([key, line]) => (
        <span key={key}>
          {line.length === 0
            ? " "
            : keyed(line, ({ text }) => text).map(([key, token]) => <Part key={key} {...token} />)}
        </span>
      ))}
    </Lined>
  );
}

function textOf(line: readonly Token[]): string {
  return line.map(({ text }) => text).join("");
}

function Part({ text, kind }: Token) {
  return kind === "" ? visible(text) : <span className={`yaml-${kind}`}>{visible(text)}</span>;
}
