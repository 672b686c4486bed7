"""The run: documents of files judged by the chosen releases, problems put into their places."""
