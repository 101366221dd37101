"""One module a revision. Each spells its columns out, so that later changes of ``agent.store.tables`` leave it alone."""
