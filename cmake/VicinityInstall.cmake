# Filled in with the install targets.
