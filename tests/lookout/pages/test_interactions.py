"""What people expect of the pages is proved by tests that exist."""

import re
from collections.abc import Iterator
from pathlib import Path

from tests.ground.findings import assert_no_findings
from tests.tables import table

HERE = Path(__file__).parent
PROOFS: dict[str, list[str]] = table(HERE / "interactions.yaml")


def missing(interaction: str) -> Iterator[str]:
    if not PROOFS[interaction]:
        yield f"{interaction}: no test proves it"
    for proof in PROOFS[interaction]:
        if not exists(proof):
            yield f"{interaction}: there is no {proof}"


def exists(proof: str) -> bool:
    file, _, name = proof.partition("::")
    path = HERE / file
    return path.is_file() and re.search(rf"^def {name}\(", path.read_text(encoding="utf-8"), re.MULTILINE) is not None


def test_every_interaction_has_tests_that_prove_it() -> None:
    assert len(PROOFS) > 20
    assert_no_findings(missing, PROOFS)


def test_a_test_that_does_not_exist_is_found() -> None:
    assert not exists("test_interactions.py::test_none")
    assert not exists("test_none.py::test_every_interaction_has_tests_that_prove_it")
    assert exists("test_interactions.py::test_every_interaction_has_tests_that_prove_it")
