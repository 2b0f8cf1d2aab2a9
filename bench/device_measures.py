"""What devices cost: the simulated tray, buttons, the display."""

import time
import warnings
from collections.abc import Iterable

import numpy as np
from measure import Row, median_p95, timed_ms
from PIL import Image

from hardware.debounce import Down, Gestures
from hardware.oled import OledDisplay
from hardware.panel import LumaPanel, OledSettings
from hardware.ports import Button
from hardware.simulated import SimulatedTray
from tests.panel import OledBus

POLL_S = 0.010
PRESSES = 1000
PICTURES = 40


def simulated_frames() -> Iterable[Row]:
    """Drawing the simulated tray while dice tumble and while they lie."""
    tray = SimulatedTray(seed=1)
    tray.throw()
    moving, still = [], []
    while not tray.at_rest():
        moving.append(timed_ms(tray.frame))
    tray.frame()
    for _ in range(50):
        still.append(timed_ms(tray.frame))
    yield Row("simulated tray: a frame while dice tumble, median / p95", median_p95(moving), "≤ 30 ms")
    yield Row("simulated tray: a frame while they lie, median / p95", median_p95(still))


def button_edge_to_event() -> Iterable[Row]:
    """From a contact's first edge to the accepted press, for bouncing presses and a program that asks each 10 ms."""
    rng, gestures, late_ms, at_s, asked_s = np.random.default_rng(1), Gestures(), list[float](), 0.0, 0.0
    for _ in range(PRESSES):
        at_s += rng.uniform(0.1, 0.3)
        times = at_s + np.cumsum([0.0, *rng.uniform(0.0001, 0.0015, 4)])
        edges = [(time_s, i % 2 == 0) for i, time_s in enumerate(times)] + [(at_s + 0.08, False)]
        while edges:
            asked_s += POLL_S
            found = []
            while edges and edges[0][0] <= asked_s:
                time_s, closed = edges.pop(0)
                found += gestures.edge(Button.BANK, closed, time_s)
            found += gestures.advance(asked_s)
            late_ms += [1000 * (asked_s - one.edge_s) for one in found if isinstance(one, Down)]
        at_s += 0.08
    assert len(late_ms) == PRESSES
    yield Row(f"first edge to accepted press, worst of {PRESSES:,} bouncing", f"{max(late_ms):.1f} ms", "≤ 20 ms")


def screen_to_bus() -> Iterable[Row]:
    """From a new picture to its last byte on the bus, without the time the bus itself takes."""
    warnings.filterwarnings("ignore", "Image.Image.getdata", DeprecationWarning)
    bus, rng = OledBus(), np.random.default_rng(1)
    display = OledDisplay(lambda: LumaPanel(OledSettings(), bus), (128, 64))
    shows, drawn = [], []
    for _ in range(PICTURES):
        picture = Image.fromarray(rng.random((64, 128)) < 0.3)
        sent, began_s = bus.bytes_sent, time.perf_counter()
        shows.append(timed_ms(lambda picture=picture: display.show(picture)))
        while bus.bytes_sent < sent + 1024:
            time.sleep(0.0005)
        drawn.append(1000 * (time.perf_counter() - began_s))
        time.sleep(0.01)
    display.close()
    yield Row("display: show() returns after, median / p95", median_p95(shows))
    yield Row("display: new picture to its last byte on the bus, median / p95", median_p95(drawn))
