"""Turns cameras, displays and buttons into plain values; importing it needs no Raspberry Pi."""
