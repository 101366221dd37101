/** What a browser's EventSource is, as far as it is used here. */
export interface Source {
  onmessage: ((event: { data: string }) => void) | null;
  onopen: (() => void) | null;
  onerror: (() => void) | null;
  close(): void;
}

export interface Surroundings {
  readonly open: (address: string) => Source;
  /** Calls later; what is returned calls it off. */
  readonly later: (call: () => void, milliseconds: number) => () => void;
  readonly random: () => number;
}

interface Listener {
  /** What changes, as the API calls it: `all`, or `job/ID`. */
  readonly of?: string;
  /** How many milliseconds a change may wait at least, so that others come along; 0 if nothing is said. */
  readonly rest?: number;
  readonly onChange: () => void;
  readonly onConnected: (isConnected: boolean) => void;
}

/** Clients that hear of a change together ask within this time, not all at once. */
const JITTER = 500;

const ADDRESS = "/api/v1/changes";

/**
 * Tell the listener of changes, until what is returned is called. The first event says where the stream begins: what is
 * shown may have been read before that, so it is told as well.
 */
export function watchChanges(
  { open, later, random }: Surroundings,
  { of = "all", rest = 0, onChange, onConnected }: Listener,
): () => void {
  const source = open(`${ADDRESS}?${new URLSearchParams({ scope: of })}`);
  let version: number | undefined;
  let callOff: (() => void) | undefined;
  source.onopen = () => onConnected(true);
  source.onerror = () => onConnected(false);
  source.onmessage = ({ data }) => {
    const next = versionOf(data);
    const isChange = next !== version;
    version = next;
    if (!isChange || callOff !== undefined) return;
    callOff = later(
      () => {
        callOff = undefined;
        onChange();
      },
      rest + random() * JITTER,
    );
  };
  return () => {
    callOff?.();
    source.close();
  };
}

function versionOf(data: string): number {
  const event: unknown = JSON.parse(data);
  if (typeof event === "object" && event !== null && "version" in event) return Number(event.version);
  throw new Error(`this is no event of /api/v1/changes: ${data}`);
}
