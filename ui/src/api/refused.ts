import type { Problem } from "./client";

/** An answer that is an error, with what the API says about it. */
export class Refused extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

interface Answer<Data> {
  readonly data?: Data;
  readonly error?: unknown;
  readonly response: Response;
}

/** What was answered. Throws Refused if that is an error. */
export function answered<Data>({ data, error, response }: Answer<Data>): Data {
  if (data !== undefined && response.ok) return data;
  throw new Refused(isProblem(error) ? error : unreadable(response));
}

/** Whether a question that failed is asked once more: not if the answer says that the question is wrong. */
export function isAskedAgain(failures: number, error: Error): boolean {
  return failures < 1 && !(error instanceof Refused && error.problem.status < 500);
}

function isProblem(error: unknown): error is Problem {
  return typeof error === "object" && error !== null && "detail" in error && "title" in error;
}

/** Something in between answered, such as a proxy. */
function unreadable(response: Response): Problem {
  return {
    type: "about:blank",
    title: "This was not answered by Lookout",
    status: response.status,
    detail: `Status ${response.status} ${response.statusText}. Ask who runs the proxy in front of Lookout.`,
    code: "unreadable",
    errors: [],
  };
}
