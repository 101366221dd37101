"""One module a revision; each spells out its columns, so that a later change of a table leaves it alone."""
