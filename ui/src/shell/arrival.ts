import { useRouter } from "@tanstack/react-router";
import { useEffect } from "react";

/** Another page begins at its top, and with the focus on it, as one does that the browser loads. Back goes where it was. */
export function useArrival(): void {
  const router = useRouter();
  useEffect(() => {
    let page = router.history.location.pathname;
    return router.history.subscribe(({ location, action }) => {
      const isOther = location.pathname !== page;
      page = location.pathname;
      if (!isOther || action.type !== "PUSH") return;
      window.scrollTo(0, 0);
      document.getElementById("main")?.focus({ preventScroll: true });
    });
  }, [router]);
}
