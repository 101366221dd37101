"""Tables: files of YAML that tests read, by libyaml; PyYAML's own parser takes ten times as long, in every process."""

from pathlib import Path
from typing import Any

import yaml


def table(path: Path) -> Any:  # noqa: ANN401 - whoever reads it says what it holds
    """What the file holds."""
    return yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
