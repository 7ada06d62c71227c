"""What several tests share: servers, models that follow a script, letters, and programs that tests start."""
