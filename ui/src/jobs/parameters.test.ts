import { describe, expect, it } from "vitest";

import { parseSearch } from "../url/search";
import { filterNames, isOtherList, lastDay, readParameters, unknownParts, without, zoneOf } from "./parameters";

describe("the parameters of an address", () => {
  it.each([
    "?category=gpu&category=oom",
    "?category.startsWith=gpu",
    "?exitCode=137&exitCode.gte=1",
    "?keyLine.contains=cuda%20error",
    "?since=24h&until=2026-11-26T12:00:00Z&sort=-queue",
    "?since=2026-11-26T12:00:00.5%2B05:30",
    "?state=still-failed&origin=infra&userCodeRan=false&node.exists=false",
    "?categories=gpu&mechanism=oom-node&occurrence=missing",
    "?detail=rank%3D0&firstAt.gte=2026-11-26T12:00:00Z",
  ])("%s is asked as it is", (text) => {
    expect(readParameters(parseSearch(text))).toEqual({ query: { ...parseSearch(text) }, ignored: [] });
  });

  it.each([
    ["?quue=ml", "there is no such filter"],
    ["?__proto__=x", "there is no such filter"],
    ["?constructor=x", "there is no such filter"],
    ["?limit=5", "there is no such filter"],
    ["?exitCode.startsWith=1", "it is not compared so"],
    ["?podName.contains=abc", "it is not compared so"],
    ["?queue.startsWith.exists=true", "it is not compared so"],
    ["?queue.=ml", "it is not compared so"],
    ["?firstAt=2026-11-26T12:00:00Z", "it is not compared so"],
    ["?exitCode=1x", "it cannot have this value"],
    ["?exitCode=99999999999", "it cannot have this value"],
    ["?state=lost", "it cannot have this value"],
    ["?queue=", "it cannot have this value"],
    ["?queue=a%00b", "it cannot have this value"],
    ["?since=yesterday", "it cannot have this value"],
    ["?since=2026-13-45T99:00:00Z", "it cannot have this value"],
    ["?keyLine.contains=ab", "it needs 3 characters or more"],
  ])("%s is ignored", (text, why) => {
    const { query, ignored } = readParameters(parseSearch(text));
    expect(query).toEqual({});
    expect(ignored.map((part) => part.why)).toEqual([why]);
  });

  it("keep one of what can be there once only", () => {
    const { query, ignored } = readParameters(parseSearch("?sort=queue&sort=-queue"));
    expect(query).toEqual({ sort: ["queue"] });
    expect(ignored).toEqual([{ text: "sort=-queue", why: "there are too many values of it" }]);
  });

  it("keep one beginning, as the API does", () => {
    const { query, ignored } = readParameters(parseSearch("?queue.startsWith=a&queue.startsWith=b"));
    expect(query).toEqual({ "queue.startsWith": ["a"] });
    expect(ignored.map((part) => part.why)).toEqual(["there are too many values of it"]);
  });

  it("may be in a zone", () => {
    expect(zoneOf(parseSearch("?zone=Nowhere/At_all&zone=Asia/Kolkata"))).toBe("Asia/Kolkata");
    expect(zoneOf(parseSearch("?zone=junk"))).toBeUndefined();
  });

  it("leave what is the page's own", () => {
    expect(readParameters(parseSearch("?group=queue&in=ml&columns=state&zone=UTC&open=x"))).toEqual({
      query: {},
      ignored: [],
    });
  });

  it("name what is no column", () => {
    const search = parseSearch("?columns=state,junk");
    expect(unknownParts(search, "columns", ["state"])).toEqual([
      { text: "columns=junk", why: "there is no such column" },
    ]);
    expect(unknownParts(search, "group", ["queue"])).toEqual([]);
  });

  it("are left out, the window of time as a whole", () => {
    const search = parseSearch("?since=1h&until=5m&node=a");
    expect(without(search, "since")).toEqual({ node: ["a"] });
    expect(without(search, "node")).toEqual({ since: ["1h"], until: ["5m"] });
    expect(lastDay(search)).toEqual({ since: ["24h"], node: ["a"] });
  });

  it.each([
    ["?queue=a", "?queue=b", true],
    ["?queue=a", "?queue=a&group=owner", true],
    ["?queue=a&sort=queue", "?queue=a", true],
    ["?queue=a", "?queue=a&open=x&run=y&columns=name&zone=UTC&in=b", false],
  ])("%s lists other jobs than %s: %s", (text, other, isOther) => {
    expect(isOtherList(parseSearch(text), parseSearch(other))).toBe(isOther);
  });

  it("are filters unless they are the order or the time", () => {
    expect(filterNames(parseSearch("?sort=queue&since=1h&node=a"))).toEqual(["node"]);
  });
});
