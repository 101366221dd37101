import type { ReactNode } from "react";

import { Long } from "../text/long";
import { keyed } from "./words";

interface RowsProps {
  readonly what: string;
  readonly titles: readonly string[];
  readonly rows: readonly (readonly ReactNode[])[];
  readonly empty: string;
}

/** A small table, without columns in which nothing is; on a narrow page each row becomes a block with the titles beside the values. */
export function Rows({ what, titles, rows, empty }: RowsProps) {
  if (rows.length === 0) return <p className="said">{empty}</p>;
  const columns = titles.flatMap((title, at) => (rows.every((cells) => cells[at] === "") ? [] : [{ title, at }]));
  return (
    <table className="facts-table" aria-label={what}>
      <thead>
        <tr>
          {columns.map(({ title }) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {keyed(rows, (cells) => cells.map(String).join(" ")).map(([key, cells]) => (
          <tr key={key}>
            {columns.map(({ title, at }) => (
              <td key={title} data-title={title}>
                <Cell value={cells[at]} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Cell({ value }: { value: ReactNode }) {
  return typeof value === "string" ? <Long text={value} /> : value;
}
