import { type ReactNode, useId } from "react";

interface Props {
  readonly title: string;
  /** What was counted and from when to when: every number says it. */
  readonly base?: ReactNode;
  readonly aside?: ReactNode;
  readonly isBusy?: boolean;
  readonly children: ReactNode;
}

/** A part of the page with a heading of its own. */
export function Card({ title, base, aside, isBusy = false, children }: Props) {
  const id = useId();
  return (
    <section className="card" aria-labelledby={id} aria-busy={isBusy}>
      <div className="card-head">
        <h2 id={id}>{title}</h2>
        {aside}
      </div>
      {children}
      {base !== undefined && <p className="card-base">{base}</p>}
    </section>
  );
}
