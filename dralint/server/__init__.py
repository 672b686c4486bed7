"""The Language Server Protocol over stdio: turns messages of an editor into calls of `dralint.editor`."""
