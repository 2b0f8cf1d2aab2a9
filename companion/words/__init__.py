"""What the screens say, one file a language."""
