"""Writing the parts of a snapshot so that it changes only when all of them are whole."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from multiglobeqa.kg.store import MANIFEST, Part, Snapshot, write_manifest


@contextmanager
def staging(folder: Path) -> Iterator[Path]:
    """Yield a new folder inside ``folder``, which goes at the end with what is left in it.

    Folders that had to be made, ``folder`` itself among them, go too if they are empty at the end.
    """
    made = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    stage = Path(tempfile.mkdtemp(prefix=".import.", dir=folder))
    try:
        yield stage
    finally:
        shutil.rmtree(stage, ignore_errors=True)
        for path in made:
            with suppress(OSError):
                path.rmdir()


def publish(stage: Path, folder: Path, kg: str, written: list[Part], kept: Iterable[Part] = ()) -> Snapshot:
    """Move the files of the parts from ``stage`` to ``folder`` and write the manifest of these and the kept
    parts.

    The old manifest goes first: a folder in between is no snapshot rather than a wrong one.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MANIFEST).unlink(missing_ok=True)
    for part in written:
        for name in part.sha256:
            (stage / name).replace(folder / name)
    return write_manifest(folder, kg, {part.name: part for part in (*kept, *written)}.values())
