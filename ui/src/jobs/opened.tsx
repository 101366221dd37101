import "../job/job.css";

import { Drawer, Group, Skeleton } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense } from "react";

import { visibleLine } from "../text/visible";
import { firstOf, type Search, withValues } from "../url/search";

const JobPanel = lazy(async () => ({ default: (await import("../job/panel")).JobPanel }));

interface Props {
  readonly search: Search;
  readonly onSearch: (search: Search) => void;
}

/** The job that the address opens, beside the table; Escape closes it. */
export function Opened({ search, onSearch }: Props) {
  const jobId = firstOf(search, "open") ?? "";
  return (
    <Drawer.Root
      opened={jobId !== ""}
      onClose={() => onSearch(withValues(withValues(search, "open", []), "run", []))}
      position="right"
      size="min(100%, 760px)"
      // Locking would need an inline style, which the page's content security policy refuses.
      lockScroll={false}
    >
      <Drawer.Overlay backgroundOpacity={0.25} />
      <Drawer.Content>
        <Drawer.Body>
          <Group justify="space-between" wrap="nowrap" align="start" mb="sm">
            <Drawer.Title>
              <Link className="as-page" to="/jobs/$id" params={{ id: jobId }} search={{}}>
                Job {visibleLine(jobId)} as a page
              </Link>
            </Drawer.Title>
            <Drawer.CloseButton aria-label="Close" />
          </Group>
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
