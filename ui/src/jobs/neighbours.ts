/** Where an opened job is among the rows that are loaded, and what stands beside it. */
export interface Neighbours {
  /** Its row, from 0; -1 if it is not in the list. */
  readonly at: number;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/**
 * The jobs before and after one in a list. `lastAt` is the row that it had last: one that has left the list meanwhile, as
 * after a retry, had the row of the job that took its place.
 */
export function neighboursOf(jobIds: readonly string[], jobId: string, lastAt = -1): Neighbours {
  const at = jobIds.indexOf(jobId);
  if (at >= 0) return { at, before: jobIds[at - 1], after: jobIds[at + 1] };
  if (lastAt < 0) return { at, before: undefined, after: undefined };
  const place = Math.min(lastAt, jobIds.length);
  return { at, before: jobIds[place - 1], after: jobIds[place] };
}
