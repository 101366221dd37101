import "@mantine/core/styles.css";
import "./shell/page.css";

import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";

import { isAskedAgain } from "./api/refused";
import { router } from "./routes";
import { readable, theme } from "./theme";

const queries = new QueryClient({
  defaultOptions: {
    // Lookout may be on this machine: it is asked also where the browser finds no network.
    queries: { staleTime: 1_000, retry: isAskedAgain, refetchOnWindowFocus: false, networkMode: "always" },
    mutations: { networkMode: "always" },
  },
});

/** The server puts a new one into each page it sends: styles without it are refused. */
function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? "";
}

const root = document.getElementById("root");
if (root === null) throw new Error("the page has no element named root");
createRoot(root).render(
  <StrictMode>
    <MantineProvider theme={theme} cssVariablesResolver={readable} defaultColorScheme="auto" getStyleNonce={styleNonce}>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
