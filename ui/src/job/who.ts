import { ownName } from "../jobs/mine";

const KEY = "lookout.name";

/** The header by which the API knows who asks; nobody checks it. */
const HEADER = "failure-agent-user";

/** What the person who looks called themselves here last; else the name of My jobs, or nothing. */
export function lastName(): string {
  try {
    return localStorage.getItem(KEY) ?? ownName() ?? "";
  } catch {
    return ""; // the browser keeps nothing for this page: they are asked again
  }
}

/** Keep the name for the next time. */
export function keepName(name: string): void {
  try {
    localStorage.setItem(KEY, name);
  } catch {
    // as above
  }
}

/** The headers of a request of this person: characters beyond ASCII are percent-encoded, as the API reads them. */
export function headersOf(name: string): Record<string, string> {
  const given = name.trim();
  return given === "" ? {} : { [HEADER]: encodeURIComponent(given) };
}

/** Who did something. The API calls whoever gave no name `unknown`. */
export function personOf(by: string): string {
  return by === "" || by === "unknown" ? "somebody who gave no name" : by;
}
