"""Where the two nets' knowledge comes from: invented dice on invented tables, drawn, and how the nets learn from them.

Nothing here is needed to read dice; `vision/spotter.onnx` and `vision/teller.onnx` are what it makes, and `make net`
makes them anew.

`python -m training.examples`: `scenes` lets dice (`looks`, `dice`) lie on a table (`textures`, of `surfaces` and
`things`) under lamps; `draw` gives the light of each pixel, `camera` a picture of it, `labels` what a net should say.
`python -m training.places`: what the spotter takes for dice in these, rightly or not, is what the teller learns from.
`python -m training.teach`: `lessons` and `spotting`, or `telling`, vary the examples; `learning` teaches a `net` with
them and writes it.
"""
