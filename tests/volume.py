"""Files that change while a process reads them: at once, so that it never sees half of a change."""

from collections.abc import Mapping
from pathlib import Path


def rewrite(file: Path, text: str) -> None:
    """Give a file other content. ``write_text`` would leave it empty for a moment, or for longer on a busy machine."""
    new = file.with_name(f".{file.name}.new")
    new.write_text(text)
    new.rename(file)


class Volume:
    """A ConfigMap or a Secret as the kubelet mounts it: each version has a folder, and a symlink leads to the latest.

    Readers use ``folder / name``.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._versions = 0

    def show(self, files: Mapping[str, bytes]) -> None:
        """Change all files at once to these."""
        self._versions += 1
        version = self.folder / f"..{self._versions}"
        version.mkdir(parents=True)
        for name, content in files.items():
            (version / name).write_bytes(content)
        (self.folder / "..data_tmp").symlink_to(version.name)
        (self.folder / "..data_tmp").rename(self.folder / "..data")
        for name in files:
            if not (self.folder / name).is_symlink():
                (self.folder / name).symlink_to(f"..data/{name}")

    def change(self, name: str, content: bytes) -> None:
        """Change one of the files; the others stay."""
        latest = self.folder / "..data"
        self.show({**{file.name: file.read_bytes() for file in latest.iterdir()}, name: content})
