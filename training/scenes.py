"""Scenes: dice on a table, the light on them and the camera that looks at them, invented from a seed.

Lengths are in edges of a usual die; z is up, and the table is z = 0.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from training.dice import Die, flat_pose, overlap, reach, tip, turn_z, yaw_axes
from training.looks import Floats, colour, look
from training.textures import table_texture

SIDE_PX = 256
"""Edge of a training picture."""
MOST_DICE = 16
"""As many dice and boxes have room in a scene's tables; `invent` puts 15 at most."""
CROWDS = 0.2
"""How often there are many dice, all of them different: so the net sees more kinds of dice in as many pictures."""
LEANING = 0.6
"""How often one of the dice leans or lies on another: more often than in play, for it must not be read."""
TRIES = 12
"""How often room is looked for, for one die."""
BESIDE_PX = 12.0
"""So far outside the picture dice may lie: the net must know dice that are cut off."""


@dataclass
class Lamp:
    """A lamp at `at` (3,), linear RGB light (3,), and the hardness of its shadows, 1 very soft."""

    at: Floats
    rgb: Floats
    hardness: float


@dataclass
class Window:
    """A bright patch of the room that gloss mirrors: round, or long as a tube of light."""

    direction: Floats
    """To its middle, unit (3,)."""
    half_cosine: float
    """Of half the angle that it is across."""
    along: Floats
    """Unit (3,) across `direction`: the way it is long."""
    half_length: float
    """The sine of half the angle that it is longer than across."""
    power: float
    """How much brighter than the rest of the room."""


@dataclass
class Scene:
    """Everything a picture needs."""

    dice: list[Die]
    table: NDArray[np.float32]
    """The texture, (512, 512, 3) linear RGB, and its edge: it repeats."""
    table_scale: float
    table_gloss: float
    eye: Floats
    R_world_camera: Floats
    """Columns: the camera's right, down and ahead."""
    focal_px: float
    principal_px: Floats
    wall: Floats
    """The tray's walls: middle x, y and half its sizes in x, y; no walls where their height is 0."""
    wall_height: float
    wall_rgb: Floats
    lamps: list[Lamp]
    sky_rgb: Floats
    windows: list[Window]

    def to_px(self, xyz: Floats) -> Floats:
        """Where points of the world (n, 3) are in the picture: (n, 2), x to the right and y down."""
        seen = (np.asarray(xyz, float) - self.eye) @ self.R_world_camera
        return np.asarray(seen[:, :2] / seen[:, 2:] * self.focal_px + self.principal_px)

    def on_plane(self, xy_px: Floats, z: float) -> Floats:
        """The point (3,) of height `z` that is seen at a pixel (2,)."""
        along = self.R_world_camera @ np.append((xy_px - self.principal_px) / self.focal_px, 1)
        return np.asarray(self.eye + along * (z - self.eye[2]) / along[2])


def invent(seed: int) -> Scene:
    """A whole scene, the same for the same seed."""
    rng = np.random.default_rng(seed)
    crowd = rng.random() < CROWDS
    die_px, distance = _log_uniform(rng, 13, 30 if crowd else 58), _log_uniform(rng, 7, 32)
    R_world_camera = _camera(rng)
    focal_px = die_px * distance
    # Most pictures are a part of a larger one: the optical axis meets them anywhere, or beside them.
    # Some are its middle, where dice show no side.
    off_axis_deg = rng.uniform(0, 28) if rng.random() < 0.6 else rng.uniform(0, 6)
    off_axis_px = np.tan(np.deg2rad(off_axis_deg)) * focal_px * _towards(rng.uniform(0, 2 * np.pi))
    texture = table_texture(rng)
    wall = np.array([*rng.uniform(-2, 2, 2), *rng.uniform(3, 7, 2)])
    scene = Scene(
        dice=[],
        table=texture,
        table_scale=SIDE_PX / die_px * rng.uniform(0.8, 2.2),
        table_gloss=rng.uniform(0, 0.5) ** 2,
        eye=-R_world_camera[:, 2] * distance,
        R_world_camera=R_world_camera,
        focal_px=focal_px,
        principal_px=np.array([SIDE_PX / 2, SIDE_PX / 2]) + off_axis_px,
        wall=wall,
        wall_height=rng.uniform(0.3, 1.8) if rng.random() < 0.35 else 0.0,
        wall_rgb=colour(rng) * 0.8,
        lamps=[_lamp(rng) for _ in range(int(rng.integers(1, 4)))],
        sky_rgb=rng.uniform(0.15, 0.8) * np.array([rng.uniform(0.8, 1.1), 1, rng.uniform(0.8, 1.15)]),
        windows=[_window(rng) for _ in range(3)],
    )
    if rng.random() < 0.9:
        count = int(rng.integers(9, 13)) if crowd else int(rng.integers(1, 9))
        _put_dice(scene, rng, count, mixed=crowd or rng.random() < 0.35)
    if rng.random() < 0.3:
        _put_boxes(scene, rng, int(rng.integers(1, 4)))
    scene.dice = [die for die in scene.dice if _within_walls(die, scene)]
    return scene


def _camera(rng: np.random.Generator) -> Floats:
    """The way a camera looks: straight down about as often as not, tilted by up to 55° else; (3, 3)."""
    if rng.random() < 0.55:
        tilt_deg = abs(rng.normal(0, 6)) * float(rng.random() < 0.7)
    else:
        tilt_deg = rng.uniform(5, 35) if rng.random() < 0.7 else rng.uniform(30, 55)
    tilt = np.deg2rad(tilt_deg)
    ahead, right = np.array([0, np.sin(tilt), -np.cos(tilt)]), np.array([1.0, 0, 0])
    R_tilted = np.stack([right, np.cross(ahead, right), ahead], 1)
    return np.asarray(turn_z(rng.uniform(0, 2 * np.pi)) @ R_tilted @ turn_z(rng.normal(0, 0.2)))


def _lamp(rng: np.random.Generator) -> Lamp:
    """White or warm, never near the horizon."""
    azimuth, height = rng.uniform(0, 2 * np.pi), np.deg2rad(rng.uniform(25, 88))
    far, warm = rng.uniform(10, 40), rng.uniform(0.6, 1)
    at = far * np.append(_towards(azimuth) * np.cos(height), np.sin(height))
    rgb = rng.uniform(0.1, 1.2) * np.array([1, 0.5 + 0.5 * warm, warm**1.5])
    return Lamp(at, rgb, _log_uniform(rng, 1.5, 40))


def _window(rng: np.random.Generator) -> Window:
    """Somewhere above the table: one from 3° to 22° in half its angle, or a tube, narrow and far brighter."""
    direction = rng.normal(size=3)
    direction[2] = abs(direction[2]) + 0.4
    direction /= np.linalg.norm(direction)
    along = np.cross(direction, rng.normal(size=3))
    along /= np.linalg.norm(along)
    if rng.random() < 0.6:
        return Window(direction, np.cos(np.deg2rad(rng.uniform(3, 22))), along, 0.0, rng.uniform(0, 5))
    half_length = np.sin(np.deg2rad(rng.uniform(8, 50)))
    return Window(direction, np.cos(np.deg2rad(rng.uniform(1, 4))), along, half_length, _log_uniform(rng, 3, 80))


def _put_dice(scene: Scene, rng: np.random.Generator, count: int, mixed: bool) -> None:
    """Lets dice lie about: apart or touching, sometimes one that leans or lies on another, or a cube that is none."""
    same = look(rng)
    sizes = rng.random() < 0.2
    leaning = int(rng.integers(count)) if rng.random() < LEANING else None
    block = int(rng.integers(count)) if rng.random() < 0.1 else None
    for i in range(count):
        made = look(rng) if mixed else same
        if i == block:
            made = replace(look(rng), pip_r=0.0, one_r=0.0)
        edge = rng.uniform(0.72, 1.3) if sizes else 1.0
        for _ in range(TRIES):
            at, yaw = _place(scene, rng, edge)
            die = Die(at, flat_pose(rng, yaw), edge, made, flat=True, block=i == block)
            if not any(overlap(die, other) for other in scene.dice):
                floor = _lean(die, scene, rng) if i == leaning else 0.0
                die.at[2] = floor + reach(die)
                scene.dice.append(die)
                break


def _put_boxes(scene: Scene, rng: np.random.Generator, count: int) -> None:
    """Lets plugs, boxes and the corners of larger things lie beside the dice, half of them dark."""
    for _ in range(count):
        made = replace(look(rng), pip_r=0.0, one_r=0.0, sphere=0.0)
        if rng.random() < 0.5:
            made.body = made.cloud = rng.uniform(0.01, 0.06) * np.ones(3)
        sides = np.array([1, rng.uniform(0.4, 1), rng.uniform(0.25, 1)])
        made.radius *= float(sides.min())
        for _ in range(TRIES):
            edge = _log_uniform(rng, 0.7, 6)
            at, yaw = _place(scene, rng, 1.0)
            box = Die(at, turn_z(yaw), edge, made, flat=True, block=True, sides=sides)
            if not any(overlap(box, other) for other in scene.dice):
                box.at[2] = reach(box)
                scene.dice.append(box)
                break


def _place(scene: Scene, rng: np.random.Generator, edge: float) -> tuple[Floats, float]:
    """A place on the table in view, (3,), and a yaw (rad); often beside another die, as good as touching it."""
    yaw = rng.uniform(0, 2 * np.pi)
    at = scene.on_plane(rng.uniform(-BESIDE_PX, SIDE_PX + BESIDE_PX, 2), 1.0)
    if scene.dice and rng.random() < 0.4:
        friend = scene.dice[int(rng.integers(len(scene.dice)))]
        axes = yaw_axes(friend)
        yaw = float(np.arctan2(axes[0][1], axes[0][0]))
        side, slide = axes[int(rng.integers(2))], rng.uniform(-0.7, 0.7)
        away = (edge + friend.edge) / 2 * rng.uniform(1.0, 1.06) * rng.choice([-1, 1])
        at = friend.at + np.append(side * away + slide * np.array([-side[1], side[0]]), 0)
    return at * [1, 1, 0], yaw


def _lean(die: Die, scene: Scene, rng: np.random.Generator) -> float:
    """Tips the die, perhaps onto the one put before; how high the floor is under it."""
    way = rng.uniform(0, 2 * np.pi)
    angle = np.deg2rad(rng.uniform(8, 45))
    die.R_world_die = tip(np.append(_towards(way), 0), angle) @ die.R_world_die
    die.flat = False
    if not scene.dice or rng.random() >= 0.3:
        return 0.0
    under = scene.dice[-1]
    die.at[:2] = under.at[:2] + rng.uniform(-0.5, 0.5, 2)
    return 0.9 * under.edge


def _within_walls(die: Die, scene: Scene) -> bool:
    """Whether a die is clear of the walls of the tray, if there are any."""
    half = 0.5 * die.edge * np.abs(yaw_axes(die)).sum(0)
    clear = np.abs(die.at[:2] - scene.wall[:2]) < scene.wall[2:] - half
    return not scene.wall_height or bool(clear.all())


def _towards(angle: float) -> Floats:
    """The unit (2,) at this angle (rad) from x."""
    return np.array([np.cos(angle), np.sin(angle)])


def _log_uniform(rng: np.random.Generator, low: float, high: float) -> float:
    """Any number between, every doubling as likely as another."""
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))
