"""Pictures with what a net should say about them: `python -m training.examples OUT FIRST COUNT`."""

import argparse
from pathlib import Path

import numpy as np

from training import labels
from training.camera import develop
from training.command import run, write_whole
from training.draw import Easel
from training.scenes import invent

TAKES = 2
"""Drawing costs more than developing: each scene is developed so many times."""


def write(out: Path, first: int, count: int) -> None:
    """Writes one .npz file of the `count` scenes from seed `first` on, of N pictures, two a scene.

    `images` (N, 256, 256, 3) uint8 BGR; `masks` (N, 8192) uint8, `packbits` of which pixels show dice; `labels`
    (N, 16, 5) and `shapes` (N, 16, 2, 2) float32, see training.labels. The file is there when it is whole.
    TrainingError where nothing can draw.
    """
    out.parent.mkdir(parents=True, exist_ok=True)
    easel, images, masks, rows, shapes = Easel(), [], [], [], []
    for seed in range(first, first + count):
        scene, rng = invent(seed), np.random.default_rng([seed, 1])
        light, which = easel.draw(scene)
        mask = np.packbits(np.isin(which[..., 0], [i + 1 for i in labels.pipped(scene)]))
        wanted, shape = labels.labels(scene, which), labels.shapes(scene)
        for _ in range(TAKES):
            images.append(develop(light, rng))
            masks.append(mask)
            rows.append(wanted)
            shapes.append(shape)
    write_whole(out, images=np.stack(images), masks=np.stack(masks), labels=np.stack(rows), shapes=np.stack(shapes))


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m training.examples",
        description="Invents scenes, draws them and writes two pictures of each, with their labels.",
        epilog="example: python -m training.examples .net/part-0.npz 0 500",
    )
    parser.add_argument("out", type=Path, metavar="OUT", help="the .npz file to write")
    parser.add_argument("first", type=_count, metavar="FIRST", help="seed of the first scene; the next has the next")
    parser.add_argument("count", type=_count, metavar="COUNT", help="how many scenes")
    args = parser.parse_args()
    if not args.count:
        parser.error("argument COUNT: 0 scenes make no example; give 1 or more")
    run(lambda: write(args.out, args.first, args.count))


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number from 0 on")
    return int(text)


if __name__ == "__main__":
    main()
