import { Menu } from "@mantine/core";
import { useState } from "react";

import { copyText } from "../text/copying";
import { visibleLine } from "../text/visible";
import type { Column } from "./columns";
import type { Job } from "./failure";
import { addressOf } from "./link";

interface Props {
  readonly job: Job;
  readonly columns: readonly Column[];
  readonly view: string;
}

/** Copies the id of a job, a link to it, or the whole text of one of its cells. */
export function CopyMenu(props: Props) {
  const [isUsed, setUsed] = useState(false);
  // A menu costs much more than a button, and most of those in a table are never opened.
  if (isUsed) return <Opened {...props} />;
  return <CopyButton jobId={props.job.jobId} onClick={() => setUsed(true)} />;
}

function CopyButton({ jobId, className = "", ...button }: { jobId: string } & React.ComponentProps<"button">) {
  return (
    <button
      type="button"
      className={`copy ${className}`}
      aria-haspopup="menu"
      aria-keyshortcuts="c"
      aria-label={`Copy from ${visibleLine(jobId)}`}
      {...button}
    >
      <Sheets />
    </button>
  );
}

/** Two sheets. They are drawn: few fonts have a sign for this. */
function Sheets() {
  return (
    <svg aria-hidden="true" viewBox="0 0 16 16" width="14" height="14" fill="none" stroke="currentColor">
      <rect x="5.5" y="5.5" width="8" height="8" rx="1" />
      <path d="M3.5 10.5h-1v-8h8v1" />
    </svg>
  );
}

function Opened({ job, columns, view }: Props) {
  const [told, setTold] = useState("");
  const copy = async (text: string) => setTold((await copyText(text)) ? "Copied" : "The browser does not allow it");
  return (
    <Menu
      defaultOpened
      position="bottom-end"
      onOpen={() => setTold("")}
      closeOnItemClick={false}
      portalProps={{ target: "#main" }}
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>
        <CopyButton jobId={job.jobId} />
      </Menu.Target>
      <span role="status" className="hidden">
        {told}
      </span>
      <Menu.Dropdown>
        <Menu.Label aria-hidden>{told || "Copy"}</Menu.Label>
        <Menu.Item onClick={() => copy(job.jobId)}>Job id</Menu.Item>
        <Menu.Item onClick={() => copy(window.location.origin + addressOf(view, job.jobId))}>Link to it here</Menu.Item>
        {columns
          .filter((column) => column.id !== "name" && column.text(job) !== "")
          .map((column) => (
            <Menu.Item key={column.id} onClick={() => copy(column.text(job))}>
              {column.title}
            </Menu.Item>
          ))}
      </Menu.Dropdown>
    </Menu>
  );
}
