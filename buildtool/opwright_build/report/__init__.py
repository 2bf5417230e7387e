"""What people and programs see of a run: text, JSON lines, JUnit. Renderings of data; nothing here decides anything."""
