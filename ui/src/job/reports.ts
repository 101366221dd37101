interface Report {
  readonly eventId: string;
  readonly amends: string | null;
  readonly occurrence: string;
  readonly observedAt: string;
}

/** The reports of a run: first the one that says why it failed, with the evidence that came last; then the latest. */
export function reportsOf<Found extends Report>(reports: readonly Found[], failureId: string | null): Found[] {
  const latest = [...reports].sort((one, other) => Date.parse(other.observedAt) - Date.parse(one.observedAt));
  const says = latest.filter((report) => failureId !== null && [report.eventId, report.amends].includes(failureId));
  return [...says, ...latest.filter((report) => !says.includes(report))];
}

/** `pod failed`, or what was added to it later, and when. */
export function titleOf(report: Report): string {
  const what = report.occurrence.replaceAll("-", " ");
  const at = `${report.observedAt.slice(0, 19).replace("T", " ")} UTC`;
  return report.amends === null ? `${what}, ${at}` : `${what}, evidence added ${at}`;
}
