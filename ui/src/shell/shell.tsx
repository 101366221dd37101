import { ActionIcon, AppShell, Group, Text, useComputedColorScheme, useMantineColorScheme } from "@mantine/core";
import { Link, Outlet } from "@tanstack/react-router";

/** What is around every page. */
export function Shell() {
  return (
    <AppShell header={{ height: 48 }} padding="md">
      <a className="skip" href="#main">
        Skip to the page
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" gap="xs" wrap="nowrap">
          <Text component="span" fw={700} visibleFrom="xs">
            Lookout
          </Text>
          <Group component="nav" aria-label="Pages" gap={4} wrap="nowrap" flex={1}>
            <Link className="nav" to="/jobs" activeOptions={{ includeSearch: false }}>
              Jobs
            </Link>
          </Group>
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
