import random
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.moving_tray import FRAME_S, MovingTray
from vision import follow
from vision.motion import tray_blocks
from vision.profile import DiceModel, Lens, Pose, TrayProfile
from vision.reading import Die, Reading
from vision.settle import Emptied, Moving, Nudged, Rolled, Seen, SetAside, Settler, Unchanged, Unsure, verdict

Pictures = Iterable[NDArray[np.uint8]]
REST_S = 1.2


class Watch:
    """A settler over a moving tray, with the clock of its frames and all it said."""

    def __init__(self, tray: MovingTray, settler: Settler | None = None) -> None:
        self.tray = tray
        self.settler = settler or Settler(tray)
        self.now_s = 0.0
        self.said: list[tuple[float, Seen]] = []

    def see(self, pictures: Pictures) -> list[Seen]:
        """What is said while these pictures come, but for Moving."""
        before = len(self.said)
        for picture in pictures:
            self.now_s += FRAME_S
            self.said += [(self.now_s, seen) for seen in self.settler.update(picture, self.now_s)]
        return [seen for _, seen in self.said[before:] if not isinstance(seen, Moving)]

    def rest(self, pictures: Pictures = ()) -> list[Seen]:
        """What is said during an act and the rest after it."""
        return self.see(pictures) + self.see(self.tray.still(REST_S))


@pytest.fixture
def watch() -> Watch:
    watch = Watch(MovingTray(seed=4))
    assert watch.rest() == [Emptied()]
    [rolled] = watch.rest(watch.tray.throw(6))
    assert isinstance(rolled, Rolled)
    return watch


def faces(dice: Iterable[Die]) -> tuple[int, ...]:
    return tuple(sorted(die.face for die in dice))


def test_a_roll_is_said_once_with_its_faces_within_seven_tenths_of_a_second_of_rest() -> None:
    watch = Watch(MovingTray(seed=1))
    watch.rest()
    watch.see(watch.tray.throw(6))
    rests_s = watch.now_s
    assert watch.see(watch.tray.still(5)) == [Rolled(Reading(tuple(watch.tray.dice), "ok"))]
    assert 0.4 <= watch.said[-1][0] - rests_s <= 0.7


def test_dice_that_spin_long_are_no_roll_before_they_rest() -> None:
    watch = Watch(MovingTray(seed=2))
    watch.rest()
    for _ in range(8):
        assert watch.see(watch.tray.throw(6)) == []
    assert len(watch.rest()) == 1


def test_dice_that_lay_there_before_anything_moved_were_not_thrown() -> None:
    watch = Watch(MovingTray(seed=3))
    for _ in watch.tray.throw(6):
        pass
    [rolled] = watch.rest()
    assert isinstance(rolled, Rolled)
    assert not rolled.thrown


def test_each_motion_is_said_once_and_followed_by_one_word_about_the_rest(watch: Watch) -> None:
    for act in (watch.tray.reach(), watch.tray.reach((1,)), watch.tray.shade(), watch.tray.throw(5)):
        watch.rest(act)
    kinds = [isinstance(seen, Moving) for _, seen in watch.said[1:]]
    assert kinds == [True, False] * 5


@pytest.mark.parametrize("stay_s", [0.0, 0.5, 2.0])
def test_a_hand_over_the_tray_changes_nothing(watch: Watch, stay_s: float) -> None:
    assert watch.rest(watch.tray.reach(stay_s=stay_s)) == [Unchanged(Reading(tuple(watch.tray.dice), "ok"))]


def test_a_hand_that_stays_for_good_does_not_leave_the_tray_stuck(watch: Watch) -> None:
    dice = watch.tray.dice
    hidden_then_back = watch.rest(watch.tray.reach(stay_s=5))
    assert [type(seen) for seen in hidden_then_back] == [SetAside, SetAside]
    assert hidden_then_back[-1] == SetAside((), Reading(tuple(dice), "ok"))


def test_a_shadow_that_passes_changes_nothing(watch: Watch) -> None:
    assert watch.rest(watch.tray.shade()) == [Unchanged(Reading(tuple(watch.tray.dice), "ok"))]


def test_a_lamp_changes_nothing_and_the_next_set_aside_is_seen_in_time(watch: Watch) -> None:
    assert [type(seen) for seen in watch.rest(watch.tray.switch_lamp())] == [Unchanged]
    watch.see(watch.tray.reach((0,)))
    left_s = watch.now_s
    assert [type(seen) for seen in watch.rest()] == [SetAside]
    assert watch.said[-1][0] - left_s <= 0.7


def test_lifted_dice_are_counted_against_the_roll_and_may_come_back(watch: Watch) -> None:
    first, second, *others = watch.tray.dice
    assert watch.rest(watch.tray.reach((0,))) == [SetAside((first.face,), Reading((second, *others), "ok"))]
    assert watch.rest(watch.tray.reach((0,))) == [SetAside(faces((first, second)), Reading(tuple(others), "ok"))]
    [back] = watch.rest(watch.tray.put_back([first]))
    assert isinstance(back, SetAside)
    assert back.taken == (second.face,)
    [all_back] = watch.rest(watch.tray.put_back([second]))
    assert isinstance(all_back, SetAside)
    assert all_back.taken == ()


def test_all_dice_lifted_is_an_empty_tray_and_the_next_dice_are_a_roll(watch: Watch) -> None:
    assert watch.rest(watch.tray.reach((0, 1, 2, 3, 4, 5))) == [Emptied()]
    assert [type(seen) for seen in watch.rest(watch.tray.throw(6))] == [Rolled]


def test_dice_thrown_again_at_once_are_a_new_roll(watch: Watch) -> None:
    [rolled] = watch.rest(watch.tray.throw(6))
    assert rolled == Rolled(Reading(tuple(watch.tray.dice), "ok"))


def test_a_die_turned_by_a_finger_is_never_silently_taken(watch: Watch) -> None:
    before = tuple(watch.tray.dice)
    [nudged] = watch.rest(watch.tray.turn(2))
    assert nudged == Nudged(Reading(before, "ok"), Reading(tuple(watch.tray.dice), "ok"))


def test_a_turned_die_counts_as_first_read_until_the_game_holds_the_new_face(watch: Watch) -> None:
    first_read = watch.tray.dice[2].face
    watch.rest(watch.tray.turn(2))
    turned = watch.tray.dice[2]
    [lifted] = watch.rest(watch.tray.reach((2,)))
    assert isinstance(lifted, SetAside)
    assert lifted.taken == (first_read,)
    watch.rest(watch.tray.put_back([turned]))
    watch.settler.hold(faces(watch.tray.dice))
    [lifted] = watch.rest(watch.tray.reach((5,)))
    assert isinstance(lifted, SetAside)
    assert lifted.taken == (turned.face,)


def test_a_corrected_die_is_lifted_with_its_corrected_face(watch: Watch) -> None:
    misread = next(i for i, die in enumerate(watch.tray.dice) if faces(watch.tray.dice).count(die.face) == 1)
    corrected = watch.tray.dice[misread].face % 6 + 1
    watch.settler.hold([corrected if i == misread else die.face for i, die in enumerate(watch.tray.dice)])
    [lifted] = watch.rest(watch.tray.reach((misread,)))
    assert isinstance(lifted, SetAside)
    assert lifted.taken == (corrected,)


@pytest.mark.parametrize(
    ("shown", "held", "now_held"),
    [
        ((1, 2, 3), (3, 2, 1), (1, 2, 3)),
        ((1, 2, 3), (1, 2, 5), (1, 2, 5)),
        ((1, 2, 3), (5, 5, 2), (5, 2, 5)),
        ((1, 2, 3), (1, 2), (1, 2, 3)),
    ],
)
def test_faces_the_game_holds_go_to_the_dice_that_show_them(
    shown: tuple[int, ...], held: tuple[int, ...], now_held: tuple[int, ...]
) -> None:
    dice = follow.hold(follow.follow(reading(*shown).dice), held)
    assert tuple(one.face for one in dice) == now_held


def test_a_face_accepted_after_a_nudge_goes_to_the_die_that_was_turned() -> None:
    turned, _ = follow.update(follow.follow(reading(3, 3).dice), reading(3, 4).dice)
    assert tuple(one.face for one in follow.hold(turned, (3, 4))) == (3, 4)


def test_a_die_added_to_a_roll_of_too_few_makes_the_roll() -> None:
    five, six = reading(1, 2, 3, 4, 5), reading(1, 2, 3, 4, 5, 6)
    settler = Settler(Scripted(five, five, six))
    settler.expect = 6
    watch = Watch(MovingTray(seed=6), settler)
    watch.rest()
    assert watch.rest(watch.tray.switch_lamp()) == [Rolled(six)]


def test_a_die_taken_from_a_roll_of_too_many_makes_the_roll_and_the_next_one_is_set_aside() -> None:
    three, two, one = reading(1, 2, 3), reading(1, 2), reading(1)
    settler = Settler(Scripted(three, three, two, two, one))
    settler.expect = 2
    watch = Watch(MovingTray(seed=6), settler)
    watch.rest()
    assert watch.rest(watch.tray.switch_lamp()) == [Rolled(two)]
    settler.expect = None
    assert watch.rest(watch.tray.switch_lamp()) == [SetAside((2,), one)]


class Scripted:
    """A reader that answers with these readings in turn, the last one for ever; it remembers what was expected."""

    def __init__(self, *readings: Reading) -> None:
        self.readings = list(readings)
        self.expected: list[int | None] = []

    def read(self, image_bgr: NDArray[np.uint8], expect: int | None = None) -> Reading:
        self.expected.append(expect)
        return self.readings.pop(0) if len(self.readings) > 1 else self.readings[0]


def reading(*faces: int, unsure: str = "") -> Reading:
    dice = tuple(Die(face, 0.9, 50.0 * i, 100.0, 20.0, 0.0) for i, face in enumerate(faces))
    return Reading(dice, "unsure" if unsure else "ok" if dice else "empty", (unsure,) if unsure else ())


@pytest.mark.parametrize(
    ("looks", "said"),
    [
        ([reading(1, 2)], None),
        ([reading(1, 2), reading(1, 2)], "ok"),
        ([reading(), reading()], "empty"),
        ([reading(1, 2), reading(1, 3)], "two looks disagree: 1 2 and then 1 3"),
        ([reading(1, 2), reading(2, 1)], "two looks disagree: 1 2 and then 1 2"),
        ([reading(1), reading()], "two looks disagree: 1 and then no dice"),
        ([reading(1, unsure="too dark"), reading(1, unsure="glare")], "glare"),
        ([reading(1), reading(1, unsure="glare")], "glare"),
        ([reading(1, unsure="glare"), reading(1)], None),
        ([reading(1, unsure="glare"), reading(1), reading(1)], "ok"),
    ],
)
def test_only_two_sure_looks_that_agree_are_sure(looks: list[Reading], said: str | None) -> None:
    together = verdict(looks)
    assert (together and (together.reasons[0] if together.status == "unsure" else together.status)) == said


def test_an_unsure_rest_is_said_once_and_read_no_further_until_something_changes() -> None:
    reader = Scripted(reading(1, 2, unsure="a cocked die"))
    watch = Watch(MovingTray(seed=5), Settler(reader))
    assert watch.see(watch.tray.still(10)) == [Unsure(reading(1, 2, unsure="a cocked die"))]
    assert len(reader.expected) == 2
    assert watch.rest(watch.tray.reach()) == [Unsure(reading(1, 2, unsure="a cocked die"))]


def test_a_sure_rest_is_read_twice_and_never_again() -> None:
    reader = Scripted(reading(1, 2))
    watch = Watch(MovingTray(seed=7), Settler(reader))
    watch.see(watch.tray.still(20))
    watch.rest(watch.tray.shade())
    assert len(reader.expected) == 2


def test_dice_pushed_a_little_are_no_roll_unless_one_is_awaited() -> None:
    there, pushed = (Reading((Die(5, 0.9, x_px, 100.0, 20.0, 0.0),), "ok") for x_px in (100.0, 112.0))
    for expect, said in ((None, Unchanged(pushed)), (1, Rolled(pushed))):
        settler = Settler(Scripted(there, there, pushed))
        watch = Watch(MovingTray(seed=8), settler)
        watch.rest()
        settler.expect = expect
        assert watch.rest(watch.tray.switch_lamp()) == [said]


def test_what_moves_beside_the_tray_does_not_keep_a_roll_waiting() -> None:
    tray = MovingTray(seed=12)
    beside = np.random.default_rng(12)

    def restless(pictures: Pictures) -> Iterator[NDArray[np.uint8]]:
        for picture in pictures:
            picture[:, :30] = beside.integers(0, 255)
            yield picture

    watched = np.ones((60, 80), np.bool_)
    watched[:, :10] = False
    watch = Watch(tray, Settler(tray, watched=watched))
    assert watch.see(restless(tray.still(REST_S))) == [Emptied()]
    watch.see(restless(tray.throw(6)))
    assert watch.see(restless(tray.still(REST_S))) == [Rolled(Reading(tuple(tray.dice), "ok"))]


def test_dice_can_appear_between_the_walls_and_as_high_as_they_are() -> None:
    lens = Lens(800, 600, 600.0, (400.0, 300.0))
    pose = Pose(np.diag([1.0, -1.0, -1.0]), np.array([-100.0, 75.0, 400.0]))
    floor_mm = np.array([(20.0, 20.0), (180.0, 20.0), (180.0, 130.0), (20.0, 130.0)])
    profile = TrayProfile("", 800, 600, lens, pose, floor_mm, DiceModel(16.0))
    blocks = tray_blocks(profile)
    assert blocks is not None
    # 160 mm by 110 mm, seen from 400 mm: at the height of two dice they are 261 by 179 of 800 by 600 pixels.
    rows, columns = np.flatnonzero(blocks.any(axis=1)), np.flatnonzero(blocks.any(axis=0))
    assert (columns[0], columns[-1]) == (27, 53)
    assert (rows[0], rows[-1]) == (21, 39)
    assert tray_blocks(replace(profile, outline_mm=None)) is None


def test_a_camera_that_hangs_on_dice_in_the_air_makes_no_roll() -> None:
    watch = Watch(MovingTray(seed=9))
    watch.rest()
    pictures = list(watch.tray.throw(6))
    assert watch.see([*pictures[:8], *[pictures[8]] * 10, *pictures[9:]]) == []
    assert len(watch.rest()) == 1


def test_pictures_without_noise_settle_too() -> None:
    watch = Watch(MovingTray(seed=10, noise=0.0))
    picture = watch.tray.picture()
    assert watch.see([picture] * 10) == [Emptied()]


def test_noise_that_grows_and_light_that_flickers_invent_nothing() -> None:
    tray = MovingTray(seed=11, noise=1.0)
    flicker = np.random.default_rng(11)
    rows = np.arange(240)[:, None, None]

    def flickering() -> Iterator[NDArray[np.uint8]]:
        for picture in tray.still(3):
            bands = 1 + 0.08 * np.sin(rows / 25 + flicker.uniform(0, 6.3))
            noise = flicker.normal(0, 8, picture.shape)
            yield np.clip(picture * bands * flicker.uniform(0.9, 1.1) + noise, 0, 255).astype(np.uint8)

    watch = Watch(tray)
    for _ in tray.throw(6):
        pass
    lifted = tray.dice[1]
    assert [type(seen) for seen in watch.see(tray.still(3))] == [Rolled]
    assert {type(seen) for seen in watch.see(flickering())} <= {Unchanged}
    assert [seen for seen in watch.rest(tray.reach((1,))) if not isinstance(seen, Unchanged)] == [
        SetAside((lifted.face,), Reading(tuple(tray.dice), "ok"))
    ]


ACTS = st.lists(st.sampled_from(["throw", "pass", "lift", "lift all", "put back", "turn", "shade", "lamp"]), max_size=8)


def play(tray: MovingTray, acts: list[str], chance: random.Random) -> Iterator[tuple[NDArray[np.uint8], list[Seen]]]:
    """The pictures of a play, each with what has to be said by then."""
    due: list[Seen] = []
    roll: list[Die] = []
    for picture in tray.still(REST_S):
        yield picture, due
    due = [*due, Emptied()]
    for act in ["throw", *acts]:
        out = [die for die in roll if die not in tray.dice]
        numbers = tuple(sorted(chance.sample(range(len(tray.dice)), len(tray.dice) // 2)))
        pictures: Pictures = tray.reach()
        if act == "throw":
            pictures = tray.throw(chance.randint(1, 6))
        elif act == "lift" and numbers:
            pictures = tray.reach(numbers)
        elif act == "lift all" and tray.dice:
            pictures = tray.reach(tuple(range(len(tray.dice))))
        elif act == "put back" and out and tray.dice:
            pictures = tray.put_back([chance.choice(out)])
        elif act == "turn" and numbers:
            pictures = tray.turn(numbers[0])
        elif act == "shade":
            pictures = tray.shade()
        elif act == "lamp":
            pictures = tray.switch_lamp()
        before, due_before = list(tray.dice), due
        for picture in pictures:
            yield picture, due_before
        now = Reading(tuple(tray.dice), "ok")
        if act == "throw":
            roll = list(tray.dice)
            due = [*due, Rolled(now)]
        elif act == "turn" and numbers:
            turned = tray.dice[numbers[0]]
            roll = [turned if die == before[numbers[0]] else die for die in roll]
            due = [*due, Nudged(Reading(tuple(before), "ok"), now)]
        elif not tray.dice and before:
            roll = []
            due = [*due, Emptied()]
        elif len(before) != len(tray.dice):
            due = [*due, SetAside(faces(die for die in roll if die not in tray.dice), now)]
        for picture in tray.still(REST_S):
            yield picture, due


@given(acts=ACTS, seed=st.integers(0, 10_000))
@settings(derandomize=True, max_examples=20, deadline=None)
def test_every_roll_and_set_aside_is_said_once_and_nothing_invented_whatever_frames_are_lost(
    acts: list[str], seed: int
) -> None:
    chance = random.Random(seed)
    tray = MovingTray(seed)
    settler = Settler(tray)
    said: list[Seen] = []
    due: list[Seen] = []
    roll = Counter[int]()
    now_s = 0.0
    for picture, due in play(tray, acts, chance):  # noqa: B007 - the last one counts
        now_s += FRAME_S
        if chance.random() < 0.25:
            continue
        captured_s = now_s + chance.uniform(0, 0.9) * FRAME_S
        doubled, overtaken = [captured_s + 0.001] * chance.randint(0, 1), [captured_s - 0.2] * chance.randint(0, 1)
        for time_s in (captured_s, *doubled, *overtaken):
            for seen in settler.update(picture, time_s):
                if not isinstance(seen, Moving | Unchanged):
                    said.append(seen)
                if isinstance(seen, Rolled):
                    roll = Counter(seen.reading.values)
                if isinstance(seen, Nudged):
                    roll += Counter(seen.now.values)
                    roll -= Counter(seen.before.values)
                    settler.hold(sorted(roll.elements()))
    assert said == due
