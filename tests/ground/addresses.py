"""Names that no file of the tree has: hosts of package registries, as patterns."""

from typing import Final

REGISTRIES: Final = (
    r"pypi\.(python\.)?org",
    r"pythonhosted\.org",
    r"registry\.npmjs\.org",
    r"registry\.yarnpkg\.com",
    r"proxy\.golang\.org",
    r"index\.crates\.io",
    r"static\.crates\.io",
    r"repo1?\.maven\.(apache\.)?org",
    r"(deb|security)\.debian\.org",
)
