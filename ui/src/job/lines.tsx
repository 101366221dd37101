import { Long } from "../text/long";
import { visibleLine } from "../text/visible";
import { keyed } from "./words";

/** A list of texts with a title; nothing if there are none. */
export function Lines({ title, lines }: { title: string; lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <div className="said">
      {title}:
      <ul>
        {keyed(lines, (line) => line).map(([key, line]) => (
          <li key={key}>
            <Long text={visibleLine(line)} />
          </li>
        ))}
      </ul>
    </div>
  );
}
