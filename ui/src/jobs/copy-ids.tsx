import { Button } from "@mantine/core";
import { useState } from "react";

import { copyText } from "../text/copying";
import type { Job } from "./failure";

/** Copies the ids of all jobs that are shown, each on a line. */
export function CopyIds({ jobs }: { jobs: readonly Job[] }) {
  const [told, setTold] = useState("");
  const copy = async () => {
    const isCopied = await copyText(jobs.map((job) => job.jobId).join("\n"));
    setTold(isCopied ? `${jobs.length} ids copied` : "The browser does not allow it");
  };
  return (
    <Button size="compact-sm" variant="default" onClick={copy} onBlur={() => setTold("")}>
      <span role="status">{told || "Copy these ids"}</span>
    </Button>
  );
}
