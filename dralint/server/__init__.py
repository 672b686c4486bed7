"""The Language Server Protocol over stdio: messages of an editor become calls of `dralint.editor`."""
