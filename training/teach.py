"""Teaches a net: `python -m training.teach NET FOLDER MINUTES OUT [START]`."""

import argparse
from pathlib import Path

from training.command import run


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m training.teach",
        description="Teaches the spotter with the part-*.npz in a folder, or the teller with the places-*.npz, also "
        "those that come meanwhile, and writes it. A line a minute says how it goes.",
        epilog="example: python -m training.teach spotter .net 90 .net/spotter.onnx",
    )
    parser.add_argument("net", choices=("spotter", "teller"), help="which net")
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="where the examples are")
    parser.add_argument("minutes", type=_minutes, metavar="MINUTES", help="how long to learn")
    parser.add_argument("out", type=Path, metavar="OUT", help="the .onnx file to write; its state goes into a .pt")
    parser.add_argument("start", type=Path, nargs="?", metavar="START", help="a .pt, or a net's .onnx, to go on from")
    args = parser.parse_args()

    def teach() -> None:
        # Within `run`, which says what to install where there is no PyTorch.
        from training.learning import learn
        from training.spotting import SPOTTING
        from training.telling import TELLING

        course = {"spotter": SPOTTING, "teller": TELLING}[args.net]
        learn(course, args.folder, args.minutes, args.out, args.start)

    run(teach)


def _minutes(text: str) -> float:
    try:
        minutes = float(text)
    except ValueError:
        minutes = 0.0
    if not 0 < minutes < float("inf"):
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of minutes above 0")
    return minutes


if __name__ == "__main__":
    main()
