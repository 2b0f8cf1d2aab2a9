"""Where the spotter's knowledge comes from: invented dice on invented tables, drawn, and the net that learns from them.

Nothing here is needed to read dice; `vision/spotter.onnx` is what it makes, and `make net` makes that anew.

`python -m training.examples`: `scenes` lets dice (`looks`, `dice`) lie on a table (`textures`, of `surfaces` and
`things`) under lamps; `draw` gives the light of each pixel, `camera` a picture of it, `labels` what a net should say.
`python -m training.teach`: `lessons` varies the examples, `learning` teaches the `net` with them and writes it.
"""
