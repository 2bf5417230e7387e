"""Releases as folders of files, and the indexes that list them: written here, and read as what strangers wrote."""
