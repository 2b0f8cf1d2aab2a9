"""The plane of the top faces: one die edge above the tray floor, seen from straight above.

In a picture of that plane every top face of a resting die is a square of one size and every pip a circle of one size,
wherever the die lies. Rectified pixels: x to the right and y down as in the photograph, `px_per_edge` to a die edge.
"""

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.profile import Lens, Pose

Floats = NDArray[np.float64]
Pixels = NDArray[np.float32]
Points = NDArray[np.floating[Any]]

PX_PER_EDGE = 36.0
_MOST_PIXELS = 700_000


@dataclass(frozen=True, slots=True)
class Plane:
    """The rectified plane and how it hangs together with the photograph.

    `H_tray_plane` (3, 3): plane pixels to millimetres of the tray; `foot_xy` (2,): the point right below the camera, in
    plane pixels; `shrink`: how far the floor below a top face moves towards the foot, so that a floor point appears at
    `foot + shrink * (point - foot)`; `map_xy`: the fixed-point maps of cv2.remap; `seen` (h, w) bool: in the picture.
    """

    width: int
    height: int
    px_per_edge: float
    lens: Lens
    pose: Pose
    edge_mm: float
    H_tray_plane: Floats
    foot_xy: Floats
    shrink: float
    map_xy: tuple[NDArray[np.int16], NDArray[np.uint16]]
    seen: NDArray[np.bool_]

    def rectify(self, image: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The photograph (H, W, 3) on the plane: (height, width, 3) uint8, its noise smoothed a little.

        What the camera did not see repeats the picture's border.
        """
        flat = cv2.remap(image, *self.map_xy, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(cv2.blur(flat, (3, 3)), np.uint8)

    def to_image(self, plane_xy: Points) -> Floats:
        """Where plane pixels (..., 2) lie in the photograph, in pixels."""
        return project(self.lens, self.pose, self.to_tray(plane_xy))

    def to_tray(self, plane_xy: Points) -> Floats:
        """Plane pixels (..., 2) in the tray frame: (..., 3) mm, z the die's edge."""
        flat = np.asarray(plane_xy, np.float64)
        xy = flat @ self.H_tray_plane[:2, :2].T + self.H_tray_plane[:2, 2]
        return np.concatenate([xy, np.full((*flat.shape[:-1], 1), self.edge_mm)], axis=-1)

    def base(self, plane_xy: Points) -> Floats:
        """Where the floor right below the plane points (..., 2) appears in the rectified picture."""
        return np.asarray(self.foot_xy + self.shrink * (np.asarray(plane_xy) - self.foot_xy))


def camera_matrix(lens: Lens) -> Floats:
    """The (3, 3) matrix of the pinhole."""
    x, y = lens.centre_xy_px
    return np.array([[lens.focal_px, 0, x], [0, lens.focal_px, y], [0, 0, 1]])


def project(lens: Lens, pose: Pose, tray_mm: Floats) -> Floats:
    """Tray points (..., 3) in the photograph: (..., 2) pixels, radial distortion included."""
    camera = np.asarray(tray_mm, np.float64) @ pose.R_camera_tray.T + pose.t_camera_tray_mm
    xy = camera[..., :2] / camera[..., 2:]
    radial = 1 + lens.k1 * (xy**2).sum(-1, keepdims=True)
    return np.asarray(xy * radial * lens.focal_px + lens.centre_xy_px)


def camera_position_mm(pose: Pose) -> Floats:
    """The camera's centre in the tray frame, (3,) mm."""
    return np.asarray(-pose.R_camera_tray.T @ pose.t_camera_tray_mm)


def make_plane(lens: Lens, pose: Pose, edge_mm: float, outline_mm: Floats | None = None) -> Plane:
    """The plane `edge_mm` above the floor, as much of it as the picture shows.

    With `outline_mm` (N, 2), the corners of the tray floor, only the tray and a die's width around it. Raises
    ValueError when the camera does not look down on the plane.
    """
    position = camera_position_mm(pose)
    if position[2] <= 1.5 * edge_mm:
        raise ValueError(
            f"camera {position[2]:.0f} mm above the floor: too low for dice of {edge_mm:.1f} mm; calibrate again"
        )
    corners_mm = _visible(lens, pose, position, edge_mm)
    if outline_mm is not None:
        low, high = outline_mm.min(0) - 1.5 * edge_mm, outline_mm.max(0) + 1.5 * edge_mm
        corners_mm = np.clip(corners_mm, low, high)
    right = pose.R_camera_tray[0, :2]
    c, s = right / max(float(np.linalg.norm(right)), 1e-9)
    # The tray's y points up where the picture's points down.
    R_tray_axes = np.array([[c, s], [s, -c]])
    low, high = (f(corners_mm @ R_tray_axes, axis=0) for f in (np.min, np.max))
    natural = lens.focal_px * edge_mm / (position[2] - edge_mm)
    area_edges = float(np.prod((high - low) / edge_mm))
    px_per_edge = min(PX_PER_EDGE, natural, float(np.sqrt(_MOST_PIXELS / area_edges)))
    mm_per_px = edge_mm / px_per_edge
    width, height = (int(v) for v in np.ceil((high - low) / mm_per_px))
    H = np.eye(3)
    H[:2, :2] = R_tray_axes * mm_per_px
    H[:2, 2] = R_tray_axes @ low
    foot = np.asarray(np.linalg.solve(H[:2, :2], position[:2] - H[:2, 2]), np.float64)
    image_xy = _seen_at(lens, pose, edge_mm, H, width, height)
    seen = np.asarray(((image_xy >= 0) & (image_xy <= (lens.width_px - 1, lens.height_px - 1))).all(-1))
    whole, part = cv2.convertMaps(image_xy[..., 0], image_xy[..., 1], cv2.CV_16SC2)
    maps = np.asarray(whole, np.int16), np.asarray(part, np.uint16)
    shrink = float((position[2] - edge_mm) / position[2])
    return Plane(width, height, px_per_edge, lens, pose, edge_mm, H, foot, shrink, maps, seen)


def _seen_at(lens: Lens, pose: Pose, edge_mm: float, H_tray_plane: Floats, width: int, height: int) -> Pixels:
    """Where every plane pixel lies in the photograph: (height, width, 2); as `project`, but quick."""
    R, t = pose.R_camera_tray, pose.t_camera_tray_mm
    H = R[:, :2] @ H_tray_plane[:2]
    H[:, 2] += R[:, 2] * edge_mm + t
    columns, rows = np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32)[:, None]
    x, y, z = (np.float32(row[0]) * columns + np.float32(row[1]) * rows + np.float32(row[2]) for row in H)
    x, y = x / z, y / z
    if lens.k1:
        radial = 1 + np.float32(lens.k1) * (x * x + y * y)
        x, y = x * radial, y * radial
    middle_x, middle_y = lens.centre_xy_px
    focal = np.float32(lens.focal_px)
    return np.stack([x * focal + np.float32(middle_x), y * focal + np.float32(middle_y)], -1)


def _visible(lens: Lens, pose: Pose, position: Floats, height_mm: float) -> Floats:
    """The picture's border cast on the plane z = height: (N, 2) mm."""
    w, h, n = lens.width_px - 1, lens.height_px - 1, 16
    t = np.linspace(0, 1, n)
    border = np.concatenate(
        [np.stack(xy, 1) for xy in ((t * w, 0 * t), (t * w, 0 * t + h), (0 * t, t * h), (0 * t + w, t * h))]
    )
    rays = cv2.undistortPoints(border[:, None], camera_matrix(lens), np.array([lens.k1, 0, 0, 0.0])).reshape(-1, 2)
    towards = np.concatenate([rays, np.ones((len(rays), 1))], 1) @ pose.R_camera_tray
    # A ray near the horizon meets the plane far away or never: look no farther than three camera heights.
    down = np.maximum(-towards[:, 2], 0.3 * np.linalg.norm(towards, axis=1))
    return np.asarray(position[:2] + towards[:, :2] / down[:, None] * (position[2] - height_mm))
