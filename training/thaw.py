"""Goes on from a net as it ships: its file has each convolution and its normalisation in one, learning needs both."""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from torch import nn


def thaw(net: nn.Module, path: Path, pictures: torch.Tensor) -> None:
    """Gives a net the weights of an ONNX file that `learning.write` made of its like.

    It then answers as the file does; its normalisations are those that `pictures` (n, 3, h, w) in 0..1 ask for.
    ValueError where the file holds another net.
    """
    layers = [layer for layer in net.modules() if isinstance(layer, nn.Conv2d | nn.Linear)]
    folded = _weights(path)
    if [weight.shape for weight, _ in folded] != [tuple(layer.weight.shape) for layer in layers]:
        raise ValueError(f"{path} holds other layers than this net has")
    norms = iter([layer for layer in net.modules() if isinstance(layer, nn.BatchNorm2d)])
    hooks = []
    with torch.no_grad():
        for layer, (weight, bias) in zip(layers, folded, strict=True):
            layer.weight.copy_(torch.from_numpy(weight))
            if layer.bias is None:
                hooks.append(next(norms).register_forward_pre_hook(partial(_neutral, torch.from_numpy(bias))))
            else:
                layer.bias.copy_(torch.from_numpy(bias))
        net.eval()(pictures)
    for hook in hooks:
        hook.remove()
    net.train()


def _weights(path: Path) -> list[tuple[np.ndarray, np.ndarray]]:
    """Weights and biases of all layers, in their order."""
    graph = onnx.load(path).graph
    values = {value.name: np.array(onnx.numpy_helper.to_array(value)) for value in graph.initializer}
    return [(values[node.input[1]], values[node.input[2]]) for node in graph.node if node.op_type in ("Conv", "Gemm")]


def _neutral(bias: torch.Tensor, norm: nn.BatchNorm2d, given: Any) -> None:
    """Makes a normalisation add this bias and change nothing else, whose statistics are those of what it is given."""
    (x,) = given
    norm.running_mean.copy_(x.mean((0, 2, 3)))
    norm.running_var.copy_(x.var((0, 2, 3), unbiased=False))
    norm.weight.copy_(torch.sqrt(norm.running_var + norm.eps))
    norm.bias.copy_(norm.running_mean + bias)
