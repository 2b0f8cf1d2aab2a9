"""What happened, told in plain English sentences: for the journal, the demo and the history of a game."""

from companion.happenings import Row


def sentence(row: Row) -> str:
    """A happening as one line of text."""
    who = row.get("player")
    match row["event"]:
        case "start":
            return f"A game to {row['target']} points: {', '.join(row['players'])}"
        case "turn":
            return f"{who} to roll" + ("" if row["phase"] == "main" else f" ({row['phase'].replace('_', ' ')})")
        case "roll":
            corrected = " (corrected)" if row["corrected"] else ""
            return f"  roll {row['roll_number']}: {_spaced(row['values'])}{corrected}"
        case "keep":
            return f"    keeps {_spaced(row['values'])}: the turn holds {row['turn_points']}"
        case "mishimash":
            return f"    MISHIMASH! {row['bonus']} of them its bonus, and all six dice again"
        case "bust":
            return f"    BUST: {row['lost']} lost"
        case "bank":
            return f"    BANK: {row['points']} for {who}, {row['total']} in all"
        case "undo":
            return f"  undone; {who} to play"
        case "join" | "leave":
            return f"  {who} {'joins' if row['event'] == 'join' else 'leaves'} the table"
        case "end":
            return "  the game is ended early"
        case "misread":
            return f"  not sure: {'; '.join(row['reasons'])}"
        case "game_over":
            totals = ", ".join(f"{name} {total}" for name, total in row["totals"].items())
            win = "win" if len(row["winners"]) > 1 else "wins"
            return f"{' and '.join(row['winners']) or 'nobody'} {win}: {totals}"
        case other:
            return str(other)


def _spaced(values: list[int]) -> str:
    return " ".join(map(str, values))
