import type { components } from "../api/schema";
import { faultText } from "../jobs/failure";

type Series = components["schemas"]["Series"];

/** Whose fault a failure can be, in the order in which parts of a bar lie on each other. */
export const FAULTS = ["infra", "platform", "user", "unknown"] as const;
export type Fault = (typeof FAULTS)[number];
export type ByFault = Readonly<Record<Fault, number>>;

/** What ended in an hour, in a day or in all of a window. */
export interface Ended {
  readonly runs: number;
  readonly failures: number;
  readonly byFault: ByFault;
}

/** What ended from `since` on and before `until`. */
export interface Span extends Ended {
  readonly since: string;
  readonly until: string;
}

const NOTHING: Ended = { runs: 0, failures: 0, byFault: { infra: 0, platform: 0, user: 0, unknown: 0 } };

/** The hours or days of a series that has a line for each fault, and one for runs that succeeded. */
export function spansOf(series: Series): readonly Span[] {
  const lines = [...series.lines, series.others];
  return series.others.points.map(({ at }, place) => ({
    ...together(lines.map((line) => ended(line.value, line.points[place]))),
    since: at,
    until: series.others.points[place + 1]?.at ?? series.until,
  }));
}

/** All spans as one. */
export function together(parts: readonly Ended[]): Ended {
  return parts.reduce(
    (sum, part) => ({
      runs: sum.runs + part.runs,
      failures: sum.failures + part.failures,
      byFault: summed(sum.byFault, part.byFault),
    }),
    NOTHING,
  );
}

/** Counts by origin, as the API has them, by fault. */
export function byFault(origins: Readonly<Record<string, number>>): ByFault {
  return Object.entries(origins)
    .map(([origin, count]) => only(origin, count))
    .reduce(summed, NOTHING.byFault);
}

function ended(origin: string, point: { runs: number; failures: number } | undefined): Ended {
  const { runs, failures } = point ?? NOTHING;
  return { runs, failures, byFault: only(origin, failures) };
}

function only(origin: string, count: number): ByFault {
  return { ...NOTHING.byFault, [faultText(origin)]: count };
}

function summed(first: ByFault, second: ByFault): ByFault {
  return {
    infra: first.infra + second.infra,
    platform: first.platform + second.platform,
    user: first.user + second.user,
    unknown: first.unknown + second.unknown,
  };
}
