/** Agents send a heartbeat every 5 s unless they are set otherwise; a scheduler leaves a cluster out after a minute. */
const PATIENCE = 60_000;

/** Whether a cluster whose latest heartbeat is of this moment has not been heard for too long. */
export function isSilent(sentAt: string, now: number): boolean {
  return now - Date.parse(sentAt) > PATIENCE;
}
