import { describe, expect, it } from "vitest";

import { type Source, watchChanges } from "./changes";

function watched(of = "all", rest = 0) {
  const source: Source = { onmessage: null, onopen: null, onerror: null, close: () => seen.push("closed") };
  const seen: string[] = [];
  const opened: string[] = [];
  const timers: [call: () => void, milliseconds: number][] = [];
  const stop = watchChanges(
    {
      open: (address) => {
        opened.push(address);
        return source;
      },
      later: (call, milliseconds) => {
        timers.push([call, milliseconds]);
        return () => seen.push("called off");
      },
      random: () => 0.5,
    },
    { of, rest, onChange: () => seen.push("changed"), onConnected: (is) => seen.push(is ? "connected" : "lost") },
  );
  const tell = (version: number) => source.onmessage?.({ data: JSON.stringify({ scope: "all", version }) });
  return { source, seen, opened, timers, stop, tell };
}

describe("changes", () => {
  it("are those of everything, or of one job", () => {
    expect(watched().opened).toEqual(["/api/v1/changes?scope=all"]);
    expect(watched("job/a b").opened).toEqual(["/api/v1/changes?scope=job%2Fa+b"]);
  });

  it("are told some time after another version came, once", () => {
    const { timers, seen, tell } = watched();
    for (const version of [1, 1, 2, 3]) tell(version);
    expect(timers.map(([, milliseconds]) => milliseconds)).toEqual([250]);
    timers[0]?.[0]();
    expect(seen).toEqual(["changed"]);
    tell(3);
    tell(4);
    expect(timers).toHaveLength(2);
  });

  it("are told once when the stream begins: what is shown may be older", () => {
    const { timers, tell } = watched();
    tell(7);
    expect(timers).toHaveLength(1);
    tell(7);
    expect(timers).toHaveLength(1);
  });

  it("may wait for others that come along", () => {
    const { timers, tell } = watched("all", 3_000);
    for (const version of [1, 2, 3]) tell(version);
    expect(timers.map(([, milliseconds]) => milliseconds)).toEqual([3_250]);
  });

  it("are no longer told when nobody listens", () => {
    const { seen, stop, tell } = watched();
    tell(1);
    tell(2);
    stop();
    expect(seen).toEqual(["called off", "closed"]);
  });

  it("that were missed are seen when the stream is back", () => {
    const { source, seen, timers, tell } = watched();
    source.onopen?.();
    tell(1);
    source.onerror?.();
    source.onopen?.();
    tell(5);
    expect(timers).toHaveLength(1);
    expect(seen).toEqual(["connected", "lost", "connected"]);
  });
});
