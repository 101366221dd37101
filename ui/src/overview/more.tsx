import { Button } from "@mantine/core";

import { counted } from "../text/numbers";

/** Says how many are not listed, and lists them. */
export function More({ leftOut, what, onMore }: { leftOut: number; what: string; onMore: () => void }) {
  if (leftOut === 0) return null;
  return (
    <Button size="compact-sm" variant="default" mt="xs" onClick={onMore}>
      Show {counted(leftOut)} more {what}
    </Button>
  );
}
