"""What keeps a finding from being reported: comments, the configuration, a baseline. No verdict changes."""
