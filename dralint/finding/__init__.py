"""What is reported: problems found in an object, findings in a file, and the catalogue of rules."""
