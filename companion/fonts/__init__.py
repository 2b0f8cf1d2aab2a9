"""The bitmap fonts of the screens, with their licences."""
