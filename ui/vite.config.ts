import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

export default defineConfig({
  plugins: [react()],
  build: {
    // The content security policy allows no script in the page itself.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
  },
  server: {
    // `npx vite` beside a running Lookout, for work on the pages.
    proxy: { "/api": "http://127.0.0.1:8085" },
  },
  test: { environment: "node", include: ["src/**/*.test.ts"] },
});
