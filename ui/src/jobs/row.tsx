import { memo } from "react";

import { visibleLine } from "../text/visible";
import type { Search } from "../url/search";
import type { Column } from "./columns";
import { CopyMenu } from "./copy-menu";
import type { Job } from "./failure";
import { JobLink } from "./link";

interface Props {
  readonly job: Job;
  readonly columns: readonly Column[];
  readonly search: Search;
}

/** One job of the table. */
export const Row = memo(function Row({ job, columns, search }: Props) {
  return (
    <tr>
      {columns.map((column, at) => (
        <td key={column.id} data-title={column.title} className={`is-${column.id}`}>
          {at === 0 ? <Leading column={column} job={job} search={search} /> : <Cell column={column} job={job} />}
        </td>
      ))}
      <td className="is-copy">
        <CopyMenu job={job} columns={columns} />
      </td>
    </tr>
  );
});

/** The first column leads to the job. */
function Leading({ job, column, search }: { column: Column; job: Job; search: Search }) {
  if (column.id === "name") return <JobLink job={job} search={search} />;
  return (
    <>
      <JobLink job={job} search={search} />
      <Cell column={column} job={job} />
    </>
  );
}

function Cell({ column, job }: { column: Column; job: Job }) {
  if (column.show !== undefined) return column.show(job);
  const text = visibleLine(column.text(job));
  return text === "" ? <span className="nothing">–</span> : text;
}
