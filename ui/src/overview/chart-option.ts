import type { EChartsOption } from "echarts";

import type { Step } from "./address";
import { FAULTS, type Fault, type Span } from "./faults";
import { faultName, tickText } from "./words";

/** The colours of one scheme: ECharts draws on a canvas, which knows no variables of CSS. */
export interface Colours {
  readonly faults: Readonly<Record<Fault, string>>;
  readonly text: string;
  readonly line: string;
  readonly ground: string;
}

interface Drawn {
  readonly spans: readonly Span[];
  readonly step: Step;
  readonly zone: string;
  readonly colours: Colours;
  /** How wide the chart is, in pixels. */
  readonly width: number;
  readonly tip: (place: number) => HTMLElement;
}

/** The room that a name at the axis needs, in pixels. */
const TICK = 64;
const FONT = { fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif', fontSize: 12 };

/** Bars of failures over time, with a part for each fault. */
export function chartOption({ spans, step, zone, colours, width, tip }: Drawn): EChartsOption {
  const names = spans.map((span) => tickText(span.since, step, zone));
  const shown = ticks(names, Math.max(1, Math.floor(width / TICK)));
  const most = Math.max(0, ...spans.map((span) => span.failures));
  return {
    animation: false,
    textStyle: { ...FONT, color: colours.text },
    grid: { left: 8, right: 8, top: 12, bottom: 4, containLabel: true },
    xAxis: {
      type: "category",
      data: names,
      axisLine: { lineStyle: { color: colours.line } },
      axisTick: { show: false },
      axisLabel: { ...FONT, color: colours.text, interval: (place: number) => shown.has(place), hideOverlap: true },
    },
    yAxis: {
      type: "value",
      minInterval: 1,
      // Without a failure ECharts draws no axis at all.
      ...(most === 0 ? { max: 1 } : {}),
      axisLabel: { ...FONT, color: colours.text },
      splitLine: { lineStyle: { color: colours.line } },
    },
    tooltip: {
      trigger: "axis",
      axisPointer: { type: "shadow" },
      confine: true,
      transitionDuration: 0,
      className: "chart-tip",
      backgroundColor: colours.ground,
      borderColor: colours.line,
      textStyle: { ...FONT, color: colours.text },
      formatter: (shown) => tip(placeOf(shown)),
    },
    series: FAULTS.map((fault) => ({
      type: "bar",
      name: faultName(fault),
      stack: "failures",
      cursor: "pointer",
      barCategoryGap: spans.length > 60 ? "10%" : "25%",
      barMaxWidth: 48,
      itemStyle: {
        color: colours.faults[fault],
        borderColor: colours.ground,
        borderWidth: spans.length > 60 ? 0 : 0.5,
      },
      emphasis: { disabled: true },
      data: spans.map((span) => span.byFault[fault]),
    })),
  };
}

/** How far names at the axis are apart: a day has a whole number of each of these but the last ones. */
const DISTANCES = [1, 2, 3, 4, 6, 8, 12, 24, 48, 72, 168, 336, 672];

/** Which places of an axis show their names, at most so many: the first day that begins, and others from there. */
export function ticks(names: readonly string[], most: number): ReadonlySet<number> {
  const every = DISTANCES.find((distance) => names.length / distance <= most) ?? names.length;
  const first =
    Math.max(
      0,
      names.findIndex((name) => !name.includes(":")),
    ) % every;
  return new Set([...names.keys()].filter((place) => place % every === first));
}

function placeOf(shown: unknown): number {
  const [first] = Array.isArray(shown) ? shown : [shown];
  return typeof first === "object" && first !== null && "dataIndex" in first ? Number(first.dataIndex) : 0;
}
