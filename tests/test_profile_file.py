"""The profile file: what is written comes back, what is wrong is named, what was before is kept."""

import os
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vision.profile import BoardFit, Colour, DiceModel, DieKind, Exposure, Lens, Light, Measured, Pose, TrayProfile
from vision.profile_file import ProfileError, load_profile, save_profile, undo_profile

number = st.floats(-1e6, 1e6, allow_nan=False).map(lambda x: float(f"{x:.9g}"))
share = st.floats(0.01, 0.49).map(lambda x: float(f"{x:.9g}"))
maybe = share | st.none()
measured = st.builds(Measured, share, share, st.integers(1, 24))
colour = st.builds(Colour, st.tuples(share, share, share), share, st.integers(1, 24))
edge = st.builds(Measured, st.floats(8, 30).map(lambda x: float(f"{x:.9g}")), share, st.integers(1, 24))
kind = st.builds(DieKind, st.integers(1, 6), colour, colour, measured, edge, measured | st.none())


def corners(n: int) -> st.SearchStrategy[np.ndarray]:
    return st.lists(st.tuples(number, number), min_size=n, max_size=n).map(np.array)


@st.composite
def profiles(draw: st.DrawFn) -> TrayProfile:
    width, height = draw(st.integers(8, 64)), draw(st.integers(8, 64))
    lens = Lens(width, height, draw(st.floats(0.5, 4)) * width, (width / 2, height / 2), draw(st.floats(-0.4, 0.4)))
    turn = np.array(draw(st.tuples(share, share, share)))
    R = np.asarray(cv2.Rodrigues(turn)[0]) @ np.diag([1.0, -1.0, -1.0])
    empty = np.random.default_rng(draw(st.integers(0, 9))).integers(0, 256, (height, width, 3)).astype(np.uint8)
    return TrayProfile(
        camera=draw(st.text(st.characters(exclude_categories=["Cs"]), max_size=8)),
        width_px=width,
        height_px=height,
        lens=lens,
        pose=draw(st.sampled_from([Pose(R, np.array([1.5, -2.0, 300.0])), None])),
        outline_mm=draw(corners(4) | st.none()),
        dice=draw(
            st.builds(DiceModel, st.floats(8, 30), maybe, maybe, maybe, kinds=st.lists(kind, max_size=2).map(tuple))
            | st.none()
        ),
        empty_bgr=draw(st.sampled_from([empty, None])),
        lacks=tuple(draw(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=9), max_size=3))),
        board=draw(
            st.builds(BoardFit, share, share, share, share, share, share, share, st.booleans(), corners(3), corners(3))
            | st.none()
        ),
        light=draw(st.builds(Light, share, share, share, share, st.just(np.zeros((0, 3))) | st.none()) | st.none()),
        exposure=draw(st.sampled_from([Exposure(9000, 1.5, (1.2, 2.1)), Exposure(9000, 1.5, (1.2, 2.1), 4.5), None])),
    )


@settings(derandomize=True, deadline=None, max_examples=60)
@given(profiles())
def test_what_was_saved_is_loaded_and_saves_to_the_same_text(
    tmp_path_factory: pytest.TempPathFactory, profile: TrayProfile
):
    path = tmp_path_factory.mktemp("profile") / "profile.toml"
    save_profile(profile, path)
    loaded = load_profile(path)
    text = path.read_text()
    save_profile(loaded, path)
    assert path.read_text() == text
    for part in ("camera", "width_px", "height_px", "lacks", "exposure"):
        assert getattr(loaded, part) == getattr(profile, part)
    assert loaded.lens is not None
    assert loaded.lens.focal_px == pytest.approx(profile.lens.focal_px, rel=1e-8)
    np.testing.assert_array_equal(loaded.empty_bgr, profile.empty_bgr)
    assert (loaded.dice and loaded.dice.kinds) == (profile.dice and profile.dice.kinds)
    if profile.pose and loaded.pose:
        np.testing.assert_allclose(loaded.pose.R_camera_tray, profile.pose.R_camera_tray, atol=1e-8)
    if profile.outline_mm is not None:
        np.testing.assert_allclose(loaded.outline_mm, profile.outline_mm, rtol=1e-8)


KIND = DieKind(
    6, Colour((90.0, 200.0, 210.0), 4.0, 18), Colour((30.0, 31.0, 32.0), 2.0, 18), Measured(-1.5, 0.1, 18),
    Measured(16.25, 0.125, 18),
)  # fmt: skip


def plain(shade: int = 0) -> TrayProfile:
    return TrayProfile(
        camera="imx708",
        width_px=64,
        height_px=48,
        lens=Lens(64, 48, 60.0, (31.5, 23.5)),
        pose=Pose(np.diag([1.0, -1.0, -1.0]), np.array([0.0, 0.0, 300.0])),
        outline_mm=np.array([[0.0, 0.0], [100.0, 0.0], [100.0, 80.0]]),
        dice=DiceModel(16.0, pip_radius=0.1, kinds=(KIND,)),
        board=BoardFit(
            20.0, 0.1, 0.2, 0.02, 1.0, 200.0, 0.0, True, np.ones((2, 2)), np.array([[0.25, 0.5], [0.5, 0.5]])
        ),
        light=Light(90.0, 1.5, 0.0, 0.0, np.array([[200.0, 150.0, 12.0]])),
        exposure=Exposure(9000, 1.5, (1.2, 2.1)),
        empty_bgr=np.full((48, 64, 3), shade, np.uint8),
    )


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("format = 1", "format = 7", "format = 7, this program reads format 1"),
        ("format = 1", "", "format is missing, this program reads format 1"),
        ("focal_px", "fokal_px", "fokal_px in [lens] is not known (did you mean focal_px?)"),
        ("focal_px", "fokal_px", "focal_px in [lens] is missing"),
        ("focal_px = 60.0", 'focal_px = "wide"', "focal_px in [lens] is 'wide', it must be a number"),
        ("focal_px = 60.0", "focal_px = nan", "focal_px in [lens] is nan, it must be a number"),
        ("focal_px = 60.0", "focal_px = true", "focal_px in [lens] is True, it must be a number"),
        ("focal_px = 60.0", "focal_px = -3.0", "focal_px in [lens] = -3 is no focal length for 64 pixels"),
        ("width_px = 64", "width_px = 0", "width_px, height_px = 0, 48 is no picture's size"),
        ("[lens]\nwidth_px = 64", "[lens]\nwidth_px = 65", "[lens] is for 65x48, not 64x48"),
        ("k1 = 0.0", "k1 = 3", "k1 in [lens] = 3 bends the picture over itself"),
        ("[31.5, 23.5]", "[31.5]", "centre_xy_px in [lens] has 1 entries, it must have 2"),
        ("[31.5, 23.5]", "[31.5, 99]", "centre_xy_px in [lens] = (31.5, 99.0) lies outside the picture"),
        ("[1.0, 0.0, 0.0]", "[2.0, 0.0, 0.0]", "R_camera_tray in [pose] is no rotation"),
        ("[1.0, 0.0, 0.0]", "[2.0, 0.0]", "R_camera_tray in [pose] is [[2.0, 0.0]"),
        ("300.0", "-300.0", "t_camera_tray_mm in [pose] puts the camera under the floor"),
        ("  [100.0, 80.0],\n", "", "outline_mm needs three or more corners"),
        ("edge_mm = 16.0", "edge_mm = 160", "edge_mm in [dice] = 160 is no die's edge"),
        ("[dice]\nedge_mm = 16.0", "dice = 3", "dice in [pose] is not known"),
        ("pip_radius = 0.1", "pip_radius = 1.1", "pip_radius in [dice] = 1.1 is no part of a die's edge"),
        ("clipped = 0.0", "clipped = 2", "clipped in [light] = 2 is no share"),
        ("[200.0, 150.0, 12.0]", "[200.0, 150.0]", "glare_xyr_px in [light] needs spots [x, y, radius]"),
        ("  [0.25, 0.5],\n", "", "residuals_px in [board] needs one [x, y] for each corner"),
        ("exposure_us = 9000", "exposure_us = 0", "exposure_us in [exposure] = 0 is no exposure time"),
        ("median = -1.5, ", "", "median in [dice.kinds[1].pip_step] is missing"),
        ("seen = 18", "seen = 1.5", "seen in [dice.kinds[1].body] is 1.5, it must be a whole number"),
        ("[90.0, 200.0, 210.0]", "[90.0, 300.0, 210.0]", "body in [dice.kinds[1]] = (90.0, 300.0, 210.0) is no colour"),
        ("sd = 0.125", "sd = -0.125", "edge_mm in [dice.kinds[1]] has sd = -0.125 and seen = 18"),
        ("camera = ", "camera ", "is no profile"),
    ],
)
def test_everything_wrong_in_the_file_is_named_with_its_place(tmp_path: Path, old: str, new: str, said: str):
    path = tmp_path / "profile.toml"
    save_profile(plain(), path)
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(ProfileError) as caught:
        load_profile(path)
    assert said in str(caught.value)
    assert str(caught.value).startswith(str(path))
    assert "mishimash calibrate" in str(caught.value)
    assert "\n" not in str(caught.value).replace(str(path), "") or "no profile" in str(caught.value)


@pytest.mark.parametrize(
    ("camera", "size_px", "said"),
    [
        ("imx219", None, "is for the camera imx708, this is imx219: run `mishimash calibrate`"),
        (None, (640, 480), "is for pictures of 64x48, these are 640x480"),
    ],
)
def test_a_profile_of_another_camera_or_size_is_refused(
    tmp_path: Path, camera: str | None, size_px: tuple[int, int] | None, said: str
):
    save_profile(plain(), tmp_path / "p.toml")
    assert load_profile(tmp_path / "p.toml", "imx708", (64, 48)).camera == "imx708"
    with pytest.raises(ProfileError, match=said):
        load_profile(tmp_path / "p.toml", camera, size_px)


def test_a_profile_made_from_pictures_holds_for_any_camera(tmp_path: Path):
    save_profile(replace(plain(), camera=""), tmp_path / "p.toml")
    assert load_profile(tmp_path / "p.toml", camera="imx219").camera == ""


def test_no_file_says_to_calibrate(tmp_path: Path):
    with pytest.raises(ProfileError, match="does not exist: run `mishimash calibrate` first"):
        load_profile(tmp_path / "none.toml")


@pytest.mark.parametrize(("content", "said"), [(None, "is missing"), (b"", "is damaged"), (b"\x89PNG", "is damaged")])
def test_a_lost_or_damaged_empty_picture_is_named(tmp_path: Path, content: bytes | None, said: str):
    path = tmp_path / "p.toml"
    save_profile(plain(), path)
    picture = next(tmp_path.glob("*.png"))
    picture.unlink() if content is None else picture.write_bytes(content)
    with pytest.raises(ProfileError, match=f"{said}.*mishimash calibrate light"):
        load_profile(path)


def shades(folder: Path) -> list[int]:
    """The shade of the empty picture of the profile and of those before it."""
    names = ["p.toml", "p.toml.1", "p.toml.2", "p.toml.3", "p.toml.4"]
    return [int(load_profile(folder / name).empty_bgr[0, 0, 0]) for name in names if (folder / name).exists()]


def test_the_three_profiles_before_are_kept_with_their_pictures_and_no_others(tmp_path: Path):
    for shade in range(6):
        save_profile(plain(shade), tmp_path / "p.toml")
    assert shades(tmp_path) == [5, 4, 3, 2]
    assert len(list(tmp_path.iterdir())) == 8


def test_a_damaged_profile_is_replaced_and_kept_all_the_same(tmp_path: Path):
    path = tmp_path / "p.toml"
    path.write_bytes(b"\xff\xfe not a profile")
    save_profile(plain(1), path)
    next(tmp_path.glob("*.png")).write_bytes(b"damaged")
    save_profile(plain(1), path)
    assert int(load_profile(path).empty_bgr[0, 0, 0]) == 1
    assert (tmp_path / "p.toml.2").read_bytes() == b"\xff\xfe not a profile"


def test_undo_brings_back_the_one_before_and_loses_nothing(tmp_path: Path):
    for shade in range(4):
        save_profile(plain(shade), tmp_path / "p.toml")
    undo_profile(tmp_path / "p.toml")
    assert shades(tmp_path) == [2, 1, 0, 3]


def test_undo_with_nothing_before_says_so_and_changes_nothing(tmp_path: Path):
    save_profile(plain(7), tmp_path / "p.toml")
    with pytest.raises(ProfileError, match="no profile before"):
        undo_profile(tmp_path / "p.toml")
    assert shades(tmp_path) == [7]


def test_a_profile_that_cannot_be_written_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "p.toml"
    save_profile(plain(1), path)
    before = path.read_text()

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(ProfileError, match=r"cannot be written \(No space left on device\)"):
        save_profile(plain(2), path)
    assert path.read_text() == before


class PowerCut(BaseException):
    """What no handler of the program catches."""


@pytest.mark.parametrize("write", ["save", "undo"])
def test_a_power_cut_at_any_moment_leaves_a_whole_profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: str):
    replace_file, moments = os.replace, 0
    while True:
        folder = tmp_path / str(moments)
        path = folder / "p.toml"
        for shade in (1, 2, 3, 4):
            save_profile(plain(shade), path)
        left = moments

        def cut(source: object, target: object) -> None:
            nonlocal left
            if left == 0:
                raise PowerCut
            left -= 1
            replace_file(source, target)  # type: ignore[arg-type]

        with monkeypatch.context() as patched:
            patched.setattr("os.replace", cut)
            try:
                save_profile(plain(5), path) if write == "save" else undo_profile(path)
            except PowerCut:
                assert shades(folder)[0] in ((4, 5) if write == "save" else (4, 3))
            else:
                break
        moments += 1
    assert moments >= 4
