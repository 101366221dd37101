"""The pictures of the documentation can be made again, light and dark, and those that are there are small."""

import pytest

from tests.lookout.pages.conftest import Opens
from tests.lookout.pages.looks import SCHEMES
from tests.lookout.pages.marks import BROWSER
from tests.lookout.pages.stories.conftest import Week
from tests.lookout.pages.stories.pictures import MOST_BYTES, PICTURES, WIDTH, kept

pytestmark = BROWSER


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("name", PICTURES)
def test_it_is_made(week: Week, open_visit: Opens, name: str, scheme: str) -> None:
    picture = PICTURES[name]
    week.beat()
    visit = open_visit(week.lookout, color_scheme=scheme, viewport={"width": WIDTH, "height": picture.height})
    picture.show(visit)

    made = visit.keep(kept(name, scheme))

    assert made.stat().st_size <= MOST_BYTES
