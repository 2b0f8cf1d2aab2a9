"""The recorded plays beside the project, if they are there: every roll and set-aside, in time, and nothing else."""

import json
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.board import Board
from calibration.from_images import profile_from_images
from vision.read import Reader
from vision.settle import Emptied, Moving, Rolled, Seen, SetAside, Settler, Unchanged

SEQUENCES = Path(__file__).parent.parent.parent / "shared" / "sequences"
FOLDERS = sorted(path.parent for path in SEQUENCES.glob("seq-*/timeline.json"))
IN_TIME_S = 0.7

pytestmark = pytest.mark.skipif(not FOLDERS, reason=f"no recorded plays in {SEQUENCES}")
folders = pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)


def frames(folder: Path) -> Iterator[NDArray[np.uint8]]:
    video = cv2.VideoCapture(str(folder / "video.avi"))
    while (read := video.read())[0]:
        yield np.asarray(read[1], np.uint8)
    video.release()


def reader_of(folder: Path, events: list[dict[str, Any]], work: Path) -> Reader:
    """A reader with the profile that the board, the empty tray and one picture of each roll give."""
    for name in ("board.jpg", "empty.jpg"):
        shutil.copy(folder / name, work / name)
    rests = {event["rest_from"] + 2 for event in events if event["event"] == "roll"}
    for number, frame_bgr in enumerate(frames(folder)):
        if number in rests:
            cv2.imwrite(str(work / f"roll-{number:05}.jpg"), frame_bgr, [cv2.IMWRITE_JPEG_QUALITY, 95])
    return Reader(profile_from_images(work, Board()))


def due(event: dict[str, Any]) -> tuple[str, int] | None:
    """What has to be said about an event of the timeline, and the frame from which all is at rest."""
    match event["event"]:
        case "roll":
            return f"rolled {sorted(event['values'])}", event["rest_from"]
        case "set_aside" if event["left"]:
            return f"took {sorted(event['kept'])}, left {sorted(event['left'])}", event["rest_from"]
        case "set_aside":
            return "emptied", event["rest_from"]
        case "gathered":
            return "emptied", event["empty_from"]
    return None


def said(seen: Seen) -> str | None:
    match seen:
        case Rolled(reading):
            return f"rolled {list(reading.values)}"
        case SetAside(taken, left):
            return f"took {list(taken)}, left {list(left.values)}"
        case Emptied():
            return "emptied"
        case Moving() | Unchanged():
            return None
    return repr(seen)


@folders
@pytest.mark.parametrize("lost", [0.0, pytest.param(0.4, marks=pytest.mark.slow)])
def test_a_recorded_play_is_told_in_time_and_nothing_is_invented(folder: Path, lost: float, tmp_path: Path) -> None:
    timeline = json.loads((folder / "timeline.json").read_text())
    expected = [("emptied", 0), *filter(None, map(due, timeline["events"]))]
    settler = Settler(reader_of(folder, timeline["events"], tmp_path))
    chance = random.Random(1)
    told = [
        (sentence, number)
        for number, frame_bgr in enumerate(frames(folder))
        if chance.random() >= lost
        for seen in settler.update(frame_bgr, number / timeline["fps"])
        if (sentence := said(seen))
    ]
    assert [sentence for sentence, _ in told] == [sentence for sentence, _ in expected]
    if not lost:
        late_s = [(at - rests) / timeline["fps"] for (_, at), (_, rests) in zip(told, expected, strict=True)]
        assert max(late_s) <= IN_TIME_S
