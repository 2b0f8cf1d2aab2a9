"""The profile file: written by `calibrate` only, read by everything else.

A TOML file that a person can read; the empty tray lies beside it as a PNG named after its own content, and the three
profiles before it as FILE.1 (the newest) to FILE.3.
"""

import hashlib
import os
import re
import tomllib
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.impossible import impossible
from vision.profile import TrayProfile
from vision.tables import Problems, dump, parse

FORMAT = 1
KEPT = 3
MEND = "run `mishimash calibrate` to make a new one, or `mishimash calibrate undo` to take the one before"


class ProfileError(ValueError):
    """A profile cannot be used; the text is one line that names the file, what is wrong and what to do."""


def load_profile(path: Path | str, camera: str | None = None, size_px: tuple[int, int] | None = None) -> TrayProfile:
    """The profile in the file `path`, fit for the camera named `camera` and pictures of `size_px` (width, height).

    None accepts any camera or size. Raises ProfileError, which names all that is wrong in the file at once.
    """
    path = Path(path)
    table = _read_table(path)
    version = table.pop("format", None)
    if version != FORMAT:
        found = "is missing" if version is None else f"= {version!r}"
        raise ProfileError(f"{path}: format {found}, this program reads format {FORMAT}: {MEND}")
    sidecar = table.pop("empty_picture", None)
    problems = Problems()
    profile = parse(TrayProfile, table, problems, skip=("empty_bgr",))
    if profile is not None:
        problems.extend(impossible(profile))
    if problems or profile is None:
        raise ProfileError(f"{path}: {'; '.join(problems)}: {MEND}")
    if camera and profile.camera and camera != profile.camera:
        raise ProfileError(f"{path} is for the camera {profile.camera}, this is {camera}: run `mishimash calibrate`")
    if size_px and size_px != (profile.width_px, profile.height_px):
        raise ProfileError(
            f"{path} is for pictures of {profile.width_px}x{profile.height_px}, these are {size_px[0]}x{size_px[1]}: "
            "set the camera to that size, or run `mishimash calibrate` for this one"
        )
    return profile if sidecar is None else replace(profile, empty_bgr=_read_empty(path, str(sidecar), profile))


def save_profile(profile: TrayProfile, path: Path | str) -> None:
    """Writes the profile so that after a power cut there is the old one or the new one, never half of one.

    The three before it are kept as `path`.1 to `path`.3. Raises ProfileError where the folder cannot be written.
    """
    path = Path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        head = ["# What a dice companion knows of its camera, tray and dice. Written by `mishimash calibrate`."]
        head.append(f"format = {FORMAT}")
        if profile.empty_bgr is not None:
            png = cv2.imencode(".png", profile.empty_bgr)[1].tobytes()
            name = f"{path.stem}-{_digest(png)}.png"
            _write(path.parent / name, png)
            head.append(f'empty_picture = "{name}"')
        _keep_previous(path)
        _write(path, "\n".join([*head, *dump(profile, skip=("empty_bgr",)), ""]).encode())
        _sweep(path)
    except OSError as error:
        message = f"{path} cannot be written ({error.strerror}): choose another place or free the disk"
        raise ProfileError(message) from error


def undo_profile(path: Path | str) -> None:
    """Brings back the profile before; the one taken away becomes the oldest kept, so that nothing is lost.

    Raises ProfileError when there is none before, or where the folder cannot be written.
    """
    path = Path(path)
    versions = [path, *_kept(path)]
    if not versions[1].exists():
        raise ProfileError(f"{path}: there is no profile before this one ({path}.1 does not exist)")
    there = [version for version in versions if version.exists()]
    aside = Path(f"{path}.undone")
    try:
        if path.exists():
            # A copy, not a rename: at no moment is there no profile.
            _write(aside, path.read_bytes())
        for newer, older in pairwise(versions):
            if older.exists():
                os.replace(older, newer)
        if aside.exists():
            os.replace(aside, there[-1])
    except OSError as error:
        raise ProfileError(f"{path} cannot be written ({error.strerror}): free the disk, or use sudo") from error


def _kept(path: Path) -> list[Path]:
    return [Path(f"{path}.{age}") for age in range(1, KEPT + 1)]


def _keep_previous(path: Path) -> None:
    if not path.exists():
        return
    oldest_first = list(reversed(_kept(path)))
    for older, newer in pairwise(oldest_first):
        if newer.exists():
            os.replace(newer, older)
    # A copy, not a rename: at no moment is there no profile.
    _write(oldest_first[-1], path.read_bytes())


def _sweep(path: Path) -> None:
    """Removes the empty pictures that no kept profile names any more."""
    named = b"".join(kept.read_bytes() for kept in (path, *_kept(path)) if kept.exists())
    for picture in path.parent.iterdir():
        ours = re.fullmatch(re.escape(path.stem) + r"-[0-9a-f]{16}\.png", picture.name)
        if ours and picture.name.encode() not in named:
            picture.unlink()


def _write(path: Path, content: bytes) -> None:
    part = path.with_name(path.name + ".part")
    with part.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(part, path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def _read_table(path: Path) -> dict[str, object]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ProfileError(f"{path} does not exist: run `mishimash calibrate` first, or name another file") from None
    except OSError as error:
        raise ProfileError(f"{path} cannot be read ({error.strerror}): name a profile file that can") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ProfileError(f"{path} is no profile ({error}): {MEND}") from None


def _read_empty(path: Path, name: str, profile: TrayProfile) -> NDArray[np.uint8]:
    picture = path.parent / name
    mend = "run `mishimash calibrate light` to take the empty tray again"
    if not picture.is_file():
        raise ProfileError(f"{path}: its picture of the empty tray, {picture}, is missing: copy it too, or {mend}")
    content = picture.read_bytes()
    image = cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR) if content else None
    if image is None or _digest(content) not in name or image.shape[:2] != (profile.height_px, profile.width_px):
        raise ProfileError(f"{picture} is damaged or not the picture that {path} was made with: {mend}")
    return image.astype(np.uint8, copy=False)
