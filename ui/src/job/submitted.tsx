import { Button, Code, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";

import { Lines } from "./lines";
import type { JobHistory } from "./queries";
import { submittedPod, useScheduler } from "./scheduler";
import { Told } from "./told";
import { Written } from "./written";

/** Few people open it, so what reads YAML is loaded when somebody does. */
const Manifest = lazy(async () => ({ default: (await import("./manifest")).Manifest }));

const TITLE = "The pod as it was submitted";

/** The pod as it was submitted, which the scheduler keeps. */
export function Submitted({ job }: { job: JobHistory }) {
  return (
    <section aria-labelledby="submitted">
      <Title order={2} size="h4" id="submitted" mb={4}>
        What was submitted
      </Title>
      {job.state === null ? (
        <p className="said">
          Nobody submitted this job here: its pods were only observed. What is known of them is with each attempt.
        </p>
      ) : (
        <OnDemand jobId={job.jobId} />
      )}
    </section>
  );
}

function OnDemand({ jobId }: { jobId: string }) {
  const [isOpen, setOpen] = useState(false);
  if (useScheduler() === false) {
    return (
      <p className="said">
        The scheduler keeps it, and this Lookout does not know one: set <Code>api.scheduler</Code> in its settings.
      </p>
    );
  }
  return (
    <>
      <Button size="xs" variant="default" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? "Hide" : "Show"} the YAML
      </Button>
      {isOpen && <Pod jobId={jobId} />}
    </>
  );
}

function Pod({ jobId }: { jobId: string }) {
  const query = useQuery(submittedPod(jobId));
  return (
    <Told query={query} what="the submitted pod">
      {({ yaml = "", redacted = [] }) => (
        <>
          <Suspense fallback={<Written title={TITLE} text={yaml} />}>
            <Manifest title={TITLE} text={yaml} />
          </Suspense>
          {redacted.length > 0 && (
            <Text size="sm" c="dimmed">
              What is named as secrets are, or looks like one, is not shown to anybody.
            </Text>
          )}
          <Lines title="Left out" lines={redacted} />
        </>
      )}
    </Told>
  );
}
