"""The lab as a server: a data port that callers use, an admin port that they must not see, sessions between them."""
