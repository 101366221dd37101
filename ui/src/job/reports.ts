interface Report {
  readonly eventId: string;
  readonly amends: string | null;
  readonly occurrence: string;
  readonly observedAt: string;
}

/** The reports of a run: first the one that says why it failed, with the evidence that came last; then the latest. */
export function reportsOf<Found extends Report>(reports: readonly Found[], failureId: string | null): Found[] {
  const latest = [...reports].sort((one, other) => Date.parse(other.observedAt) - Date.parse(one.observedAt));
  const says = latest.filter((report) => isOf(report, failureId));
  return [...says, ...latest.filter((report) => !says.includes(report))];
}

/** Whether a report is of this failure: the first one, or one that adds evidence to it. */
export function isOf(report: Pick<Report, "eventId" | "amends">, failureId: string | null): boolean {
  return failureId !== null && [report.eventId, report.amends].includes(failureId);
}

/** `pod failed`, or what was added to it later, and when. */
export function titleOf(report: Report): string {
  const what = report.occurrence.replaceAll("-", " ");
  const at = `${report.observedAt.slice(0, 19).replace("T", " ")} UTC`;
  return report.amends === null ? `${what}, ${at}` : `${what}, evidence added ${at}`;
}
