"""The program ``jobset``: JobSet's own controller, with the custom resource that it works on."""

import json
from pathlib import Path
from typing import Final

import yaml

from tests.servers.go_program import GoProgram
from tests.servers.progress import Progress

SOURCE: Final = Path(__file__).parent / "jobset"
PROGRAM: Final = "jobset"
RESOURCE: Final = "resource.json"
"""The CustomResourceDefinition of the module, in JSON: it is long, and YAML takes seconds to read."""

_MODULE: Final = "sigs.k8s.io/jobset"
_DEFINITION: Final = "config/components/crd/bases/jobset.x-k8s.io_jobsets.yaml"


class JobSetProgram:
    """JobSet's controller for tests. Its version is the one go.mod requires."""

    name: Final = "jobset"
    cost: Final = "about 2 minutes of two processors, 1 GB of disk"

    def key(self) -> str:
        return GoProgram(source=SOURCE).fingerprint()

    def build(self, into: Path, *, jobs: int, progress: Progress) -> None:
        program = GoProgram(source=SOURCE)
        program.build(into / PROGRAM, jobs=jobs, progress=progress)
        definition = (program.module(_MODULE) / _DEFINITION).read_text(encoding="utf-8")
        (into / RESOURCE).write_text(json.dumps(yaml.safe_load(definition)), encoding="utf-8")
