import "../job/job.css";

import { Drawer, Skeleton } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";

import { JOB } from "../job/queries";
import { Resizer } from "../job/resizer";
import { keepWidth, lastWidth } from "../job/width";
import { Live } from "../live/live";
import { visibleLine } from "../text/visible";
import { firstOf, withValues } from "../url/search";
import { Steps } from "./steps";
import type { View } from "./view";

const JobPanel = lazy(async () => ({ default: (await import("../job/panel")).JobPanel }));

interface Props extends View {
  /** Whether the rows of jobs are beside it, not groups. */
  readonly isListed: boolean;
}

/** The job that the address opens, beside the table; Escape closes it. Its width is kept for the next time. */
export function Opened({ query, search, onSearch, isListed }: Props) {
  const jobId = firstOf(search, "open") ?? "";
  const [width, setWidth] = useState(lastWidth);
  const resize = (width: number) => {
    setWidth(width);
    keepWidth(width);
  };
  const close = () => {
    onSearch(withValues(withValues(search, "open", []), "run", []));
    focusRowOf(jobId);
  };
  // Back closes the panel, however many jobs were looked at in it.
  const step = (next: string) => {
    onSearch(withValues({ ...search, open: [next] }, "run", []), false);
    rowOf(next)?.scrollIntoView({ block: "nearest" });
  };
  return (
    <Drawer.Root
      opened={jobId !== ""}
      onClose={close}
      position="right"
      size={`min(100%, ${width}px)`}
      // Locking would need an inline style, which the page's content security policy refuses.
      lockScroll={false}
    >
      <Drawer.Overlay backgroundOpacity={0.25} />
      <Drawer.Content>
        <Drawer.Body>
          <Resizer width={width} onWidth={resize} />
          <div className="panel-head">
            <Drawer.Title>
              <Link className="as-page" data-autofocus to="/jobs/$id" params={{ id: jobId }} search={{}}>
                Job {visibleLine(jobId)} as a page
              </Link>
            </Drawer.Title>
            <Drawer.CloseButton aria-label="Close" />
            {jobId !== "" && (
              <div className="panel-bar">
                {isListed && <Steps query={query} jobId={jobId} onStep={step} />}
                <Live scope={JOB} of={`job/${jobId}`} />
              </div>
            )}
          </div>
          {jobId !== "" && (
            <Suspense fallback={<Skeleton height={200} />}>
              <JobPanel key={jobId} jobId={jobId} />
            </Suspense>
          )}
        </Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}

/** The row from which people came may have been drawn again meanwhile: then nothing would have the focus. */
function focusRowOf(jobId: string): void {
  requestAnimationFrame(() => {
    const row = rowOf(jobId);
    if (row !== null && !row.contains(document.activeElement)) row.focus();
  });
}

function rowOf(jobId: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(`[data-job="${CSS.escape(jobId)}"] [data-row]`);
}
