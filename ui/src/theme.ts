import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from "@mantine/core";

/** One blue, dark enough to carry white text in both schemes. */
const ours: MantineColorsTuple = [
  "#eef5fc",
  "#d8e6f5",
  "#aecbea",
  "#81afdf",
  "#5c97d6",
  "#4688d1",
  "#2f74bd",
  "#1c5fa8",
  "#124f92",
  "#073e7b",
];

/**
 * The options themselves scroll: another box around them would have to be reached by the keyboard. They are a part of the
 * page, which those who do not see it find by its landmarks.
 */
const scrolling = {
  defaultProps: {
    withScrollArea: false,
    styles: { options: { maxHeight: 300, overflowY: "auto" } },
    comboboxProps: { portalProps: { target: "#main" } },
  },
};

export const theme = createTheme({
  components: { Autocomplete: scrolling, MultiSelect: scrolling, Select: scrolling, TagsInput: scrolling },
  colors: { ours },
  primaryColor: "ours",
  primaryShade: { light: 7, dark: 6 },
  autoContrast: true,
  cursorType: "pointer",
  defaultRadius: "sm",
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Noto Sans Mono", monospace',
  headings: { fontWeight: "600" },
});

/**
 * Mantine's dimmed text, placeholders and edges of fields are below the contrast of WCAG AA; these are above it. Faults
 * have a colour for text, and one for bars: large areas need less contrast, and must be told from each other.
 */
export const readable: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-dimmed": "#4e5761",
    "--mantine-color-placeholder": "#5c6670",
    "--mantine-color-error": "#b3261e",
    "--mantine-color-red-outline": "#b3261e",
    "--field-edge": "#868e96",
    "--fault-infra": "#9a4a00",
    "--fault-platform": "#6a3fa0",
    "--fault-user": "#1c5fa8",
    "--fault-unknown": "#56606b",
    "--bar-infra": "#d9730d",
    "--bar-platform": "#8a5bd1",
    "--bar-user": "#2f74bd",
    "--bar-unknown": "#87919b",
    "--yaml-key": "#1c5fa8",
    "--yaml-string": "#1b6b3a",
  },
  dark: {
    "--mantine-color-anchor": "#81afdf",
    "--mantine-color-dimmed": "#b4bcc6",
    "--mantine-color-placeholder": "#a8b1bb",
    "--mantine-color-error": "#ff9d95",
    "--field-edge": "#7d8894",
    "--fault-infra": "#f2a65a",
    "--fault-platform": "#c5a3f5",
    "--fault-user": "#81afdf",
    "--fault-unknown": "#b4bcc6",
    "--bar-infra": "#f2a65a",
    "--bar-platform": "#b48cf0",
    "--bar-user": "#5c97d6",
    "--bar-unknown": "#7d8894",
    "--yaml-key": "#81afdf",
    "--yaml-string": "#8fd19e",
  },
});
