import { Alert, Anchor, Code, Stack, Title } from "@mantine/core";
import { type ErrorComponentProps, Link } from "@tanstack/react-router";

/** An address that no page has. */
export function NotFound() {
  return (
    <Stack gap="sm" align="flex-start">
      <title>No such page</title>
      <Title order={1}>There is no such page</Title>
      <Anchor component={Link} to="/">
        Overview
      </Anchor>
      <Anchor component={Link} to="/jobs">
        All jobs
      </Anchor>
    </Stack>
  );
}

/** A fault of these pages themselves. */
export function Unforeseen({ error }: ErrorComponentProps) {
  return (
    <Alert color="red" variant="outline" title="This page has a fault">
      <Stack gap="xs">
        <span>Reload it. If the fault stays, report it with these words:</span>
        <Code block>{error instanceof Error ? error.message : String(error)}</Code>
      </Stack>
    </Alert>
  );
}
