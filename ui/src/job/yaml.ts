import { highlightCode, tagHighlighter, tags } from "@lezer/highlight";
import { parser } from "@lezer/yaml";

/** A part of a line, and what it is in YAML; what is nothing of these has no kind. */
export interface Token {
  readonly text: string;
  readonly kind: Kind | "";
}

type Kind = "key" | "string" | "comment" | "mark";

const KINDS = tagHighlighter([
  { tag: tags.definition(tags.propertyName), class: "key" },
  { tag: [tags.string, tags.special(tags.string)], class: "string" },
  { tag: tags.comment, class: "comment" },
  { tag: [tags.punctuation, tags.labelName, tags.typeName, tags.keyword, tags.meta], class: "mark" },
]);

/** The lines of a YAML text in parts. Whatever the text is, the parts together are the text. */
export function linesOfYaml(text: string): readonly (readonly Token[])[] {
  const lines: Token[][] = [[]];
  const written = text.replace(/\r\n/g, "\n").replace(/\n$/, "");
  highlightCode(
    written,
    parser.parse(written),
    KINDS,
    (part, kind) => lines.at(-1)?.push({ text: part, kind: kind as Token["kind"] }),
    () => lines.push([]),
  );
  return lines;
}
