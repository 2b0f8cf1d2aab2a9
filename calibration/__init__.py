"""Fits the optics of one tray and its dice into the profile that the reader uses."""
