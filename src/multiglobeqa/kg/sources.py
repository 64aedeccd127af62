"""The registry of public dumps and extracts, ``sources.yaml``: names to addresses, licences and checksums."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Final
from urllib.parse import urlsplit

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from multiglobeqa.errors import InputError

TABLE: Final = Path(__file__).with_name("sources.yaml")
_VARIABLE: Final = re.compile(r"\{([A-Za-z0-9_]+)\}")
_VALUE: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")


class Entry(BaseModel):
    """One entry of the registry; fields as in the head of ``sources.yaml``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: str
    url: str
    licence: str
    attribution: str
    bytes: int | None = None
    md5: str | None = None
    sha256: str | None = None
    md5_url: str | None = None
    file: str | None = None
    verify: bool = False
    note: str = ""


@dataclass(frozen=True)
class Source:
    """A file to fetch: everything is filled in."""

    name: str
    url: str
    file: str
    licence: str
    attribution: str
    bytes: int | None = None
    md5: str | None = None
    sha256: str | None = None
    md5_url: str | None = None
    verify: bool = False
    note: str = ""


def entries(path: str | Path | None = None) -> dict[str, Entry]:
    """The registry by name; raises InputError naming file and entry where it is not one."""
    file = Path(path) if path is not None else TABLE
    try:
        content: Any = yaml.safe_load(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise InputError(f"cannot be read as YAML: {error}.", source=file) from error
    if not isinstance(content, dict):
        raise InputError("is not a registry: it must map names to entries.", source=file)
    found: dict[str, Entry] = {}
    for name, fields in content.items():
        try:
            found[str(name)] = Entry.model_validate(fields)
        except ValidationError as error:
            first = error.errors()[0]
            place = f"{name}.{'.'.join(str(part) for part in first['loc'])}"
            raise InputError(f"{first['msg']}.", source=file, place=place) from error
    return found


def resolve(name: str, path: str | Path | None = None) -> Source:
    """The source of a name: ``planet``, or an entry with its values, ``geofabrik/europe/monaco``.

    The last variable of an address takes all that is left, slashes included. ``{ISO3}`` and ``{iso3}`` are
    one value in upper and lower case. Raises InputError for an unknown name, missing or odd values, or an
    entry without address.
    """
    known = entries(path)
    head, *values = name.split("/")
    if head not in known:
        raise InputError(f"{name!r} is not a known source.", mend=f"Known: {', '.join(known)}.")
    entry = known[head]
    if not entry.url:
        raise InputError(f"{head} has no file to fetch: {entry.note}.")
    variables = list(dict.fromkeys(word.lower() for word in _VARIABLE.findall(entry.url)))
    if len(values) < len(variables) or (not variables and values) or not all(map(_VALUE.fullmatch, values)):
        wanted = "/".join([head, *(f"{{{word}}}" for word in variables)])
        raise InputError(f"{name!r} does not fit {wanted}.", mend=entry.note)
    rest = values[len(variables) - 1 :] if variables else []
    filled = dict(zip(variables, [*values[: len(variables) - 1], "/".join(rest)], strict=False))
    if len(values) > len(variables) and "area" not in variables:
        raise InputError(f"{name!r} has too many parts.", mend=entry.note)

    def fill(match: re.Match[str]) -> str:
        word = str(match.group(1))
        value: str = filled[word.lower()]
        return value if word not in ("ISO3", "iso3") else value.upper() if word.isupper() else value.lower()

    url = _VARIABLE.sub(fill, entry.url)
    return Source(
        name=name,
        url=url,
        file=entry.file or PurePosixPath(urlsplit(url).path).name,
        licence=entry.licence,
        attribution=entry.attribution,
        bytes=entry.bytes,
        md5=entry.md5,
        sha256=entry.sha256,
        md5_url=entry.md5_url.replace("{url}", url) if entry.md5_url else None,
        verify=entry.verify,
        note=entry.note,
    )
