import { TextInput } from "@mantine/core";

interface Props {
  readonly name: string;
  readonly onName: (name: string) => void;
}

/** Who asks, as others will read it. */
export function WhoField({ name, onName }: Props) {
  return (
    <TextInput
      label="Your name"
      description="Shown with what you say; this browser remembers it"
      autoComplete="username"
      maxLength={200}
      value={name}
      onChange={(event) => onName(event.currentTarget.value)}
    />
  );
}
