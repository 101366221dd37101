import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

import type { Search } from "../url/search";

interface Props {
  readonly search: Search;
  /** What a screen reader says, where what is shown is only a number. */
  readonly label?: string;
  readonly className?: string;
  readonly children: ReactNode;
}

/** Leads to the jobs behind what is shown. */
export function JobsLink({ search, label, className = "behind", children }: Props) {
  return (
    <Link className={className} to="/jobs" search={search} {...(label === undefined ? {} : { "aria-label": label })}>
      {children}
    </Link>
  );
}
