import { memo, type Ref } from "react";

import { visibleLine } from "../text/visible";
import type { Column } from "./columns";
import { CopyMenu } from "./copy-menu";
import type { Job } from "./failure";
import { JobLink } from "./link";

interface Props {
  readonly job: Job;
  readonly columns: readonly Column[];
  readonly view: string;
  readonly index: number;
  readonly isOpen: boolean;
  readonly ref: Ref<HTMLTableRowElement>;
}

/** One job of the table. There are hundreds: what it is made of is plain, and it is drawn again only if it changed. */
export const Row = memo(function Row({ job, columns, view, index, isOpen, ref }: Props) {
  return (
    <tr ref={ref} data-index={index} data-job={job.jobId} aria-rowindex={index + 2} aria-current={isOpen || undefined}>
      {columns.map((column, at) => (
        <td key={column.id} data-title={column.title} className={`is-${column.id}`}>
          {at === 0 ? <Leading column={column} job={job} view={view} /> : <Cell column={column} job={job} />}
        </td>
      ))}
      <td className="is-copy">
        <CopyMenu job={job} columns={columns} view={view} />
      </td>
    </tr>
  );
});

/** The first column leads to the job. */
function Leading({ job, column, view }: { column: Column; job: Job; view: string }) {
  if (column.id === "name") return <JobLink job={job} view={view} />;
  return (
    <>
      <JobLink job={job} view={view} />
      <Cell column={column} job={job} />
    </>
  );
}

function Cell({ column, job }: { column: Column; job: Job }) {
  if (column.show !== undefined) return column.show(job);
  const text = visibleLine(column.text(job));
  if (text === "") return <span className="nothing">–</span>;
  return (
    <div className="clamped" title={text.length > 40 ? text : undefined}>
      {text}
    </div>
  );
}
