import { useState } from "react";

import { GLANCE, shortened } from "./shortened";

/** A text of a pod on a page; what is very long is shown as a whole when people ask for it. */
export function Long({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false);
  if (text.length <= GLANCE) return text;
  return (
    <>
      {isWhole ? text : shortened(text)}{" "}
      <button type="button" className="more" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
        {isWhole ? "less" : `all ${text.length.toLocaleString("en")} characters`}
      </button>
    </>
  );
}
