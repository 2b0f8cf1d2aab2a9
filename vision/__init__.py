"""Turns a picture of a dice tray into readings of dice; knows nothing of games or devices."""
