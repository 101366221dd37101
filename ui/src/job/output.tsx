import { Code, Text } from "@mantine/core";

import { visible, visibleLine } from "../text/visible";
import { Copy } from "./facts";
import { linesOf, sameOf } from "./log";
import type { Info } from "./queries";
import { keyed } from "./words";

/** What the containers wrote: the line that names the error, the termination message, and the ends of logs. */
export function Output({ info }: { info: Info }) {
  const trace = info.stackTrace;
  const message = info.terminationMessage ?? "";
  const keys = [trace?.keyLine ?? "", ...(trace?.candidates ?? []).map((line) => line.text ?? "")];
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
      <LogTails info={info} keys={keys} />
    </>
  );
}

function KeyLines({ trace }: { trace: NonNullable<Info["stackTrace"]> }) {
  return (
    <div className="said">
      What names the error, of {trace.lineCount ?? 0} lines:
      {keyed(trace.candidates ?? [], (line) => line.text ?? "").map(([key, line]) => (
        <div key={key}>
          <mark>{visibleLine(line.text ?? "")}</mark>{" "}
          <Text span size="sm" c="dimmed">
            {line.why}
          </Text>
        </div>
      ))}
    </div>
  );
}

function LogTails({ info, keys }: { info: Info; keys: readonly string[] }) {
  const tails = info.logTails ?? [];
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

/** Why there is no log, and what lets there be one. */
function NoLog({ info }: { info: Info }) {
  const gap = (info.missingEvidence ?? []).find(({ what }) => what?.startsWith("log"));
  if (gap !== undefined) return <p className="said">The log could not be read: {visibleLine(gap.reason ?? "")}.</p>;
  if (info.userCode?.ran === "TRISTATE_NO") return <p className="said">No container ran, so there is no log.</p>;
  return (
    <p className="said">
      There is no log of this run. Logs are read only where the agent's settings allow it: list the namespace in{" "}
      <Code>logTails.namespaces</Code> of the agent of its cluster. What Kubernetes still has is read by{" "}
      <Code>kubectl logs</Code>.
    </p>
  );
}

interface WrittenProps {
  readonly title: string;
  readonly text: string;
  readonly keys: readonly string[];
}

/** A text as it was written, with the lines that name the error marked. */
function Written({ title, text, keys }: WrittenProps) {
  return (
    <figure className="written">
      <figcaption>
        {title} <Copy what={title} text={text} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section className="lines" aria-label={title} tabIndex={0} ref={showKey}>
        {keyed(linesOf(text, keys), (line) => line.text).map(([key, line]) =>
          line.isKey ? <mark key={key}>{visible(line.text)}</mark> : <span key={key}>{visible(line.text) || " "}</span>,
        )}
      </section>
    </figure>
  );
}

/** Scrolls to the line that names the error; without one, to the end, where programs say why they end. */
function showKey(lines: HTMLElement | null) {
  if (lines === null) return;
  const key = lines.querySelector("mark");
  lines.scrollTop = key === null ? lines.scrollHeight : key.offsetTop - lines.offsetTop - lines.clientHeight / 2;
}
