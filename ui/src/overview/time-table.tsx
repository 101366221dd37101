import { JobsLink } from "../jobs/jobs-link";
import { counted, percent } from "../text/numbers";
import type { Search } from "../url/search";
import type { Step } from "./address";
import { jobsBehind, ofFault } from "./behind";
import { FAULTS, type Span } from "./faults";
import { faultName, spanText } from "./words";

interface Props {
  readonly spans: readonly Span[];
  readonly step: Step;
  readonly zone: string;
  readonly filters: Search;
}

/** What the chart shows, in numbers. The latest hour or day is first. */
export function TimeTable({ spans, step, zone, filters }: Props) {
  return (
    <table className="numbers">
      <caption className="hidden">
        Failed runs by {step} ({zone}) and by fault
      </caption>
      <thead>
        <tr>
          <th scope="col">{step === "hour" ? "Hour" : "Day"}</th>
          <th scope="col">Failed</th>
          {FAULTS.map((fault) => (
            <th scope="col" key={fault}>
              <span className="swatch" data-fault={fault} aria-hidden /> {faultName(fault)}
            </th>
          ))}
          <th scope="col">Runs that ended</th>
          <th scope="col">Failed of these</th>
        </tr>
      </thead>
      <tbody>
        {spans.toReversed().map((span) => (
          <Row key={span.since} span={span} name={spanText(span, step, zone)} filters={filters} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ span, name, filters }: { span: Span; name: string; filters: Search }) {
  const { runs, failures, byFault } = span;
  return (
    <tr>
      <th scope="row">{name}</th>
      <Count
        name="Failed"
        count={failures}
        label={`${failures} failed runs, ${name}`}
        search={jobsBehind(span, filters)}
      />
      {FAULTS.map((fault) => (
        <Count
          key={fault}
          name={faultName(fault)}
          count={byFault[fault]}
          label={`${byFault[fault]} failed runs, ${faultName(fault)}, ${name}`}
          search={jobsBehind(span, filters, ofFault(fault))}
        />
      ))}
      <td data-title="Runs that ended">{counted(runs)}</td>
      <td data-title="Failed of these">{percent(failures, runs)}</td>
    </tr>
  );
}

interface CountProps {
  readonly name: string;
  readonly count: number;
  readonly label: string;
  readonly search: Search;
}

/** A number of failures, and the jobs behind it if there are any. */
function Count({ name, count, label, search }: CountProps) {
  return (
    <td data-title={name}>
      {count === 0 ? (
        <span className="nothing">0</span>
      ) : (
        <JobsLink search={search} label={label}>
          {counted(count)}
        </JobsLink>
      )}
    </td>
  );
}
