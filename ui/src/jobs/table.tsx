import type { Search } from "../url/search";
import type { Column } from "./columns";
import type { Job } from "./failure";
import { Row } from "./row";

interface Props {
  readonly jobs: readonly Job[];
  readonly columns: readonly Column[];
  readonly sort: string;
  readonly onSort: (sort: string) => void;
  readonly search: Search;
}

/** Jobs as a table; on a narrow screen each row is a card. */
export function JobsTable({ jobs, columns, sort, onSort, search }: Props) {
  return (
    <table className="jobs">
      <caption className="hidden">Jobs. j and k go to the next and the previous one, Enter opens it.</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <Heading key={column.id} column={column} sort={sort} onSort={onSort} />
          ))}
          <th scope="col">
            <span className="hidden">Copy</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {jobs.map((job) => (
          <Row key={job.jobId} job={job} columns={columns} search={search} />
        ))}
      </tbody>
    </table>
  );
}

function Heading({ column, sort, onSort }: { column: Column } & Pick<Props, "sort" | "onSort">) {
  if (column.sort === undefined) return <th scope="col">{column.title}</th>;
  const order = sort === column.sort ? "ascending" : sort === `-${column.sort}` ? "descending" : undefined;
  return (
    <th scope="col" aria-sort={order}>
      <button type="button" className="sort" onClick={() => onSort(nextSort(column.sort ?? "", sort))}>
        {column.title} <span aria-hidden>{order === "ascending" ? "↑" : order === "descending" ? "↓" : "↕"}</span>
      </button>
    </th>
  );
}

/** A column that is sorted by is turned round; another one begins with what people look for first. */
function nextSort(column: string, sort: string): string {
  if (sort === `-${column}`) return column;
  return sort === column || column === "firstAt" ? `-${column}` : column;
}
