"""What dralint reports: problems of an object, findings in a file, and the catalogue of rules."""
