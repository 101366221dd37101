"""The OpenAPI document of Lookout's API: ``python -m tests.docs.openapi_document FILE`` writes it."""

import json
import sys
from pathlib import Path
from typing import Final

from agent.lookout.api.application import described

PAGE: Final = Path("docs/lookout-openapi.json")


def text() -> str:
    """The document, a field on each line so that changes of it can be read."""
    return json.dumps(described().openapi(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(text(), encoding="utf-8")
