import { createContext, useContext, useEffect, useState } from "react";

import { absolute, ago } from "./times";

/** The moment it is now, for all that a page shows. */
export const Now = createContext(Date.now());

/** Counts on, so that all relative times of a page do so together. */
export function Clock({ children }: { children: React.ReactNode }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 5_000);
    return () => clearInterval(timer);
  }, []);
  return <Now value={now}>{children}</Now>;
}

/** A time as how long ago it was; pointing at it tells the time itself. */
export function When({ at }: { at: string | null | undefined }) {
  const now = useContext(Now);
  if (at == null) return <span className="nothing">–</span>;
  return (
    <time dateTime={at} title={absolute(at)}>
      {ago(at, now)}
    </time>
  );
}
