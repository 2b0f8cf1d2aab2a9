"""Scenes drawn by OpenGL, on the graphics card or on Mesa's stand-in for one; what is computed is in draw.glsl."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from training.command import TrainingError
from training.dice import Die
from training.scenes import MOST_DICE, SIDE_PX, Scene
from training.surfaces import SIZE_PX

TEXELS = 12
"""A die's texels in the table `dice` of draw.glsl, four numbers each."""
MOST_LAMPS = 3
VERTICES = "#version 330\nin vec2 at; void main() { gl_Position = vec4(at, 0., 1.); }"
ONE_TRIANGLE = (-1, -1, 3, -1, -1, 3)  # covers the whole picture


class Easel:
    """Draws one scene after another."""

    def __init__(self) -> None:
        """Opens a picture that no window shows; TrainingError where there is no OpenGL 3.3 through EGL."""
        # Only whoever draws needs moderngl.
        import moderngl

        try:
            self.gl = moderngl.create_context(standalone=True, backend="egl")
        except Exception as error:  # glcontext raises nothing more exact
            raise TrainingError(
                f"OpenGL cannot be opened through EGL ({error}): install Debian's libegl1 and libgl1-mesa-dri"
            ) from error
        shader = Path(__file__).with_name("draw.glsl").read_text(encoding="utf-8")
        self.program = self.gl.program(vertex_shader=VERTICES, fragment_shader=shader)
        corners = self.gl.buffer(np.array(ONE_TRIANGLE, np.float32).tobytes())
        self.everywhere = self.gl.vertex_array(self.program, [(corners, "2f", "at")])
        self.light, self.which = (self.gl.texture((SIDE_PX, SIDE_PX), 4, dtype="f4") for _ in range(2))
        self.paper = self.gl.framebuffer([self.light, self.which])
        self.dice = self.gl.texture((TEXELS, MOST_DICE), 4, dtype="f4")
        self.dice.filter = (moderngl.NEAREST, moderngl.NEAREST)
        self.table = self.gl.texture((SIZE_PX, SIZE_PX), 3, dtype="f4")
        self.table.filter = (moderngl.LINEAR_MIPMAP_LINEAR, moderngl.LINEAR)

    def draw(self, scene: Scene) -> tuple[NDArray[np.float32], NDArray[np.uint8]]:
        """The light of each pixel, (side, side, 3) linear RGB; and what it shows, (side, side, 2): the die, counted
        from 1, 0 for none, and the die's face."""
        rows = np.zeros((MOST_DICE, TEXELS, 4), np.float32)
        for row, die in zip(rows, scene.dice, strict=False):
            row[:] = _texels(die)
        self.dice.write(rows.tobytes())
        self.table.write(scene.table.tobytes())
        self.table.build_mipmaps()
        for name, value in _uniforms(scene).items():
            uniform = self.program[name]
            if isinstance(value, int):
                uniform.value = value
            else:
                uniform.write(np.asarray(value, np.float32).tobytes())
        self.dice.use(0)
        self.table.use(1)
        self.paper.use()
        self.everywhere.render()
        return _pixels(self.light)[..., :3], _pixels(self.which)[..., :2].astype(np.uint8)


def _pixels(sheet: Any) -> NDArray[np.float32]:
    """What was drawn, (side, side, 4)."""
    return np.frombuffer(sheet.read(), np.float32).reshape(SIDE_PX, SIDE_PX, 4)


def _texels(die: Die) -> NDArray[np.float32]:
    """The die as draw.glsl reads it: (12, 4)."""
    a = die.look
    place = np.array([*die.at, die.edge])
    rotation = np.column_stack([die.R_world_die.T, (a.radius, a.sphere, a.pip_r)])
    seed_of_noise = float(a.body.sum() * 7 % 5)
    colours = [[*a.body, a.one_r], [*a.cloud, a.spread], [*a.pip, a.depth], [*a.one, a.cloud_scale]]
    rest = [[a.gloss, a.rough, a.clear, a.turned], [a.ring, a.grain, seed_of_noise, a.petals]]
    sides, surface = np.append(die.sides / 2, a.six), [a.sink, a.wavy, 0, 0]
    return np.vstack([place, rotation, colours, rest, sides, surface]).astype(np.float32)


def _uniforms(scene: Scene) -> dict[str, Any]:
    """The rest of the scene under draw.glsl's names; whole numbers are counts and texture units."""
    lamps = (scene.lamps * MOST_LAMPS)[:MOST_LAMPS]
    return {
        "principal_px": scene.principal_px,
        "focal_px": scene.focal_px,
        "eye": scene.eye,
        "R_world_camera": scene.R_world_camera.T,
        "die_count": len(scene.dice),
        "dice": 0,
        "table": 1,
        "table_uv": np.diag([1, -1]) / scene.table_scale,
        "table_gloss": scene.table_gloss,
        "wall": scene.wall,
        "wall_height": scene.wall_height,
        "wall_rgb": scene.wall_rgb,
        "lamp_count": len(scene.lamps),
        "lamp_at": [lamp.at for lamp in lamps],
        "lamp_rgb": [lamp.rgb for lamp in lamps],
        "lamp_hardness": [lamp.hardness for lamp in lamps],
        "sky_rgb": scene.sky_rgb,
        "windows": [np.append(window.direction, window.half_cosine) for window in scene.windows],
        "window_along": [np.append(window.along, window.half_length) for window in scene.windows],
        "window_power": [window.power for window in scene.windows],
    }
