import { Button } from "@mantine/core";

import { counted } from "../text/numbers";
import { MOST } from "./queries";

interface Props {
  /** How many are not listed; nothing if that is not known. */
  readonly leftOut: number | undefined;
  readonly limit: number;
  readonly what: string;
  readonly onLimit: (limit: number) => void;
}

/** Says that there are more than are listed, and lists them as far as the API does. */
export function More({ leftOut, limit, what, onLimit }: Props) {
  if (leftOut === 0) return null;
  const number = leftOut === undefined ? "" : `${counted(leftOut)} `;
  if (limit >= MOST) return <p className="nothing">{`${number}more ${what} are not listed.`}</p>;
  return (
    <Button size="compact-sm" variant="default" mt="xs" onClick={() => onLimit(MOST)}>
      Show {number}more {what}
    </Button>
  );
}
