"""The places of the examples that the spotter takes for dice, and what is there: `python -m training.places FOLDER`."""

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from training.command import TrainingError, run, write_whole
from training.labels import UNDECIDED, UNREADABLE
from training.scenes import SIDE_PX
from vision.spotter import EDGES_PX, Spots, glance
from vision.teller import NO_TOP_FACE

ZOOMS = 0.6, 2.2
"""Every second picture is seen so much smaller or larger, as the reader's looks are."""
MOST_PLACES = 8
"""Of one picture, the clearest first."""
SAME_PLACE, SAME_SIZE = 0.35, 0.4
"""Edges and log units: within these a spot is a die."""
HARDLY_OFF, HARDLY_SIZE, NEAR_UNDECIDED = 0.42, 0.5, 0.8
"""Within these, of a die or of one that nothing is asked about, it is left out."""
CUT_OFF = 8
"""Of what is no face most is only cut off by the picture's edge, which is easy to tell: one in so many is enough."""

Rows = NDArray[np.float32]


def write(part: Path) -> None:
    """Writes the places of one file of examples beside it: `places` (N, 12) float32, rows of the number of the picture,
    x, y and edge (px), angle of an edge (rad) and class; then how the top face of a die there truly lies: its x and y,
    and the columns along its edges (px), NaN where none is. All dice are among them, as they lie and as spotted.
    """
    with np.load(part) as file:
        if "shapes" not in file:
            raise TrainingError(f"{part} does not say how top faces lie, as an older one: delete it and make it anew")
        images, labels, shapes = file["images"], file["labels"], file["shapes"]
    rng, rows = np.random.default_rng(0), []
    for k, (image, dice, shape) in enumerate(zip(images, labels, shapes, strict=True)):
        zoom = float(np.exp(rng.uniform(*np.log(ZOOMS)))) if k % 2 else 1.0
        spotted, of_die = known(glance(image, zoom), dice)
        own = np.nonzero(dice[:, 4] < UNDECIDED)[0]
        # The last row is that of no die.
        truly = np.vstack([np.column_stack([dice[:, :2], shape.reshape(-1, 4)]), np.full(6, np.nan)])
        truly[:-1][dice[:, 4] >= UNREADABLE] = np.nan
        for some, which in ((dice[own], own), (spotted, of_die)):
            rows.append(np.column_stack([np.full(len(some), k), some, truly[which]]))
    write_whole(places_of(part), places=np.concatenate(rows).astype(np.float32))


def known(spots: Spots, dice: Rows) -> tuple[Rows, NDArray[np.intp]]:
    """Those spots of which it is known what they are: (n, 5) rows as those of the `dice` (n, 5), and the number of the
    die that each is, (n,), -1 of what is none.
    """
    rows, of_die = [], []
    for (x, y), edge, angle in zip(spots.xy_px, spots.edge_px, spots.angle_rad, strict=True):
        away, size = np.hypot(*(dice[:, :2] - (x, y)).T), np.abs(np.log(dice[:, 2] / edge))
        share = away / np.maximum(dice[:, 2], edge)
        same = (share < SAME_PLACE) & (size < SAME_SIZE)
        undecided = (dice[:, 4] == UNDECIDED) & (away < NEAR_UNDECIDED * dice[:, 2])
        die = int(np.where(same, share, np.inf).argmin()) if same.any() else -1
        kind = float(dice[die, 4]) if same.any() else NO_TOP_FACE
        hardly_off = not same.any() and ((share < HARDLY_OFF) & (size < HARDLY_SIZE)).any()
        if not (undecided.any() or hardly_off) and EDGES_PX[0] < edge < EDGES_PX[1]:
            rows.append((x, y, edge, angle, kind))
            of_die.append(die)
    return np.array(rows[:MOST_PLACES], np.float32).reshape(-1, 5), np.array(of_die[:MOST_PLACES], np.intp)


def mostly_whole(rows: Rows) -> Rows:
    """Those rows of `write` that are worth learning from: of what is no face and cut off, one in CUT_OFF."""
    x, y, edge, kind = rows[:, 1], rows[:, 2], rows[:, 3], rows[:, 5]
    cut_off = (np.minimum(x, y) < edge / 2) | (np.maximum(x, y) > SIDE_PX - edge / 2)
    return np.asarray(rows[(kind < UNREADABLE) | ~cut_off | (np.arange(len(rows)) % CUT_OFF == 0)])


def places_of(part: Path) -> Path:
    """The file of places that belongs to a file of examples."""
    return part.with_name(part.name.replace("part-", "places-"))


def images_of(places: Path) -> NDArray[np.uint8]:
    """The pictures that places are in, (N, side, side, 3)."""
    with np.load(places.with_name(places.name.replace("places-", "part-"))) as file:
        return np.asarray(file["images"], np.uint8)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m training.places",
        description="Looks at every part-*.npz in a folder with the spotter of this project and writes places-*.npz: "
        "where it sees dice, and what is there.",
        epilog="example: python -m training.places .net",
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="where the examples are")
    args = parser.parse_args()

    def find() -> None:
        parts = sorted(args.folder.glob("part-*[0-9].npz"))
        if not parts:
            raise TrainingError(f"no part-*.npz in {args.folder}: `python -m training.examples` makes them")
        for part in parts:
            if not places_of(part).exists():
                write(part)

    run(find)


if __name__ == "__main__":
    main()
