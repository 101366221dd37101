import { Fragment, type MouseEvent, useMemo, useRef } from "react";

import { COPY_WIDTH, type Column, widthOf } from "./columns";
import type { Job } from "./failure";
import { Heading } from "./heading";
import { Row } from "./row";
import { useVirtualRows } from "./virtual-rows";

interface Props {
  readonly jobs: readonly Job[];
  readonly columns: readonly Column[];
  /** The column that takes the room that is left. */
  readonly flexible: string | undefined;
  readonly sort: string;
  readonly onSort: (sort: string) => void;
  readonly onWidth: (id: string, width: number) => void;
  readonly view: string;
  readonly opened: string | undefined;
  readonly onOpen: (jobId: string) => void;
}

/** Jobs as a table; on a narrow screen each row is a card. */
export function JobsTable({ jobs, columns, flexible, sort, onSort, onWidth, view, opened, onOpen }: Props) {
  const body = useRef<HTMLTableSectionElement>(null);
  const keys = useMemo(() => jobs.map((job) => job.jobId), [jobs]);
  const { parts, rest, measure } = useVirtualRows(body, keys);
  return (
    <table
      className="jobs"
      aria-rowcount={jobs.length + 1}
      data-is-filled={flexible !== undefined}
      style={sizes(widthOf(columns))}
    >
      <caption className="hidden">Jobs. Press ? for the keys that work here.</caption>
      <colgroup>
        {columns.map((column) => (
          <col key={column.id} style={column.id === flexible ? undefined : { width: column.width }} />
        ))}
        <col style={{ width: COPY_WIDTH }} />
      </colgroup>
      <thead>
        <tr>
          {columns.map((column) => (
            <Heading key={column.id} column={column} sort={sort} onSort={onSort} onWidth={onWidth} />
          ))}
          <th scope="col">
            <span className="hidden">Copy</span>
          </th>
        </tr>
      </thead>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the link of each row takes the keys */}
      <tbody ref={body} onClick={(event) => openClicked(event, onOpen)}>
        {parts.map(({ index, key, gap }) => (
          <Fragment key={key}>
            {gap > 0 && <Gap height={gap} />}
            <Drawn job={jobs[index]} {...{ columns, view, index, opened, measure }} />
          </Fragment>
        ))}
        {rest > 0 && <Gap height={rest} />}
      </tbody>
    </table>
  );
}

interface DrawnProps extends Pick<Props, "columns" | "view" | "opened"> {
  readonly job: Job | undefined;
  readonly index: number;
  readonly measure: (row: HTMLTableRowElement | null) => void;
}

function Drawn({ job, columns, view, index, opened, measure }: DrawnProps) {
  if (job === undefined) return null;
  return <Row ref={measure} job={job} columns={columns} view={view} index={index} isOpen={job.jobId === opened} />;
}

/** In the place of rows that are not drawn. */
function Gap({ height }: { height: number }) {
  return (
    <tr aria-hidden className="gap">
      <td style={{ height }} />
    </tr>
  );
}

function sizes(width: number): React.CSSProperties {
  return { "--columns": `${width}px` } as React.CSSProperties;
}

/** A click anywhere on a row opens its job, unless it was on something else, or selected some text. */
function openClicked(event: MouseEvent<HTMLElement>, onOpen: (jobId: string) => void): void {
  const target = event.target as HTMLElement;
  const jobId = target.closest<HTMLElement>("tr[data-job]")?.dataset.job;
  if (jobId === undefined || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey)
    return;
  const isLink = target.closest("a[data-row]") !== null;
  if (!isLink && (target.closest("a, button, [role=menu]") !== null || window.getSelection()?.toString())) return;
  event.preventDefault();
  onOpen(jobId);
}
