import { Button, Group, Input, TextInput } from "@mantine/core";
import { type ReactNode, useId, useState } from "react";

import { momentOfBound } from "../jobs/window";
import { fieldIn, momentIn } from "../text/zones";
import { firstOf, type Search, withValues } from "../url/search";
import { fitsHours, lengthOf, type View, WINDOWS, withWindow } from "./address";

interface Props {
  readonly view: View;
  readonly search: Search;
  readonly onSearch: (search: Search) => void;
}

/** From when to when, and by hour or by day. */
export function WindowChoice({ view, search, onSearch }: Props) {
  const { window, zone, step } = view;
  const chosen = "until" in window ? undefined : WINDOWS.find(([since]) => since === firstOf(window, "since"))?.[0];
  const [isOpen, setOpen] = useState(false);
  const isCustom = isOpen || chosen === undefined;
  const choose = (since: string) => {
    setOpen(false);
    onSearch(withWindow(search, { since: [since] }, zone));
  };
  const isShort = fitsHours(lengthOf(window, Date.now()));
  return (
    <>
      <Labelled label="Runs that ended in the last">
        {WINDOWS.map(([since, name]) => (
          <Choice key={since} text={name} isOn={!isCustom && chosen === since} onClick={() => choose(since)} />
        ))}
        <Choice text="From … until …" isOn={isCustom} onClick={() => setOpen(!isOpen)} />
      </Labelled>
      <Labelled label="Bars">
        {(["hour", "day"] as const).map((name) => (
          <Choice
            key={name}
            text={name === "hour" ? "By hour" : "By day"}
            isOn={step === name}
            isOff={name === "hour" && !isShort}
            onClick={() => onSearch(withValues(search, "step", [name]))}
          />
        ))}
      </Labelled>
      {isCustom && <Bounds key={`${zone} ${window.since} ${window.until}`} {...{ view, search, onSearch }} />}
    </>
  );
}

/** Choices that belong together, with their name above as fields have it. */
function Labelled({ label, children }: { label: string; children: ReactNode }) {
  const id = useId();
  return (
    <div>
      <Input.Label id={id} size="xs" labelElement="div">
        {label}
      </Input.Label>
      <Group gap={6} role="group" aria-labelledby={id}>
        {children}
      </Group>
    </div>
  );
}

interface ChoiceProps {
  readonly text: string;
  readonly isOn: boolean;
  readonly isOff?: boolean;
  readonly onClick: () => void;
}

function Choice({ text, isOn, isOff = false, onClick }: ChoiceProps) {
  return (
    <Button
      size="xs"
      px="xs"
      variant={isOn ? "filled" : "default"}
      aria-pressed={isOn}
      disabled={isOff}
      onClick={onClick}
    >
      {text}
    </Button>
  );
}

/** Both ends of the window, as clocks in the zone of the page show them. */
function Bounds({ view: { window, zone }, search, onSearch }: Props) {
  const shown = (name: string) => fieldIn(zone, momentText(firstOf(window, name)));
  const [since, setSince] = useState(() => shown("since"));
  const [until, setUntil] = useState(() => shown("until"));
  const from = momentIn(zone, since);
  const to = momentIn(zone, until);
  const isWrong = from !== undefined && to !== undefined && from >= to;
  const show = (event: React.FormEvent) => {
    event.preventDefault();
    const bounds = { ...(from && { since: [from] }), ...(to && { until: [to] }) };
    if (!isWrong) onSearch(withWindow(search, bounds, zone));
  };
  return (
    <form onSubmit={show}>
      <Group gap="xs" align="end">
        <Bound label={`From (${zone})`} value={since} onValue={setSince} />
        <Bound
          label={`Until (${zone})`}
          value={until}
          onValue={setUntil}
          error={isWrong && "This is before the start"}
        />
        <Button size="xs" type="submit">
          Show
        </Button>
      </Group>
    </form>
  );
}

/** When a bound is, also one that is so long ago. */
function momentText(bound: string | undefined): string {
  const moment = momentOfBound(bound, Date.now());
  return moment === undefined ? "" : new Date(moment).toISOString();
}

interface BoundProps {
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly error?: string | false;
}

function Bound({ label, value, onValue, error = false }: BoundProps) {
  return (
    <TextInput
      size="xs"
      type="datetime-local"
      label={label}
      value={value}
      error={error}
      onChange={(event) => onValue(event.currentTarget.value)}
    />
  );
}
