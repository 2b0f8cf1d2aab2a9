"""The game at the table: rules, turns, screens, the event log, and the loop that joins camera, buttons and display."""
