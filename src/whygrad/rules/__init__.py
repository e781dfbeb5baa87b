"""The rules: one file each, found by walking this package. See CONTRIBUTING.md for how to add one."""
