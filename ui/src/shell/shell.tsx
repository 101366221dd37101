import { ActionIcon, AppShell, Group, useComputedColorScheme, useMantineColorScheme } from "@mantine/core";
import { Link, Outlet } from "@tanstack/react-router";

import { useArrival } from "./arrival";

/** The pages that are reached from everywhere, in the order of their links. */
const PAGES = [
  { to: "/", name: "Overview" },
  { to: "/jobs", name: "Jobs" },
] as const;

/** What is around every page. */
export function Shell() {
  useArrival();
  return (
    <AppShell header={{ height: 48 }} padding="md">
      <a className="skip" href="#main">
        Skip to the page
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" gap="xs" wrap="nowrap">
          <span className="brand">Lookout</span>
          <nav aria-label="Pages">
            {PAGES.map(({ to, name }) => (
              <Link key={to} className="nav" to={to} activeOptions={{ exact: to === "/", includeSearch: false }}>
                {name}
              </Link>
            ))}
          </nav>
          <SchemeSwitch />
        </Group>
      </AppShell.Header>
      <AppShell.Main id="main" tabIndex={-1}>
        <Outlet />
      </AppShell.Main>
    </AppShell>
  );
}

function SchemeSwitch() {
  const { setColorScheme } = useMantineColorScheme();
  const other = useComputedColorScheme("light") === "light" ? "dark" : "light";
  return (
    <ActionIcon variant="default" aria-label={`Use the ${other} colours`} onClick={() => setColorScheme(other)}>
      <span aria-hidden>{other === "dark" ? "☾" : "☀"}</span>
    </ActionIcon>
  );
}
