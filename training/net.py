"""The nets. One takes a picture and says of every fourth pixel whether a die is centred there, its face, and how it
lies; the other takes one place and says which face is there."""

import torch
from torch import nn

from vision.teller import SAID, SIDE_PX

CLASSES = 7
"""Faces 1 to 6, and a die whose top face cannot be told."""
CHANNELS = {"centre": 1, "face": CLASSES, "die": 1, "log_edge": 1, "turn": 2, "offset": 2}
"""What comes out, in this order: a logit that a top face is centred here; logits of its class; a logit that this is
part of any die; the logarithm of the edge over a usual one; cosine and sine of four times the angle of an edge; the
way to the centre, x and y, in strides."""
RARE_LOGIT = -4.0
"""Before it has learned anything the net says that hardly a pixel is a centre: so few are that all else drowns."""


class Block(nn.Module):
    """Two convolutions and a way around them."""

    def __init__(self, width: int, dilation: int = 1) -> None:
        super().__init__()
        self.way = nn.Sequential(conv(width, width, dilation=dilation), nn.ReLU(), conv(width, width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """The same shape."""
        return torch.relu(x + self.way(x))


def conv(inputs: int, outputs: int, size: int = 3, stride: int = 1, dilation: int = 1) -> nn.Sequential:
    """A convolution that keeps height and width, or divides them by `stride`, with its normalisation."""
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, size, stride, padding=dilation * (size // 2), dilation=dilation, bias=False),
        nn.BatchNorm2d(outputs),
    )


class Spotter(nn.Module):
    """(n, 3, h, w) BGR in 0..1, sides a multiple of 8, to (n, 14, h / 4, w / 4): see CHANNELS."""

    def __init__(self, fine: int = 32, coarse: int = 64) -> None:
        super().__init__()
        self.stem = nn.Sequential(conv(3, 16, stride=2), nn.ReLU(), conv(16, fine, stride=2), nn.ReLU(), Block(fine))
        # Holes in its convolutions let the body see 120 px to each side, past the largest die, on no coarser a map.
        wide = (Block(coarse, dilation) for dilation in (1, 2, 4, 2, 1))
        self.body = nn.Sequential(conv(fine, coarse, stride=2), nn.ReLU(), *wide)
        self.up = nn.Sequential(conv(coarse, fine, 1), nn.Upsample(scale_factor=2, mode="nearest"))
        self.join = nn.Sequential(Block(fine), conv(fine, fine), nn.ReLU())
        self.say = nn.Conv2d(fine, sum(CHANNELS.values()), 1)
        nn.init.constant_(self.say.bias[0], RARE_LOGIT)

    def forward(self, picture: torch.Tensor) -> torch.Tensor:
        """What is said of every fourth pixel."""
        fine = self.stem(picture * 4 - 2)
        return self.say(self.join(torch.relu(fine + self.up(self.body(fine)))))


class Teller(nn.Module):
    """(n, 3, 64, 64) BGR in 0..1 to what vision.teller reads, (n, 14): logits of what is there, and how it lies."""

    def __init__(self, width: int = 24) -> None:
        super().__init__()
        layers: list[nn.Module] = [conv(3, width, 5, stride=2), nn.ReLU(), Block(width)]
        for inputs in (width, 2 * width):
            layers += [conv(inputs, 2 * inputs, stride=2), nn.ReLU(), Block(2 * inputs), Block(2 * inputs)]
        self.see = nn.Sequential(*layers)
        self.say = nn.Sequential(nn.Flatten(), nn.Dropout(0.2), nn.Linear(4 * width * (SIDE_PX // 8) ** 2, SAID))

    def forward(self, place: torch.Tensor) -> torch.Tensor:
        """What is said of each place."""
        return self.say(self.see(place * 4 - 2))
