const KEY = "lookout.owner";

/** The name under which this person owns jobs, if they said it in this browser. */
export function ownName(): string | undefined {
  try {
    return localStorage.getItem(KEY) ?? undefined;
  } catch {
    return undefined; // the browser keeps nothing for this page: it is asked again
  }
}

/** Keep it for the next time. */
export function keepOwnName(name: string): void {
  try {
    localStorage.setItem(KEY, name);
  } catch {
    // as above
  }
}
