import { visibleLine } from "../text/visible";
import { type Container, culpritOf, endOf, failedOf, partOf, ranOf, saidOf, userCodeText, whoseOf } from "./container";
import type { Info } from "./queries";
import { Rows } from "./rows";

/** Every container, which of them failed, and how. */
export function Containers({ info }: { info: Info }) {
  const containers = info.pod?.containers ?? [];
  const code = userCodeText(info.userCode);
  return (
    <>
      <Rows
        what="containers"
        titles={["Container", "How it ended", "Message", "Ran", "Part", "Whose", "Restarts", "Image"]}
        empty="The pod reported no containers: it was gone, or no container was made."
        rows={containers.map((container) => cells(container, info))}
      />
      {code !== "" && <p className="said">{visibleLine(code)}</p>}
    </>
  );
}

function cells(container: Container, info: Info) {
  const failed = failedOf(container, culpritOf(info));
  const name = visibleLine(container.name ?? "");
  const end = visibleLine(endOf(container));
  const whose = whoseOf(container);
  return [
    failed === "" ? name : <FailedName key="name" name={name} failed={failed} />,
    failed === "" ? end : <strong key="end">{end}</strong>,
    visibleLine(saidOf(container, info.terminationMessage ?? "")),
    ranOf(container),
    partOf(container),
    whose === "injected" ? <Injected key="whose" /> : whose,
    String(container.restartCount ?? 0),
    visibleLine(container.image ?? ""),
  ];
}

function FailedName({ name, failed }: { name: string; failed: string }) {
  return (
    <span>
      <strong>{name}</strong> {failed}
    </span>
  );
}

function Injected() {
  return <span className="mark">injected</span>;
}
