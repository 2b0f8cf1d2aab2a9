"""Whether the profile is fit for play: rolls read with it, the numbers of each, and a verdict with its reasons."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from calibration.errors import CalibrationError
from hardware.ports import BGR
from vision.reading import Reading

ROLLS_TO_TRUST = 3


@dataclass(frozen=True, slots=True)
class RollCheck:
    """One roll as read: `margins` 0..1 of each die to its nearest other reading, `sharpness` of the picture.

    `told` are the faces the owner said it shows, () when only that the reading is wrong, None when nobody said;
    `sharpness` is the steepest change of grey, in levels a pixel.
    """

    name: str
    status: str
    values: tuple[int, ...]
    margins: tuple[float, ...]
    reasons: tuple[str, ...]
    sharpness: float
    told: tuple[int, ...] | None = None

    @property
    def wrong(self) -> bool:
        """Whether the program stands behind faces that the owner says are not there."""
        return self.told is not None and self.status != "unsure" and self.told != self.values


def check_roll(name: str, picture_bgr: BGR, reading: Reading, told: tuple[int, ...] | None = None) -> RollCheck:
    """The numbers of one roll that was read."""
    margins = tuple(round(die.confidence, 4) for die in reading.dice)
    return RollCheck(name, reading.status, reading.values, margins, reading.reasons, sharpness(picture_bgr), told)


def sharpness(picture_bgr: BGR) -> float:
    """The steepness of the picture's steepest edges (its 99.9th percentile), in grey levels a pixel."""
    grey = cv2.cvtColor(picture_bgr, cv2.COLOR_BGR2GRAY)
    steep = np.hypot(cv2.Sobel(grey, cv2.CV_32F, 1, 0), cv2.Sobel(grey, cv2.CV_32F, 0, 1)) / 8
    return round(float(np.percentile(steep[::2, ::2], 99.9)), 1)


def faults(checks: Sequence[RollCheck]) -> tuple[str, ...]:
    """Why the profile is not fit for play, a sentence each; none when it is."""
    said = []
    if len(checks) < ROLLS_TO_TRUST:
        said.append(f"only {len(checks)} rolls were read: read {ROLLS_TO_TRUST} or more")
    for check in checks:
        if check.wrong:
            truth = f"it shows {_faces(check.told)}" if check.told else "which is wrong"
            said.append(f"{check.name} was read as {_faces(check.values) or 'nothing'}, {truth}")
    unsure = [check for check in checks if check.status == "unsure"]
    if unsure:
        usual = Counter(reason for check in unsure for reason in check.reasons).most_common(2)
        why = "; ".join(reason for reason, _ in usual) or "no reason given"
        said.append(f"{len(unsure)} of {len(checks)} rolls were not read surely ({why})")
    nothing = sum(check.status == "empty" for check in checks)
    if nothing:
        said.append(f"{nothing} of {len(checks)} pictures were taken for an empty tray")
    return tuple(said)


def roll_line(check: RollCheck) -> str:
    """One roll as a line for the owner."""
    least = f", least margin {min(check.margins):.2f}" if check.margins else ""
    why = f": {'; '.join(check.reasons)}" if check.reasons else ""
    return f"{check.name}  {_faces(check.values) or '-'}  {check.status}{why}{least}, sharpness {check.sharpness:g}"


def verdict_line(checks: Sequence[RollCheck]) -> str:
    """The verdict over all rolls as a line."""
    why = faults(checks)
    return f"not fit for play, because {'; '.join(why)}" if why else f"fit for play: {len(checks)} rolls read surely"


def checks_path(profile: Path) -> Path:
    """Where the numbers of a profile's rolls are kept, beside it."""
    return profile.with_suffix(".check.jsonl")


def write_checks(checks: Sequence[RollCheck], path: Path) -> None:
    """Writes the numbers as JSON, a line a roll; CalibrationError when the file cannot be written."""
    try:
        path.write_text("".join(json.dumps(asdict(check)) + "\n" for check in checks), encoding="utf-8")
    except OSError as error:
        raise CalibrationError(f"{path} cannot be written ({error.strerror}): choose another place") from error


def read_checks(path: Path) -> tuple[RollCheck, ...]:
    """What `write_checks` wrote; none when there is no such file. CalibrationError when it is another file."""
    if not path.exists():
        return ()
    try:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        return tuple(_read(row) for row in rows)
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise CalibrationError(f"{path} is no result of `mishimash calibrate check` ({error}): run it again") from None


def _read(row: dict[str, Any]) -> RollCheck:
    lists: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}
    return RollCheck(**lists)


def _faces(values: Sequence[int]) -> str:
    return " ".join(map(str, values))
