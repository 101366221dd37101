import { useDebouncedCallback } from "@mantine/hooks";
import { useState } from "react";

/** How long nobody types until what was typed is asked for. */
const PAUSE = 350;

interface Draft {
  readonly text: string;
  readonly type: (text: string) => void;
  /** Asks at once. */
  readonly finish: () => void;
}

interface State {
  readonly text: string;
  /** What the address had when this was last drawn. */
  readonly seen: string;
  /** What this field put into the address. */
  readonly own?: string | undefined;
}

/**
 * What somebody types into a field, and what the address has of it. `commit` takes it into the address, as a step to
 * which Back returns only the first time. If the address changes otherwise, as by Back, the field follows.
 */
export function useDraft(
  committed: string,
  isFit: (text: string) => boolean,
  commit: (text: string, isStep: boolean) => void,
): Draft {
  const [state, setState] = useState<State>({ text: committed, seen: committed });
  if (state.seen !== committed) setState(followed(state, committed));
  const settle = (text: string) => {
    if (text === committed || !isFit(text)) return;
    commit(text, state.own === undefined);
    setState((state) => ({ ...state, own: text }));
  };
  const settleLater = useDebouncedCallback(settle, PAUSE);
  return {
    text: state.text,
    type: (text) => {
      setState((state) => ({ ...state, text }));
      settleLater(text);
    },
    finish: () => {
      settleLater.cancel();
      settle(state.text);
    },
  };
}

/** A field whose address changed: what is typed meanwhile stays if the field itself changed it. */
export function followed(state: State, committed: string): State {
  if (committed === state.own) return { ...state, seen: committed };
  return { text: committed, seen: committed };
}
