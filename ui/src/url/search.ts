/**
 * What an address says behind its question mark: the parameters of the API, and those of the page itself.
 *
 * Each name has a list of values, because a repeated parameter means "any of these". Whatever an address says, this
 * reads it without an error: people edit addresses, and links are cut.
 */
export type Search = Readonly<Record<string, readonly string[]>>;

/** More than any page writes; an address that is longer was not made here. */
const MOST_VALUES = 500;

export function parseSearch(text: string): Search {
  const found: Record<string, string[]> = Object.create(null);
  let left = MOST_VALUES;
  for (const [name, value] of new URLSearchParams(text)) {
    if (name === "" || left-- <= 0) continue;
    const values = found[name] ?? [];
    if (!values.includes(value)) values.push(value);
    found[name] = values;
  }
  return found;
}

/** The same search always gives the same text, so that equal views have equal links. */
export function printSearch(search: Search): string {
  const text = new URLSearchParams();
  for (const name of Object.keys(search).sort()) {
    for (const value of search[name] ?? []) text.append(name, value);
  }
  const printed = text.toString();
  return printed === "" ? "" : `?${printed}`;
}

/** The first value of a name. */
export function firstOf(search: Search, name: string): string | undefined {
  return search[name]?.[0];
}

/** A search with these values of a name; without any, the name is left out. */
export function withValues(search: Search, name: string, values: readonly string[]): Search {
  const { [name]: _, ...others } = search;
  return values.length === 0 ? others : { ...others, [name]: values };
}

/** A search with a value added to those of a name, or taken from them if it is there. */
export function toggled(search: Search, name: string, value: string): Search {
  const values = search[name] ?? [];
  return withValues(
    search,
    name,
    values.includes(value) ? values.filter((other) => other !== value) : [...values, value],
  );
}
