"""One module a revision; each spells out its columns, so that later changes of ``agent.store.tables`` leave it alone."""
