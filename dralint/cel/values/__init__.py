"""Values and their types, and how texts become durations, quantities and versions."""
