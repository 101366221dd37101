import { describe, expect, it } from "vitest";

import { flexibleOf, layoutJunk, moved, printLayout, readLayout, resized, switched } from "./layout";

const KNOWN = ["name", "failure", "queue"];

describe("the layout of a table", () => {
  it.each([
    ["queue,name", "queue,name"],
    ["queue:120,name", "queue:120,name"],
    ["queue,queue:99,junk,__proto__", "queue"],
    ["queue:1,name:99999,failure:x", "queue,name,failure"],
    ["", ""],
  ])("%s is read as %s", (text, layout) => {
    expect(printLayout(readLayout(text, KNOWN))).toBe(layout);
  });

  it("names what makes no sense", () => {
    expect(layoutJunk("name,junk,queue:x,failure:400", KNOWN)).toEqual([
      { text: "columns=junk", why: "there is no such column" },
      { text: "columns=queue:x", why: "a width is a number from 64 to 1600" },
    ]);
  });

  it.each([
    ["name", 1, "failure,name,queue"],
    ["queue", -2, "queue,name,failure"],
    ["queue", 5, "name,failure,queue"],
    ["name", -1, "name,failure,queue"],
    ["junk", 1, "name,failure,queue"],
  ])("with %s moved by %i is %s", (id, places, layout) => {
    expect(printLayout(moved(readLayout("name,failure,queue", KNOWN), id, places))).toBe(layout);
  });

  it("gains and loses columns, but not the last", () => {
    const layout = readLayout("name", KNOWN);
    expect(printLayout(switched(layout, "queue"))).toBe("name,queue");
    expect(printLayout(switched(switched(layout, "queue"), "name"))).toBe("queue");
    expect(printLayout(switched(layout, "name"))).toBe("name");
  });

  it.each([
    [300.4, "name,queue:300"],
    [2, "name,queue:64"],
    [1e9, "name,queue:1600"],
  ])("takes a width of %f", (width, layout) => {
    expect(printLayout(resized(readLayout("name,queue", KNOWN), "queue", width))).toBe(layout);
  });

  it.each([
    ["name,failure,queue", "failure"],
    ["name,failure:300,queue", "queue"],
    ["name:90,failure:300,queue:80", undefined],
  ])("%s has room to spare in %s", (layout, id) => {
    expect(flexibleOf(readLayout(layout, KNOWN))).toBe(id);
  });
});
