"""Whose fault it is.

FaultlabError
├── BadInput        the user's: a file, an option, a name; the message says where and what is allowed
├── StoreError      the store's: a file that cannot be opened or is newer than this version
└── HarnessFault    ours: report it

Outside this tree, on purpose: ToolError (an agent is meant to catch it) and the BaseExceptions that end an
attempt, which an agent's `except Exception` must not swallow.
"""


class FaultlabError(Exception):
    """Base of all errors that faultlab reports to its user."""


class BadInput(FaultlabError):
    """A file, option or name is wrong; nothing was run because of it."""


class StoreError(FaultlabError):
    """The store cannot be used."""


class HarnessFault(FaultlabError):
    """An error of faultlab itself."""


class AttemptOver(BaseException):
    """The lab ends the attempt: three times a budget is spent. Not for agents to catch."""


class Hung(BaseException):
    """The agent waits for ever: no patience and no answer, or no return within the wall-clock limit."""


class CannotPerform(BaseException):
    """The plan asks a transport for what it cannot show. The attempt says nothing; not for agents to catch."""
