import type { Search } from "../url/search";

/** What a part of the page needs to show a view, and to change it. */
export interface View {
  /** What of the address is asked of the API. */
  readonly query: Search;
  /** The whole address. */
  readonly search: Search;
  readonly onSearch: OnSearch;
}

/** Goes to another view. Back returns from it, unless it is only a little further in the same step. */
export type OnSearch = (search: Search, isStep?: boolean) => void;
