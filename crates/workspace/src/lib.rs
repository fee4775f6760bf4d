//! Rules that hold across the workspace. All of it is tests: what a run of the suite left out.
