"""What an update meets: pairs of objects before and after, compared and judged by the release's rules for updates."""
