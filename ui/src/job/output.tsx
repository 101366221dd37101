import { Code, Text } from "@mantine/core";

import { Long } from "../text/long";
import { visibleLine } from "../text/visible";
import { type Keys, partsOf, sameOf } from "./log";
import type { Info, Report } from "./queries";
import { keyed } from "./words";
import { Written } from "./written";

/** What the containers wrote: the line that names the error, the termination message, and the ends of logs. */
export function Output({ report }: { report: Report }) {
  const { info } = report;
  const trace = info.stackTrace;
  const message = info.terminationMessage ?? "";
  const keys = {
    lines: [trace?.keyLine ?? "", ...(trace?.candidates ?? []).map((line) => line.text ?? "")],
    parts: partsOf(info.classification?.matches?.[0]),
  };
  return (
    <>
      {trace !== undefined && <KeyLines trace={trace} />}
      {message === "" && <p className="said">No termination message was left.</p>}
      {message !== "" && (
        <Written title={`Termination message of ${visibleLine(info.containerName ?? "")}`} text={message} keys={keys} />
      )}
      {info.podError && !(message !== "" && info.podError.includes(message)) && (
        <Written title="The platform's message" text={info.podError} keys={keys} />
      )}
      <LogTails report={report} keys={keys} />
    </>
  );
}

function KeyLines({ trace }: { trace: NonNullable<Info["stackTrace"]> }) {
  return (
    <div className="said">
      What names the error, of {trace.lineCount ?? 0} lines:
      {keyed(trace.candidates ?? [], (line) => line.text ?? "").map(([key, line]) => (
        <div key={key}>
          <mark>
            <Long text={visibleLine(line.text ?? "")} />
          </mark>{" "}
          <Text span size="sm" c="dimmed">
            {line.why}
          </Text>
        </div>
      ))}
    </div>
  );
}

function LogTails({ report, keys }: { report: Report; keys: Keys }) {
  const { info } = report;
  const tails = info.logTails ?? [];
  if (report.logsDropped) return <Dropped />;
  if (tails.length === 0) return <NoLog info={info} />;
  return keyed(tails, (tail) => `${tail.container} ${tail.previous}`).map(
    ([key, { container, previous, text = "" }]) => {
      const title = `End of the log of ${visibleLine(container ?? "")}${previous ? ", before its last restart" : ""}`;
      const told = sameOf(text, info.terminationMessage ?? "");
      if (told === "") return <Written key={key} title={title} text={text} keys={keys} />;
      return (
        <p key={key} className="said">
          {title}: {told}.
        </p>
      );
    },
  );
}

/** Logs go earlier than everything else that is known of a failure. */
function Dropped() {
  return (
    <p className="said">
      The end of the log was kept, and has been dropped since: Lookout keeps it for <Code>logRetention</Code> of its
      settings, 7 days unless they say otherwise.
    </p>
  );
}

/** Why there is no log, and what lets there be one. */
function NoLog({ info }: { info: Info }) {
  const gap = (info.missingEvidence ?? []).find(({ what }) => what?.startsWith("log"));
  if (gap !== undefined) return <p className="said">The log could not be read: {visibleLine(gap.reason ?? "")}.</p>;
  if (info.userCode?.ran === "TRISTATE_NO") return <p className="said">No container ran, so there is no log.</p>;
  return (
    <p className="said">
      There is no log of this run. Agents read no logs unless their settings name the namespace: list it under{" "}
      <Code>logTails.namespaces</Code> of the agent of its cluster. <Code>kubectl logs</Code> shows what Kubernetes
      still has.
    </p>
  );
}
