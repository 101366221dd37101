import { useComputedColorScheme } from "@mantine/core";
import { useElementSize, useMergedRef } from "@mantine/hooks";
import { BarChart } from "echarts/charts";
import { GridComponent, TooltipComponent } from "echarts/components";
import { type EChartsType, init, use } from "echarts/core";
import { CanvasRenderer } from "echarts/renderers";
import { useEffect, useRef, useState } from "react";

import type { Step } from "./address";
import { type Colours, chartOption } from "./chart-option";
import { tipOf } from "./chart-tip";
import { FAULTS, type Fault, type Span } from "./faults";

// The renderer to SVG writes style attributes, which the content security policy refuses; this one draws.
use([BarChart, GridComponent, TooltipComponent, CanvasRenderer]);

interface Props {
  readonly spans: readonly Span[];
  readonly step: Step;
  readonly zone: string;
  /** What it shows, in words. */
  readonly label: string;
  /** A bar was chosen, or the part of it that is one fault. */
  readonly onChoose: (span: Span, fault: Fault | undefined) => void;
}

/** Bars over time. It is loaded apart from the page, because ECharts is larger than all the rest. */
export function Chart({ spans, step, zone, label, onChoose }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const { ref: sizing, width } = useElementSize();
  const ref = useMergedRef(box, sizing);
  const [chart, setChart] = useState<EChartsType>();
  const scheme = useComputedColorScheme("light");
  const choose = useRef((_place: number, _fault: Fault | undefined) => {});
  choose.current = (place, fault) => {
    const span = spans[place];
    if (span !== undefined && span.failures > 0) onChoose(span, fault);
  };

  useEffect(() => {
    const made = init(box.current, null, { renderer: "canvas", height: 260 });
    setChart(made);
    listen(made, (place, fault) => choose.current(place, fault));
    return () => made.dispose();
  }, []);

  useEffect(() => {
    if (chart === undefined || width === 0) return;
    const tip = (place: number) => tipOf(spans[place], step, zone);
    chart.resize({ width });
    chart.setOption(chartOption({ spans, step, zone, colours: coloursOf(scheme), width, tip }), { notMerge: true });
  }, [chart, spans, step, zone, scheme, width]);

  return <div ref={ref} className="chart" role="img" aria-label={label} />;
}

/** Hear of clicks: on a part of a bar, or anywhere above or below it. A first touch only shows what is there. */
function listen(chart: EChartsType, choose: (place: number, fault: Fault | undefined) => void): void {
  let touched = -1;
  const isFirstTouch = (event: unknown, place: number) => {
    const isTouch = event instanceof PointerEvent && event.pointerType === "touch";
    const isFirst = isTouch && touched !== place;
    touched = isTouch ? place : -1;
    return isFirst;
  };
  chart.getZr().on("click", (event) => {
    const point = [event.offsetX, event.offsetY];
    if (!chart.containPixel("grid", point)) return;
    const place = chart.convertFromPixel({ xAxisIndex: 0 }, point[0] ?? 0) as unknown as number;
    if (isFirstTouch(event.event, place)) return;
    choose(place, event.target === undefined ? undefined : faultAt(chart, point));
  });
}

/** The fault whose part of a bar is at a point: parts lie on each other in order. */
function faultAt(chart: EChartsType, point: readonly number[]): Fault | undefined {
  const [x = 0, y = 0] = point;
  const [place = 0, height = 0] = chart.convertFromPixel({ gridIndex: 0 }, [x, y]);
  const series = chart.getOption().series as readonly { data: readonly number[] }[];
  let top = 0;
  return FAULTS.find((_, at) => {
    top += series[at]?.data[place] ?? 0;
    return height <= top;
  });
}

/** The colours of the page as it is now. */
function coloursOf(_scheme: "light" | "dark"): Colours {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const faults = Object.fromEntries(FAULTS.map((fault) => [fault, colour(`--bar-${fault}`)])) as Colours["faults"];
  return {
    faults,
    text: colour("--mantine-color-dimmed"),
    line: colour("--mantine-color-default-border"),
    ground: colour("--mantine-color-body"),
  };
}
