"""The classifier in Go, at work on a rule set and pods of ours."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Self

from agent.core.classify.rules import RuleSet
from bench.peer.process import PeerProcess
from bench.sample.documents import Document, task


class GoClassifier(AbstractContextManager["GoClassifier"]):
    """``bench/go/classify``, warm: ``answers`` are the categories it gave the pods, in their order."""

    def __init__(self, program: Path, rules: RuleSet, documents: Sequence[Document]) -> None:
        with TemporaryDirectory(prefix="bench-") as folder:
            file = Path(folder) / "task.json"
            file.write_bytes(task(rules, documents))
            self._process = PeerProcess(program, [str(file)])
            self.answers: list[str] = self._process.answer()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.__exit__(kind, error, trace)

    def classify_us(self) -> float:
        """Microseconds of processor a pod, of classifying all of them once."""
        return float(self._process.ask("classify"))

    def decode_us(self) -> float:
        """The same figure, with each pod read from JSON before."""
        return float(self._process.ask("decode"))
