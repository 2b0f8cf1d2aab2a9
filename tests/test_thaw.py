"""Going on from a net as it ships; needs the extra `training`."""

from pathlib import Path

import cv2
import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the extra `training` is not installed: no torch")
pytest.importorskip("onnx", reason="the extra `training` is not installed: no onnx")

from training.net import Spotter, Teller  # noqa: E402
from training.thaw import thaw  # noqa: E402

VISION = Path(__file__).parent.parent / "vision"
NETS = {"spotter": (Spotter, (2, 3, 128, 128)), "teller": (Teller, (4, 3, 64, 64))}


@pytest.mark.parametrize("name", NETS)
def test_a_thawed_net_answers_as_its_file_while_at_rest_and_while_learning(name: str) -> None:
    make, shape = NETS[name]
    pictures = np.random.default_rng(1).random(shape).astype(np.float32)
    shipped = cv2.dnn.readNetFromONNX(str(VISION / f"{name}.onnx"))
    shipped.setInput(pictures)
    said = shipped.forward()
    net = make()
    thaw(net, VISION / f"{name}.onnx", torch.from_numpy(pictures))
    for part in net.modules():
        if isinstance(part, torch.nn.Dropout):
            part.p = 0.0
    for way in (net.train(), net.eval()):
        assert np.allclose(way(torch.from_numpy(pictures)).detach(), said, atol=1e-3)


def test_the_file_of_another_net_is_refused() -> None:
    with pytest.raises(ValueError, match="other layers"):
        thaw(Teller(), VISION / "spotter.onnx", torch.zeros(1, 3, 64, 64))
