"""One module a revision; each spells out its columns, so that a change of ``agent.store.tables`` leaves it alone."""
