import { Stack, Title } from "@mantine/core";
import { createContext, type ReactNode, useContext } from "react";

import { Conditions } from "./conditions";
import { Containers } from "./containers";
import { Correcting } from "./correcting";
import { Events } from "./events";
import { Gaps } from "./gaps";
import { Output } from "./output";
import type { Report } from "./queries";
import { Rules } from "./rules";

/** The level of the headings: they stand below those around them. */
export type Level = 2 | 4;

const Heading = createContext<Level>(2);

interface EvidenceProps {
  readonly report: Report;
  readonly level: Level;
  /** Whether the category of this failure stands elsewhere, with what corrects it. */
  readonly isNamed: boolean;
}

/** All evidence on a failure: what people look at most comes first. */
export function Evidence({ report, level, isNamed }: EvidenceProps) {
  const { info } = report;
  return (
    <Heading value={level}>
      <Stack gap="md">
        <Part title="Containers">
          <Containers info={info} />
        </Part>
        <Part title="What it wrote">
          <Output report={report} />
        </Part>
        <Part title="Warning events">
          <Events info={info} />
        </Part>
        <Part title="Why this category">
          <Rules info={info} />
          {!isNamed && <Correcting runId={report.runId} failureId={report.eventId} />}
        </Part>
        <Part title="Node and pod">
          <Conditions info={info} />
        </Part>
        <Part title="Missing evidence">
          <Gaps info={info} />
        </Part>
      </Stack>
    </Heading>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <Title order={useContext(Heading)} size="h5" mb={4}>
        {title}
      </Title>
      {children}
    </section>
  );
}
