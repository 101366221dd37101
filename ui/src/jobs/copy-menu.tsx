import { ActionIcon, Menu } from "@mantine/core";
import { useState } from "react";

import { copyText } from "../text/copying";
import type { Column } from "./columns";
import type { Job } from "./failure";

/** Copies the id of a job, or the whole text of one of its cells. */
export function CopyMenu({ job, columns }: { job: Job; columns: readonly Column[] }) {
  const [told, setTold] = useState("");
  const copy = async (text: string) => setTold((await copyText(text)) ? "Copied" : "The browser does not allow it");
  return (
    <Menu position="bottom-end" onOpen={() => setTold("")} closeOnItemClick={false} withinPortal>
      <Menu.Target>
        <ActionIcon size="sm" variant="default" aria-label={`Copy from ${job.jobId}`}>
          <span aria-hidden>⧉</span>
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label role="status">{told || "Copy"}</Menu.Label>
        <Menu.Item onClick={() => copy(job.jobId)}>Job id</Menu.Item>
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
