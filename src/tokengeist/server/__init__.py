"""What stands behind the page: its API, its jobs, its store. Needs the extra `serve`."""
