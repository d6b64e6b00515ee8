"""What Fovea raises. Every message is one sentence: what happened, what was expected, what to do."""


class Error(Exception):
    """Base of everything that Fovea raises."""


class InvalidArgument(Error, ValueError):
    """A call with a size, an option or a combination of them that is not allowed."""


class InvalidType(InvalidArgument, TypeError):
    """An argument of another type, an array of another dtype, or a keyword that does not exist."""


class IoError(Error, OSError):
    """The system refused to read or write a file: it is missing, or there is no permission."""


class WriteError(IoError):
    """The system refused to write an output: the disk is full, or the folder is missing."""


class FormatError(Error):
    """A file that is not what it claims to be: it is truncated or has another format."""


class DeviceError(Error):
    """A device that is absent, has too little memory, or failed while working."""


class ModelError(Error):
    """A well-formed model file that cannot be used, such as one of another system."""


class Cancelled(Error):
    """The call was stopped before its end."""
